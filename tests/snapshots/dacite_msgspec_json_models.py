# as dacite_orjson_json_models.py, but for:
import msgspec
encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(orders)
def decode(blob: bytes) -> list[Order]:
    return [from_dict(Order, order, config) for order in decoder.decode(blob)]
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
