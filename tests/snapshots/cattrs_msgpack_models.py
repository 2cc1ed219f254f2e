from typing import Any

import attrs
import msgpack
from cattrs.preconf.msgpack import make_converter


@attrs.define
class User:
    fullname: str
    email: str


@attrs.define
class Client:
    user: User
    last_contact: str


converter = make_converter()


def encode(clients: list[Client]) -> bytes:
    return converter.dumps(clients, list[Client])


def decode(blob: bytes) -> list[Client]:
    return converter.loads(blob, list[Client])


def dump(clients: list[Client]) -> Any:
    return converter.unstructure(clients, list[Client])


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    return converter.structure(data, list[Client])
