from dataclasses import dataclass
from typing import Any, List

import jsons
import orjson


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


def encode(clients: List[Client]) -> bytes:
    return orjson.dumps(jsons.dump(clients))


def decode(blob: bytes) -> List[Client]:
    return jsons.load(orjson.loads(blob), List[Client])


def dump(clients: List[Client]) -> Any:
    return jsons.dump(clients)


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> List[Client]:
    return jsons.load(data, List[Client])
