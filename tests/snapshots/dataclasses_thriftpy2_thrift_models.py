from dataclasses import dataclass
from io import StringIO
from typing import Any

from thriftpy2 import utils
from thriftpy2.parser.parser import parse_fp
from thriftpy2.protocol import TCyBinaryProtocolFactory


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


IDL = """
struct User {
  1: required string fullname
  2: required string email
}

struct Client {
  1: required User user
  2: required string last_contact
}

struct TheDocument {
  1: required list<Client> items
}
"""
idl = parse_fp(StringIO(IDL), "schema_thrift", enable_cache=False)


def to_user(data: Any) -> Any:
    return idl.User(fullname=data["fullname"], email=data["email"])


def to_client(data: Any) -> Any:
    return idl.Client(user=to_user(data["user"]), last_contact=data["last_contact"])


def from_user(struct: Any) -> Any:
    return {"fullname": struct.fullname, "email": struct.email}


def from_client(struct: Any) -> Any:
    return {"user": from_user(struct.user), "last_contact": struct.last_contact}


def to_items(data: Any) -> Any:
    return idl.TheDocument(items=[to_client(item) for item in data])


def from_items(struct: Any) -> Any:
    return [from_client(item) for item in struct.items]


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return utils.serialize(
        to_items([dump_client(item) for item in clients]), TCyBinaryProtocolFactory()
    )


def decode(blob: bytes) -> list[Client]:
    return [
        load_client(item)
        for item in from_items(
            utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())
        )
    ]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return utils.serialize(to_items(data), TCyBinaryProtocolFactory())


def loads(blob: bytes) -> Any:
    return from_items(
        utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())
    )


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
