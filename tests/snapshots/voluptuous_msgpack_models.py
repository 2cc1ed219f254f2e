from typing import Any, TypedDict

import msgpack
import voluptuous as vol


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


valid_user = vol.Schema({vol.Required("fullname"): str, vol.Required("email"): str})
valid_client = vol.Schema(
    {vol.Required("user"): valid_user, vol.Required("last_contact"): str}
)
schema = vol.Schema([valid_client])


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = schema(msgpack.unpackb(blob))
    return clients


def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = schema(data)
    return clients
