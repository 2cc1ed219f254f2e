from dataclasses import dataclass
from typing import Any

import orjson
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
    fullname = fields.String(required=True)
    email = fields.String(required=True)

    @post_load
    def make(self, data: dict[str, Any], **options: Any) -> User:
        return User(**data)


class ClientSchema(Schema):
    user = fields.Nested(UserSchema, required=True)
    last_contact = fields.String(required=True)

    @post_load
    def make(self, data: dict[str, Any], **options: Any) -> Client:
        return Client(**data)


schema = ClientSchema(many=True)


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(schema.dump(clients))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = schema.load(orjson.loads(blob))
    return clients


def dump(clients: list[Client]) -> Any:
    return schema.dump(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = schema.load(data)
    return clients
