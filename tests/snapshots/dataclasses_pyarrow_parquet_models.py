from dataclasses import dataclass
from typing import Any

import pyarrow
from pyarrow import parquet


@dataclass
class User:
    fullname: str
    email: str


@dataclass
class Client:
    user: User
    last_contact: str


SCHEMA = pyarrow.schema(
    [
        (
            "user",
            pyarrow.struct(
                [("fullname", pyarrow.string()), ("email", pyarrow.string())]
            ),
        ),
        ("last_contact", pyarrow.string()),
    ]
)


def to_parquet(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def dump_user(user: User) -> dict[str, Any]:
    return {"fullname": user.fullname, "email": user.email}


def dump_client(client: Client) -> dict[str, Any]:
    return {"user": dump_user(client.user), "last_contact": client.last_contact}


def load_user(data: dict[str, Any]) -> User:
    return User(fullname=data["fullname"], email=data["email"])


def load_client(data: dict[str, Any]) -> Client:
    return Client(user=load_user(data["user"]), last_contact=data["last_contact"])


def encode(clients: list[Client]) -> bytes:
    return to_parquet(
        pyarrow.Table.from_pylist(
            [dump_client(item) for item in clients], schema=SCHEMA
        )
    )


def decode(blob: bytes) -> list[Client]:
    return [
        load_client(item)
        for item in parquet.read_table(pyarrow.BufferReader(blob)).to_pylist(
            maps_as_pydicts="strict"
        )
    ]


def dump(clients: list[Client]) -> Any:
    return [dump_client(item) for item in clients]


def dumps(data: Any) -> bytes:
    return to_parquet(pyarrow.Table.from_pylist(data, schema=SCHEMA))


def loads(blob: bytes) -> Any:
    return parquet.read_table(pyarrow.BufferReader(blob)).to_pylist(
        maps_as_pydicts="strict"
    )


def load(data: Any) -> list[Client]:
    return [load_client(item) for item in data]
