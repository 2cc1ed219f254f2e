# as dataclasses_json_models.py, but for:
import msgspec
class Item(msgspec.Struct):
    price: float
class Order(msgspec.Struct):
    title: str
    placed: datetime
    items: list[Item]
def encode(orders: list[Order]) -> bytes:
    return json.dumps(msgspec.to_builtins(orders)).encode()
def decode(blob: bytes) -> list[Order]:
    return msgspec.convert(json.loads(blob), list[Order])
def dump(orders: list[Order]) -> Any:
    return msgspec.to_builtins(orders)
def load(data: Any) -> list[Order]:
    return msgspec.convert(data, list[Order])
# without dump_item, dump_order, load_item, load_order
