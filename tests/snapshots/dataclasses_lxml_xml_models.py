import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


NAME = re.compile(r"(?!xml)[A-Za-z_][A-Za-z0-9_.-]*", re.IGNORECASE)
CONVERT: dict[str, Callable[[str], Any]] = {
    "bool": "true".__eq__,
    "float": float,
    "int": int,
}


def to_element(name: str, value: Any) -> Any:
    if NAME.fullmatch(name):
        element = etree.Element(name)
    else:
        element = etree.Element("entry", key=name)
    if isinstance(value, str):
        element.text = value
    elif isinstance(value, dict):
        element.set("type", "object")
        element.extend([to_element(key, item) for key, item in value.items()])
    elif isinstance(value, (list, tuple)):
        element.set("type", "array")
        element.extend([to_element("item", item) for item in value])
    elif isinstance(value, bool):
        element.set("type", "bool")
        element.text = "true" if value else "false"
    elif value is None:
        element.set("type", "null")
    else:
        element.set("type", type(value).__name__)
        element.text = repr(value)
    return element


def from_element(element: Any) -> Any:
    kind = element.get("type")
    if kind is None:
        return element.text or ""
    if kind == "object":
        return {item.get("key", item.tag): from_element(item) for item in element}
    if kind == "array":
        return [from_element(item) for item in element]
    if kind == "null":
        return None
    return CONVERT[kind](element.text)


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return etree.tostring(
        to_element("document", [dump_client(item) for item in clients])
    )


def decode(blob: bytes) -> list[Client]:
    return [load_client(item) for item in from_element(etree.fromstring(blob))]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return etree.tostring(to_element("document", data))


def loads(blob: bytes) -> Any:
    return from_element(etree.fromstring(blob))


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
