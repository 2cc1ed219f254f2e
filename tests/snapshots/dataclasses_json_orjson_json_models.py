from dataclasses import dataclass
from typing import Any

import orjson
from dataclasses_json import DataClassJsonMixin


@dataclass
class User(DataClassJsonMixin):
    fullname: str
    email: str


@dataclass
class Client(DataClassJsonMixin):
    user: User
    last_contact: str


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps([client.to_dict(encode_json=True) for client in clients])


def decode(blob: bytes) -> list[Client]:
    return [Client.from_dict(client) for client in orjson.loads(blob)]


def dump(clients: list[Client]) -> Any:
    return [client.to_dict(encode_json=True) for client in clients]


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return [Client.from_dict(client) for client in data]
