# as typeddict_json_models.py, but for:
import orjson
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(orders)
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in orjson.loads(blob)]
def loads(blob: bytes) -> Any:
    return orjson.loads(blob)
# without dump_order, dump, dumps
