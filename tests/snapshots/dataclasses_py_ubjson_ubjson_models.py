# as dataclasses_json_models.py, but for:
import ubjson
def encode(orders: list[Order]) -> bytes:
    return ubjson.dumpb([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in ubjson.loadb(blob)]
def dumps(data: Any) -> bytes:
    return ubjson.dumpb(data)
def loads(blob: bytes) -> Any:
    return ubjson.loadb(blob)
