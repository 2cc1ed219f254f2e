from dataclasses import dataclass

from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


encoder = ORJSONEncoder(list[Client])
decoder = ORJSONDecoder(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients)


def decode(blob: bytes) -> list[Client]:
    return decoder.decode(blob)
