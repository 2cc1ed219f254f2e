from serde import serde
from serde.json import from_json, to_json


@serde
class User:
    fullname: str
    email: str


@serde
class Client:
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return to_json(clients, list[Client]).encode()


def decode(blob: bytes) -> list[Client]:
    return from_json(list[Client], blob)
