from dataclasses import dataclass
from typing import Any

import yaml_rs


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


def encode(clients: list[Client]) -> bytes:
    return yaml_rs.dumps([dump_client(item) for item in clients]).encode()


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return yaml_rs.dumps(data).encode()
