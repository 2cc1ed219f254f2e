from dataclasses import dataclass
from typing import Any

import orjson
from dacite import from_dict


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    return [from_dict(Client, client) for client in orjson.loads(blob)]


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return [from_dict(Client, client) for client in data]
