from typing import Any

import msgpack
from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


adapter = TypeAdapter(list[Client])


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(adapter.dump_python(clients))


def decode(blob: bytes) -> list[Client]:
    return adapter.validate_python(msgpack.unpackb(blob))


def dump(clients: list[Client]) -> Any:
    return adapter.dump_python(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return adapter.validate_python(data)
