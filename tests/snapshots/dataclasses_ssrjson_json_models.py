# as dataclasses_json_models.py, but for:
import ssrjson
def encode(orders: list[Order]) -> bytes:
    return ssrjson.dumps_to_bytes([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in ssrjson.loads(blob)]
def dumps(data: Any) -> bytes:
    return ssrjson.dumps_to_bytes(data)
def loads(blob: bytes) -> Any:
    return ssrjson.loads(blob)
