"""Arrow's IPC stream: columns as they lie in memory, which are read without copying."""

from __future__ import annotations

from serbench.render.codec import Format
from serbench.render.reading.columnar import DOCS, codec, with_polars

_WRITE = """def to_stream(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()"""

FORMAT = Format(
    name="arrow",
    summary="Arrow's IPC stream: columns as they lie in memory",
    codecs=(
        codec(
            f"{DOCS}/ipc.html",
            _WRITE,
            ("to_stream({})", "ipc.open_stream({}).read_all()", "ipc.open_stream({}).read_pandas()"),
            "ipc",
        ),
    ),
    readers={"polars": with_polars("read_ipc_stream")},
    typed=True,
)
