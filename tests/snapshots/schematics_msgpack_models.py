from typing import Any

import msgpack
from schematics.models import Model
from schematics.types import ModelType, StringType


class User(Model):
    fullname = StringType(required=True)
    email = StringType(required=True)


class Client(Model):
    user = ModelType(User, required=True)
    last_contact = StringType(required=True)


def load_client(data: Any) -> Client:
    client = Client(data)
    client.validate()
    return client


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb([client.to_primitive() for client in clients])


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in msgpack.unpackb(blob)]


def dump(clients: list[Client]) -> Any:
    return [client.to_primitive() for client in clients]


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
