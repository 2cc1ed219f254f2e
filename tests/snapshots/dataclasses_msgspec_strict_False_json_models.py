from dataclasses import dataclass

import msgspec


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder(list[Client], strict=False)


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients)


def decode(blob: bytes) -> list[Client]:
    return decoder.decode(blob)
