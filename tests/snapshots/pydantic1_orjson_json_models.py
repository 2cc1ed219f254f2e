from typing import Any

import orjson
from pydantic import BaseModel, parse_obj_as


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps([item.dict() for item in clients])


def decode(blob: bytes) -> list[Client]:
    return parse_obj_as(list[Client], orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return [item.dict() for item in clients]


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return parse_obj_as(list[Client], data)
