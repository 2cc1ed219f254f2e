# as dataclasses_msgspec_json_models.py, but for:
from mashumaro.codecs.json import JSONDecoder, JSONEncoder
encoder = JSONEncoder(list[Order])
decoder = JSONDecoder(list[Order])
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(orders).encode()
