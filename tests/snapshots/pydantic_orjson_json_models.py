# as pydantic_json_models.py, but for:
import orjson
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(adapter.dump_python(orders))
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return adapter.dump_python(orders)
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
def loads(blob: bytes) -> Any:
    return orjson.loads(blob)
