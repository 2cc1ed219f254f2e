from dataclasses import dataclass

from mashumaro.codecs.msgpack import MessagePackDecoder, MessagePackEncoder


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = MessagePackEncoder(list[Client])
decoder = MessagePackDecoder(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients)


def decode(blob: bytes) -> list[Client]:
    return decoder.decode(blob)
