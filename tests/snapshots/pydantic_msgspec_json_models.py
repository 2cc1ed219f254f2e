from typing import Any

import msgspec
from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
adapter = TypeAdapter(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(adapter.dump_python(clients))


def decode(blob: bytes) -> list[Client]:
    return adapter.validate_python(decoder.decode(blob))


def dump(clients: list[Client]) -> Any:
    return adapter.dump_python(clients)


def dumps(data: Any) -> bytes:
    return encoder.encode(data)


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return adapter.validate_python(data)
