from dataclasses import dataclass
from typing import Any

import msgpack
from lima import Schema, fields


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


class UserSchema(Schema):
    fullname = fields.String()
    email = fields.String()


class ClientSchema(Schema):
    user = fields.Embed(schema=UserSchema)
    last_contact = fields.String()


schema = ClientSchema(many=True)


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(schema.dump(clients))


def dump(clients: list[Client]) -> Any:
    return schema.dump(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)
