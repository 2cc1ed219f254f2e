from dataclasses import dataclass

from mashumaro.codecs.json import JSONDecoder, JSONEncoder


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = JSONEncoder(list[Client])
decoder = JSONDecoder(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients).encode()


def decode(blob: bytes) -> list[Client]:
    return decoder.decode(blob)
