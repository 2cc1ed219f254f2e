from dataclasses import dataclass
from typing import Any

import msgpack
from serpyco_rs import Serializer


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


serializer = Serializer(list[Client])


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(serializer.dump(clients))


def decode(blob: bytes) -> list[Client]:
    return serializer.load(msgpack.unpackb(blob))


def dump(clients: list[Client]) -> Any:
    return serializer.dump(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return serializer.load(data)
