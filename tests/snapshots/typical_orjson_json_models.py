# as marshmallow_orjson_json_models.py, but for:
import typic
protocol = typic.protocol(list[Order])
def encode(orders: list[Order]) -> bytes:
    return protocol.encode(orders)
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = protocol.decode(blob)
    return orders
def dump(orders: list[Order]) -> Any:
    return protocol.primitive(orders)
def load(data: Any) -> list[Order]:
    orders: list[Order] = protocol.transmute(data)
    return orders
# without ItemSchema, OrderSchema, schema
