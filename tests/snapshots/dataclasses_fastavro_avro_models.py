from dataclasses import dataclass
from io import BytesIO
from typing import Any

import fastavro


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


SCHEMA = fastavro.parse_schema(
    {
        "type": "array",
        "items": {
            "type": "record",
            "name": "Client",
            "fields": [
                {
                    "name": "user",
                    "type": {
                        "type": "record",
                        "name": "User",
                        "fields": [
                            {"name": "fullname", "type": "string"},
                            {"name": "email", "type": "string"},
                        ],
                    },
                },
                {"name": "last_contact", "type": "string"},
            ],
        },
    }
)


def to_avro(data: Any) -> bytes:
    stream = BytesIO()
    fastavro.schemaless_writer(stream, SCHEMA, data)
    return stream.getvalue()


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return to_avro([dump_client(item) for item in clients])


def decode(blob: bytes) -> list[Client]:
    data: Any = fastavro.schemaless_reader(BytesIO(blob), SCHEMA, None)
    return [load_client(item) for item in data]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return to_avro(data)


def loads(blob: bytes) -> Any:
    return fastavro.schemaless_reader(BytesIO(blob), SCHEMA, None)


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
