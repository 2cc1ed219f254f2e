# as dataclasses_orjson_json_models.py, but for:
import ormsgpack
def encode(orders: list[Order]) -> bytes:
    return ormsgpack.packb(orders)
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in ormsgpack.unpackb(blob)]
def loads(blob: bytes) -> Any:
    return ormsgpack.unpackb(blob)
