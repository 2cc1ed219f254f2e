from dataclasses import dataclass
from typing import Any

import simdjson


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


parser = simdjson.Parser()


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def decode(blob: bytes) -> list[Client]:
    data: Any = parser.parse(blob, True)
    return [load_client(item) for item in data]


def loads(blob: bytes) -> Any:
    return parser.parse(blob, True)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
