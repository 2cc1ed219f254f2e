from dataclasses import dataclass
from typing import Any

import cbor2


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return cbor2.dumps([dump_client(item) for item in clients], string_referencing=True)


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in cbor2.loads(blob)]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return cbor2.dumps(data, string_referencing=True)


def loads(blob: bytes) -> Any:
    return cbor2.loads(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
