import pickle

import msgspec


class User(msgspec.Struct):
    fullname: str
    email: str


class Client(msgspec.Struct):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
