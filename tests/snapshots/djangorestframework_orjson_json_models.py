# as marshmallow_orjson_json_models.py, but for:
from typing import Any, TypedDict
import django
from django.conf import settings
from rest_framework import serializers
if not settings.configured:
    settings.configure(TIME_ZONE="UTC")
    django.setup()
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
class ItemSerializer(serializers.Serializer):
    price = serializers.FloatField()
class OrderSerializer(serializers.Serializer):
    title = serializers.CharField(allow_blank=True, trim_whitespace=False)
    placed = serializers.DateTimeField()
    items = ItemSerializer(many=True)
def validated(data: Any) -> list[Order]:
    serializer = OrderSerializer(data=data, many=True)
    serializer.is_valid(raise_exception=True)
    orders: list[Order] = serializer.validated_data
    return orders
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(OrderSerializer(orders, many=True).data)
def decode(blob: bytes) -> list[Order]:
    return validated(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return OrderSerializer(orders, many=True).data
def load(data: Any) -> list[Order]:
    return validated(data)
# without ItemSchema, OrderSchema, schema
