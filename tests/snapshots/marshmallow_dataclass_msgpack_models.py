from dataclasses import dataclass
from typing import Any

import msgpack
from marshmallow_dataclass import class_schema


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


ClientSchema = class_schema(Client)
schema = ClientSchema(many=True)


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(schema.dump(clients))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = schema.load(msgpack.unpackb(blob))
    return clients


def dump(clients: list[Client]) -> Any:
    return schema.dump(clients)


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = schema.load(data)
    return clients
