from dataclasses import dataclass
from typing import Any

import orjson
from adaptix import Retort


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


retort = Retort()
load_document = retort.get_loader(list[Client])
dump_document = retort.get_dumper(list[Client])


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(dump_document(clients))


def decode(blob: bytes) -> list[Client]:
    return load_document(orjson.loads(blob))


def dump(clients: list[Client]) -> Any:
    return dump_document(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    return load_document(data)
