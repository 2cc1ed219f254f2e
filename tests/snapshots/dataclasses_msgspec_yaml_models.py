# as dataclasses_msgspec_toml_models.py, but for:
def encode(orders: list[Order]) -> bytes:
    return msgspec.yaml.encode(orders)
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in msgspec.yaml.decode(blob)]
def loads(blob: bytes) -> Any:
    return msgspec.yaml.decode(blob)
# without dump_item, dump_order, dump, dumps
