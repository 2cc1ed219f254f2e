from dataclasses import dataclass
from typing import Any

import bson
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, TypeDecoder, TypeRegistry
from bson.int64 import Int64


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


class IntDecoder(TypeDecoder):
    bson_type = Int64

    def transform_bson(self, value: Any) -> int:
        return int(value)


BSON_OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(
    tz_aware=True,
    uuid_representation=UuidRepresentation.STANDARD,
    type_registry=TypeRegistry([IntDecoder()]),
)


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return bson.encode(
        {"items": [dump_client(item) for item in clients]}, codec_options=BSON_OPTIONS
    )


def decode(blob: bytes) -> list[Client]:
    return [
        load_client(item)
        for item in bson.decode(blob, codec_options=BSON_OPTIONS)["items"]
    ]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return bson.encode({"items": data}, codec_options=BSON_OPTIONS)


def loads(blob: bytes) -> Any:
    return bson.decode(blob, codec_options=BSON_OPTIONS)["items"]


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
