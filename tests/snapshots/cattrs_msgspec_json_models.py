from typing import Any

import attrs
import msgspec
from cattrs.preconf.msgspec import make_converter


@attrs.define
class User:
    fullname: str
    email: str


@attrs.define
class Client:
    user: User
    last_contact: str


encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
converter = make_converter()


def encode(clients: list[Client]) -> bytes:
    return converter.dumps(clients, list[Client])


def decode(blob: bytes) -> list[Client]:
    return converter.loads(blob, list[Client])


def dump(clients: list[Client]) -> Any:
    return converter.unstructure(clients, list[Client])


def dumps(data: Any) -> bytes:
    return encoder.encode(data)


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return converter.structure(data, list[Client])
