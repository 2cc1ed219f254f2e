from typing import Any

import orjson
from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


adapter = TypeAdapter(list[Client])


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(adapter.dump_python(clients))


def decode(blob: bytes) -> list[Client]:
    return adapter.validate_python(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return adapter.dump_python(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return adapter.validate_python(data)
