from dataclasses import dataclass
from typing import Any

import orjson
import typic


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


protocol = typic.protocol(list[Client])


def encode(clients: list[Client]) -> bytes:
    return protocol.encode(clients)


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = protocol.decode(blob)
    return clients


def dump(clients: list[Client]) -> Any:
    return protocol.primitive(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = protocol.transmute(data)
    return clients
