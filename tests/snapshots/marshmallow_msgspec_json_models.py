# as marshmallow_orjson_json_models.py, but for:
import msgspec
encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(schema.dump(orders))
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = schema.load(decoder.decode(blob))
    return orders
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
