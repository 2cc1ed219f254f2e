from dataclasses import dataclass
from typing import Any

import msgspec
from mashumaro.codecs.basic import BasicDecoder, BasicEncoder


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
models_encoder = BasicEncoder(list[Client])
models_decoder = BasicDecoder(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(models_encoder.encode(clients))


def decode(blob: bytes) -> list[Client]:
    return models_decoder.decode(decoder.decode(blob))


def dump(clients: list[Client]) -> Any:
    return models_encoder.encode(clients)


def dumps(data: Any) -> bytes:
    return encoder.encode(data)


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return models_decoder.decode(data)
