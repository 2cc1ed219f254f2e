from typing import Any

import attrs
import msgspec
from cattrs import Converter


@attrs.define
class User:
    fullname: str
    email: str


@attrs.define
class Client:
    user: User
    last_contact: str


encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
converter = Converter()


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(converter.unstructure(clients, list[Client]))


def decode(blob: bytes) -> list[Client]:
    return converter.structure(decoder.decode(blob), list[Client])


def dump(clients: list[Client]) -> Any:
    return converter.unstructure(clients, list[Client])


def dumps(data: Any) -> bytes:
    return encoder.encode(data)


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return converter.structure(data, list[Client])
