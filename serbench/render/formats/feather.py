"""Feather (version 2): Arrow's IPC file, compressed with LZ4 unless told otherwise."""

from __future__ import annotations

from serbench.render.codec import Format
from serbench.render.reading.columnar import DOCS, codec, with_polars, writer

_FEATHER = codec(
    f"{DOCS}/feather.html",
    writer("feather.write_feather"),
    (
        "to_feather({})",
        "feather.read_table(pyarrow.BufferReader({}))",
        "feather.read_feather(pyarrow.BufferReader({}))",
    ),
    "feather",
)

FORMAT = Format(
    name="feather",
    summary="Arrow's IPC file, compressed column by column",
    codecs=(
        _FEATHER,
        _FEATHER.tuned(
            "compression=uncompressed",
            f"{DOCS}/feather.html#using-compression",
            functions=(writer("feather.write_feather", ', compression="uncompressed"'),),
        ),
    ),
    readers={"polars": with_polars("read_ipc")},
    typed=True,
)
