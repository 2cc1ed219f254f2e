from dataclasses import dataclass
from tempfile import NamedTemporaryFile
from typing import Any

import capnp


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


SCHEMA = """\
@0xbb8ca94046dc2436;

struct User {
  fullname @0 :Text;
  email @1 :Text;
}

struct Client {
  user @0 :User;
  lastContact @1 :Text;
}

struct Document {
  items @0 :List(Client);
}
"""
with NamedTemporaryFile("w", suffix=".capnp") as file:
    file.write(SCHEMA)
    file.flush()
    COMPILED = capnp.SchemaParser().load(file.name)
Root = COMPILED.Document


def to_user(data: Any) -> dict[str, Any]:
    return {"fullname": data["fullname"], "email": data["email"]}


def to_client(data: Any) -> dict[str, Any]:
    return {"user": to_user(data["user"]), "lastContact": data["last_contact"]}


def from_user(struct: Any) -> dict[str, Any]:
    return {"fullname": struct.fullname, "email": struct.email}


def from_client(struct: Any) -> dict[str, Any]:
    return {"user": from_user(struct.user), "last_contact": struct.lastContact}


def from_bytes(blob: bytes) -> Any:
    return next(iter(Root.read_multiple_bytes(blob)))


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return Root.new_message(
        items=[to_client(item) for item in [dump_client(item) for item in clients]]
    ).to_bytes()


def decode(blob: bytes) -> list[Client]:
    return [
        load_client(item)
        for item in [from_client(item) for item in from_bytes(blob).items]
    ]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return Root.new_message(items=[to_client(item) for item in data]).to_bytes()


def loads(blob: bytes) -> Any:
    return [from_client(item) for item in from_bytes(blob).items]


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
