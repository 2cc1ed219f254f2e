from io import StringIO
from typing import Any

from thriftpy2 import utils
from thriftpy2.parser.parser import parse_fp
from thriftpy2.protocol import TCyBinaryProtocolFactory

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


def encode(clients: Any) -> bytes:
    return utils.serialize(clients, TCyBinaryProtocolFactory())


def decode(blob: bytes) -> Any:
    return utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())


def build(values: Any) -> Any:
    return to_items(values)


def plain(clients: Any) -> Any:
    return from_items(clients)
