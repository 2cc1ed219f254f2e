import pickle
from dataclasses import dataclass


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients, protocol=5)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
