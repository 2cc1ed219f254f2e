import json
from typing import TypedDict


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return json.dumps(clients).encode()


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = json.loads(blob)
    return clients
