# as marshmallow_orjson_json_models.py, but for:
import msgspec
class Item(msgspec.Struct):
    price: float
class Order(msgspec.Struct):
    title: str
    placed: datetime
    items: list[Item]
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(msgspec.to_builtins(orders, builtin_types=(datetime,)))
def decode(blob: bytes) -> list[Order]:
    return msgspec.convert(orjson.loads(blob), list[Order])
def dump(orders: list[Order]) -> Any:
    return msgspec.to_builtins(orders, builtin_types=(datetime,))
def load(data: Any) -> list[Order]:
    return msgspec.convert(data, list[Order])
# without ItemSchema, OrderSchema, schema
