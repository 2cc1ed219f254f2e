from dataclasses import dataclass
from typing import Any

import orjson


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(clients, option=orjson.OPT_SORT_KEYS)


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in orjson.loads(blob)]


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
