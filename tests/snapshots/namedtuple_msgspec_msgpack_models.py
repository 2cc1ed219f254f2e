from typing import Any, NamedTuple

import msgspec


class User(NamedTuple):
    fullname: str
    email: str


class Client(NamedTuple):
    user: User
    last_contact: str


encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode([dump_client(item) for item in clients])


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in decoder.decode(blob)]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return encoder.encode(data)


def loads(blob: bytes) -> Any:
    return decoder.decode(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
