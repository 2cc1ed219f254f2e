from dataclasses import dataclass
from typing import Any

import msgpack
from databind.json import get_object_mapper


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


mapper = get_object_mapper()


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(mapper.serialize(clients, list[Client]))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = mapper.deserialize(msgpack.unpackb(blob), list[Client])
    return clients


def dump(clients: list[Client]) -> Any:
    return mapper.serialize(clients, list[Client])


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = mapper.deserialize(data, list[Client])
    return clients
