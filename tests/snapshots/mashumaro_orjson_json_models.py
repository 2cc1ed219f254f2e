# as dataclasses_orjson_json_models.py, but for:
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder
encoder = ORJSONEncoder(list[Order])
decoder = ORJSONDecoder(list[Order])
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(orders)
def decode(blob: bytes) -> list[Order]:
    return decoder.decode(blob)
# without load_item, load_order, loads, load
