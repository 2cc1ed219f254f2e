from dataclasses import dataclass
from typing import Any

import msgspec
from dacite import from_dict


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients)


def decode(blob: bytes) -> list[Client]:
    return [from_dict(Client, client) for client in decoder.decode(blob)]


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return [from_dict(Client, client) for client in data]
