import pickle

from pydantic import BaseModel


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return pickle.dumps(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = pickle.loads(blob)
    return clients
