from typing import Any

import pyarrow
from pyarrow import feather

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


def to_feather(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    feather.write_feather(table, sink)
    return sink.getvalue().to_pybytes()


def encode(clients: pyarrow.Table) -> bytes:
    return to_feather(clients)


def decode(blob: bytes) -> pyarrow.Table:
    return feather.read_table(pyarrow.BufferReader(blob))


def build(values: Any) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(values, schema=SCHEMA)


def plain(clients: pyarrow.Table) -> Any:
    return clients.to_pylist(maps_as_pydicts="strict")
