# as pydantic_json_models.py, but for:
import msgpack
def encode(orders: list[Order]) -> bytes:
    return msgpack.packb(adapter.dump_python(orders, mode="json"))
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(msgpack.unpackb(blob))
def dumps(data: Any) -> bytes:
    return msgpack.packb(data)
def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)
