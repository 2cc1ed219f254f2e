from dataclasses import dataclass

import pyfory


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


fory = pyfory.Fory(xlang=False)
fory.register(Client)
fory.register(User)


def encode(clients: list[Client]) -> bytes:
    return fory.serialize(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = fory.deserialize(blob)
    return clients
