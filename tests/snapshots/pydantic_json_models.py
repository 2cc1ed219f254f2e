import json
from typing import Any

from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


adapter = TypeAdapter(list[Client])


def encode(clients: list[Client]) -> bytes:
    return json.dumps(adapter.dump_python(clients)).encode()


def decode(blob: bytes) -> list[Client]:
    return adapter.validate_python(json.loads(blob))


def dump(clients: list[Client]) -> Any:
    return adapter.dump_python(clients)


def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()


def loads(blob: bytes) -> Any:
    return json.loads(blob)


def load(data: Any) -> list[Client]:
    return adapter.validate_python(data)
