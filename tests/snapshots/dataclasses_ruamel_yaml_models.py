from dataclasses import dataclass
from io import BytesIO
from typing import Any

from ruamel.yaml import YAML


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def to_yaml(data: Any) -> bytes:
    stream = BytesIO()
    YAML(typ="safe", pure=True).dump(data, stream)
    return stream.getvalue()


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return to_yaml([dump_client(item) for item in clients])


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in YAML(typ="safe", pure=True).load(blob)]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return to_yaml(data)


def loads(blob: bytes) -> Any:
    return YAML(typ="safe", pure=True).load(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
