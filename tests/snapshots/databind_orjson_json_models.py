from dataclasses import dataclass
from typing import Any

import orjson
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
    return orjson.dumps(mapper.serialize(clients, list[Client]))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = mapper.deserialize(orjson.loads(blob), list[Client])
    return clients


def dump(clients: list[Client]) -> Any:
    return mapper.serialize(clients, list[Client])


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = mapper.deserialize(data, list[Client])
    return clients
