from dataclasses import dataclass
from typing import Any

import orjson
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
