from dataclasses import dataclass
from typing import Any

import msgpack
from marshmallow import Schema, fields, post_load


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


class UserSchema(Schema):
    class Meta:
        ordered = True
        strict = True

    fullname = fields.String(required=True)
    email = fields.String(required=True)

    @post_load
    def make(self, data: dict[str, Any]) -> User:
        return User(**data)


class ClientSchema(Schema):
    class Meta:
        ordered = True
        strict = True

    user = fields.Nested(UserSchema, required=True)
    last_contact = fields.String(required=True)

    @post_load
    def make(self, data: dict[str, Any]) -> Client:
        return Client(**data)


schema = ClientSchema(many=True)


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(schema.dump(clients).data)


def decode(blob: bytes) -> list[Client]:
    data = msgpack.unpackb(blob)
    clients: list[Client] = schema.load(data).data
    return clients


def dump(clients: list[Client]) -> Any:
    return schema.dump(clients).data


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = schema.load(data).data
    return clients
