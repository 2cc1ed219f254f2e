import json
from typing import Any

import msgspec


class User(msgspec.Struct):
    fullname: str
    email: str


class Client(msgspec.Struct):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return json.dumps(msgspec.to_builtins(clients)).encode()


def decode(blob: bytes) -> list[Client]:
    return msgspec.convert(json.loads(blob), list[Client])


def dump(clients: list[Client]) -> Any:
    return msgspec.to_builtins(clients)


def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()


def loads(blob: bytes) -> Any:
    return json.loads(blob)


def load(data: Any) -> list[Client]:
    return msgspec.convert(data, list[Client])
