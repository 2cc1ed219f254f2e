from tempfile import NamedTemporaryFile
from typing import Any

import capnp

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


def encode(clients: Any) -> bytes:
    return clients.to_bytes()


def decode(blob: bytes) -> Any:
    return from_bytes(blob)


def build(values: Any) -> Any:
    return Root.new_message(items=[to_client(item) for item in values])


def plain(clients: Any) -> Any:
    return [from_client(item) for item in clients.items]
