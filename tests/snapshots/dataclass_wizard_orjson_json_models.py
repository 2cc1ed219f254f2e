from dataclasses import dataclass
from typing import Any

import orjson
from dataclass_wizard import asdict, fromlist


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps([asdict(client) for client in clients])


def decode(blob: bytes) -> list[Client]:
    return fromlist(Client, orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return [asdict(client) for client in clients]


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return fromlist(Client, data)
