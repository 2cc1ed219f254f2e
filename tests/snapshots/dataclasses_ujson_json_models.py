# as dataclasses_json_models.py, but for:
import ujson
def encode(orders: list[Order]) -> bytes:
    return ujson.dumps([dump_order(entry) for entry in orders]).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in ujson.loads(blob)]
def dumps(data: Any) -> bytes:
    return ujson.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return ujson.loads(blob)
