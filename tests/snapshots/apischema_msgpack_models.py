from dataclasses import dataclass
from typing import Any

import msgpack
from apischema import deserialization_method, serialization_method


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


serialize = serialization_method(list[Client])
deserialize = deserialization_method(list[Client])


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(serialize(clients))


def decode(blob: bytes) -> list[Client]:
    return deserialize(msgpack.unpackb(blob))


def dump(clients: list[Client]) -> Any:
    return serialize(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return deserialize(data)
