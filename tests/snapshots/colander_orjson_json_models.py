from typing import Any, TypedDict

import colander
import orjson


class User(TypedDict):
    fullname: str
    email: str


class Client(TypedDict):
    user: User
    last_contact: str


class UserSchema(colander.MappingSchema):
    fullname = colander.SchemaNode(colander.String(allow_empty=True))
    email = colander.SchemaNode(colander.String(allow_empty=True))


class ClientSchema(colander.MappingSchema):
    user = UserSchema()
    last_contact = colander.SchemaNode(colander.String(allow_empty=True))


schema = colander.SchemaNode(colander.Sequence(), ClientSchema())


def decode(blob: bytes) -> list[Client]:
    clients: list[Client] = schema.deserialize(orjson.loads(blob))
    return clients


def loads(blob: bytes) -> Any:
    return orjson.loads(blob)


def load(data: Any) -> list[Client]:
    clients: list[Client] = schema.deserialize(data)
    return clients
