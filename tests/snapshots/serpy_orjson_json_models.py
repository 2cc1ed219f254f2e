from dataclasses import dataclass
from typing import Any

import orjson
import serpy


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


class UserSerializer(serpy.Serializer):
    fullname = serpy.Field()
    email = serpy.Field()


class ClientSerializer(serpy.Serializer):
    user = UserSerializer()
    last_contact = serpy.Field()


def encode(clients: list[Client]) -> bytes:
    return orjson.dumps(ClientSerializer(clients, many=True).data)


def dump(clients: list[Client]) -> Any:
    return ClientSerializer(clients, many=True).data


def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
