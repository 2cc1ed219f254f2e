import pickle
from typing import NamedTuple


class User(NamedTuple):
    fullname: str
    email: str


class Client(NamedTuple):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
