from dataclasses import dataclass
from typing import Any

import orjson
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
    return orjson.dumps(serializer.dump(clients))


def decode(blob: bytes) -> list[Client]:
    return serializer.load(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return serializer.dump(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return serializer.load(data)
