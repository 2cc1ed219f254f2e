import plistlib
from dataclasses import dataclass
from typing import Any


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
    return plistlib.dumps(
        [dump_client(item) for item in clients],
        fmt=plistlib.FMT_BINARY,
        sort_keys=False,
    )


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in plistlib.loads(blob, fmt=plistlib.FMT_BINARY)]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return plistlib.dumps(data, fmt=plistlib.FMT_BINARY, sort_keys=False)


def loads(blob: bytes) -> Any:
    return plistlib.loads(blob, fmt=plistlib.FMT_BINARY)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
