# as msgspec_json_models.py, but for:
import orjson
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(msgspec.to_builtins(orders, builtin_types=(datetime,)))
def decode(blob: bytes) -> list[Order]:
    return msgspec.convert(orjson.loads(blob), list[Order])
def dump(orders: list[Order]) -> Any:
    return msgspec.to_builtins(orders, builtin_types=(datetime,))
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
def loads(blob: bytes) -> Any:
    return orjson.loads(blob)
