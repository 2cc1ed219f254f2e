# as namedtuple_orjson_json_models.py, but for:
import msgspec
encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
def encode(orders: list[Order]) -> bytes:
    return encoder.encode([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in decoder.decode(blob)]
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
