# as pydantic_json_models.py, but for:
def encode(orders: list[Order]) -> bytes:
    return adapter.dump_json(orders)
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_json(blob)
# without dump, dumps, loads, load
