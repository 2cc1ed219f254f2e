from dataclasses import dataclass
from typing import Any

import msgpack
from dataclass_factory import Factory


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


factory = Factory()
parse = factory.parser(list[Client])
serialize = factory.serializer(list[Client])


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(serialize(clients))


def decode(blob: bytes) -> list[Client]:
    return parse(msgpack.unpackb(blob))


def dump(clients: list[Client]) -> Any:
    return serialize(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return parse(data)
