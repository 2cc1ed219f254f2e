# as dataclasses_msgspec_json_models.py, but for:
from typing import Any
from mashumaro.codecs.basic import BasicDecoder, BasicEncoder
decoder = msgspec.json.Decoder()
models_encoder = BasicEncoder(list[Order])
models_decoder = BasicDecoder(list[Order])
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(models_encoder.encode(orders))
def decode(blob: bytes) -> list[Order]:
    return models_decoder.decode(decoder.decode(blob))
def dump(orders: list[Order]) -> Any:
    return models_encoder.encode(orders)
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
def load(data: Any) -> list[Order]:
    return models_decoder.decode(data)
