from typing import Any

import orjson


class User:
    def __init__(self, fullname: str, email: str) -> None:
        if not isinstance(fullname, str):
            raise TypeError(f"fullname: expected str, got {fullname!r}")
        if not isinstance(email, str):
            raise TypeError(f"email: expected str, got {email!r}")
        self.fullname = fullname
        self.email = email


class Client:
    def __init__(self, user: User, last_contact: str) -> None:
        if not isinstance(user, User):
            raise TypeError(f"user: expected User, got {user!r}")
        if not isinstance(last_contact, str):
            raise TypeError(f"last_contact: expected str, got {last_contact!r}")
        self.user = user
        self.last_contact = last_contact


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps([dump_client(item) for item in clients])


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in orjson.loads(blob)]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
