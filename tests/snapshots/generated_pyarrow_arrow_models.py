from typing import Any

import pyarrow
from pyarrow import ipc

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


def to_stream(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def encode(clients: pyarrow.Table) -> bytes:
    return to_stream(clients)


def decode(blob: bytes) -> pyarrow.Table:
    return ipc.open_stream(blob).read_all()


def build(values: Any) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(values, schema=SCHEMA)


def plain(clients: pyarrow.Table) -> Any:
    return clients.to_pylist(maps_as_pydicts="strict")
