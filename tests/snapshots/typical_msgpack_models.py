# as typical_orjson_json_models.py, but for:
import msgpack
def encode(orders: list[Order]) -> bytes:
    return msgpack.packb(protocol.primitive(orders))
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = protocol.transmute(msgpack.unpackb(blob))
    return orders
def dumps(data: Any) -> bytes:
    return msgpack.packb(data)
def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)
