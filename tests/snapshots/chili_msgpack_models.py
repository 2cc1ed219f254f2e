from dataclasses import dataclass
from typing import Any

import chili
import msgpack


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


models_encoder = chili.Encoder[Client]()
models_decoder = chili.Decoder[Client]()


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb([models_encoder.encode(client) for client in clients])


def decode(blob: bytes) -> list[Client]:
    return [models_decoder.decode(client) for client in msgpack.unpackb(blob)]


def dump(clients: list[Client]) -> Any:
    return [models_encoder.encode(client) for client in clients]


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return [models_decoder.decode(client) for client in data]
