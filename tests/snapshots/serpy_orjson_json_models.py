# as marshmallow_orjson_json_models.py, but for:
import serpy
class ItemSerializer(serpy.Serializer):
    price = serpy.Field()
class OrderSerializer(serpy.Serializer):
    title = serpy.Field()
    placed = serpy.Field()
    items = ItemSerializer(many=True)
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(OrderSerializer(orders, many=True).data)
def dump(orders: list[Order]) -> Any:
    return OrderSerializer(orders, many=True).data
# without ItemSchema, OrderSchema, schema, decode, loads, load
