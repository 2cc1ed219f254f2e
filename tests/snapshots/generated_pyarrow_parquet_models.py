from typing import Any

import pyarrow
from pyarrow import parquet

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


def encode(clients: pyarrow.Table) -> bytes:
    return to_parquet(clients)


def decode(blob: bytes) -> pyarrow.Table:
    return parquet.read_table(pyarrow.BufferReader(blob))


def build(values: Any) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(values, schema=SCHEMA)


def plain(clients: pyarrow.Table) -> Any:
    return clients.to_pylist(maps_as_pydicts="strict")
