from dataclasses import dataclass

from serpyco_rs import MSGPACK, Serializer


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


serializer = Serializer(list[Client], codec=MSGPACK)


def encode(clients: list[Client]) -> bytes:
    return serializer.dump(clients)


def decode(blob: bytes) -> list[Client]:
    return serializer.load(blob)
