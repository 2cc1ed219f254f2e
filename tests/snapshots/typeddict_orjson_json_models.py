from typing import TypedDict

import orjson


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = orjson.loads(blob)
    return clients
