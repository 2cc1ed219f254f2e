# as msgspec_orjson_json_models.py, but for:
import json
def encode(orders: list[Order]) -> bytes:
    return json.dumps(msgspec.to_builtins(orders)).encode()
def decode(blob: bytes) -> list[Order]:
    return msgspec.convert(json.loads(blob), list[Order])
def dump(orders: list[Order]) -> Any:
    return msgspec.to_builtins(orders)
def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
