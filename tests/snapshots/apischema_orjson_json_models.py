from dataclasses import dataclass
from typing import Any

import orjson
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
    return orjson.dumps(serialize(clients))


def decode(blob: bytes) -> list[Client]:
    return deserialize(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return serialize(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return deserialize(data)
