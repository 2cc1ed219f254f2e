from dataclasses import dataclass
from typing import Any

import orjson
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
    return orjson.dumps(dumper.dump(clients, list[Client]))


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = loader.load(orjson.loads(blob), list[Client])
    return clients


def dump(clients: list[Client]) -> Any:
    return dumper.dump(clients, list[Client])


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = loader.load(data, list[Client])
    return clients
