from typing import Any

import msgpack
from pydantic import BaseModel, parse_obj_as


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb([item.dict() for item in clients])


def decode(blob: bytes) -> list[Client]:
    return parse_obj_as(list[Client], msgpack.unpackb(blob))


def dump(clients: list[Client]) -> Any:
    return [item.dict() for item in clients]


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return parse_obj_as(list[Client], data)
