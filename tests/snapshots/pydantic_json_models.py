# as pydantic_orjson_json_models.py, but for:
import json
def encode(orders: list[Order]) -> bytes:
    return json.dumps(adapter.dump_python(orders, mode="json")).encode()
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(json.loads(blob))
def dump(orders: list[Order]) -> Any:
    return adapter.dump_python(orders, mode="json")
def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
