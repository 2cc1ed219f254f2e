# as marshmallow_orjson_json_models.py, but for:
from schematics.models import Model
from schematics.types import DateTimeType, FloatType, ListType, ModelType, StringType
class Item(Model):
    price = FloatType(required=True)
class Order(Model):
    title = StringType(required=True)
    placed = DateTimeType(tzd="require", required=True)
    items = ListType(ModelType(Item), required=True)
def load_order(data: Any) -> Order:
    order = Order(data)
    order.validate()
    return order
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([order.to_primitive() for order in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(item) for item in orjson.loads(blob)]
def dump(orders: list[Order]) -> Any:
    return [order.to_primitive() for order in orders]
def load(data: Any) -> list[Order]:
    return [load_order(item) for item in data]
# without ItemSchema, OrderSchema, schema
