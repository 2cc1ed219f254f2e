from serde import serde
from serde.msgpack import from_msgpack, to_msgpack


@serde
class User:
    fullname: str
    email: str


@serde
class Client:
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return to_msgpack(clients, list[Client])


def decode(blob: bytes) -> list[Client]:
    return from_msgpack(list[Client], blob)
