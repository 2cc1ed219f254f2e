# as pydantic_orjson_json_models.py, but for:
import msgspec
encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(adapter.dump_python(orders))
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(decoder.decode(blob))
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
