from typing import Any

import msgspec
import orjson


class User(msgspec.Struct):
    fullname: str
    email: str


class Client(msgspec.Struct):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(msgspec.to_builtins(clients))


def decode(blob: bytes) -> list[Client]:
    return msgspec.convert(orjson.loads(blob), list[Client])


def dump(clients: list[Client]) -> Any:
    return msgspec.to_builtins(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return msgspec.convert(data, list[Client])
