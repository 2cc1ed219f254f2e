from dataclasses import dataclass
from typing import Any

import orjson
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
    return orjson.dumps(serialize(clients))


def decode(blob: bytes) -> list[Client]:
    return parse(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return serialize(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return parse(data)
