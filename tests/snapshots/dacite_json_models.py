import json
from dataclasses import asdict, dataclass
from typing import Any

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
    return json.dumps([asdict(client) for client in clients]).encode()


def decode(blob: bytes) -> list[Client]:
    return [from_dict(Client, client) for client in json.loads(blob)]


def dump(clients: list[Client]) -> Any:
    return [asdict(client) for client in clients]


def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()


def loads(blob: bytes) -> Any:
    return json.loads(blob)


def load(data: Any) -> list[Client]:
    return [from_dict(Client, client) for client in data]
