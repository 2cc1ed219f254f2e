from dataclasses import dataclass
from typing import Any

import msgpack
from typedload.datadumper import Dumper
from typedload.dataloader import Loader


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


loader = Loader()
dumper = Dumper(isodates=True, hidedefault=False)


def encode(clients: list[Client]) -> bytes:
    return msgpack.packb(dumper.dump(clients, list[Client]))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = loader.load(msgpack.unpackb(blob), list[Client])
    return clients


def dump(clients: list[Client]) -> Any:
    return dumper.dump(clients, list[Client])


def dumps(data: Any) -> bytes:
    return msgpack.packb(data)


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = loader.load(data, list[Client])
    return clients
