from dataclasses import dataclass
from typing import Any

import ijson


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


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in next(ijson.items(blob, "", use_float=True))]


def loads(blob: bytes) -> Any:
    return next(ijson.items(blob, "", use_float=True))


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
