# as dataclasses_cbor2_cbor_models.py, but for:
import msgspec
def encode(orders: list[Order]) -> bytes:
    return msgspec.toml.encode({"items": [dump_order(entry) for entry in orders]})
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in msgspec.toml.decode(blob)["items"]]
def dumps(data: Any) -> bytes:
    return msgspec.toml.encode({"items": data})
def loads(blob: bytes) -> Any:
    return msgspec.toml.decode(blob)["items"]
