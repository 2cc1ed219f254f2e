from typing import Any

import msgpack
import msgspec


class User(msgspec.Struct):
    fullname: str
    email: str


class Client(msgspec.Struct):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(msgspec.to_builtins(clients))


def decode(blob: bytes) -> list[Client]:
    return msgspec.convert(msgpack.unpackb(blob), list[Client])


def dump(clients: list[Client]) -> Any:
    return msgspec.to_builtins(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return msgspec.convert(data, list[Client])
