from typing import TypedDict

import msgpack


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = msgpack.unpackb(blob)
    return clients
