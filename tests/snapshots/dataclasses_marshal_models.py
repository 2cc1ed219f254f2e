# as dataclasses_json_models.py, but for:
import marshal
def encode(orders: list[Order]) -> bytes:
    return marshal.dumps([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in marshal.loads(blob)]
def dumps(data: Any) -> bytes:
    return marshal.dumps(data)
def loads(blob: bytes) -> Any:
    return marshal.loads(blob)
