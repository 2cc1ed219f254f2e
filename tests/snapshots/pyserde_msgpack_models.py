# as pyserde_orjson_json_models.py, but for:
from serde.msgpack import from_msgpack, to_msgpack
def encode(orders: list[Order]) -> bytes:
    return to_msgpack(orders, list[Order])
def decode(blob: bytes) -> list[Order]:
    return from_msgpack(list[Order], blob)
