import pickle
from typing import TypedDict


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
