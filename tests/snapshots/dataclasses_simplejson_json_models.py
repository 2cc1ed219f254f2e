# as dataclasses_json_models.py, but for:
import simplejson
def encode(orders: list[Order]) -> bytes:
    return simplejson.dumps([dump_order(entry) for entry in orders]).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in simplejson.loads(blob)]
def dumps(data: Any) -> bytes:
    return simplejson.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return simplejson.loads(blob)
