# as pydantic_msgspec_json_models.py, but for:
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(adapter.dump_python(orders, mode="json"))
def dump(orders: list[Order]) -> Any:
    return adapter.dump_python(orders, mode="json")
