"""Parquet: columns encoded and compressed in row groups, the file format of data lakes.

- A timedelta has no type of Parquet's own, and is a number of seconds.
"""

from __future__ import annotations

from serbench.render.codec import Codec, Format
from serbench.render.reading.columnar import DOCS, codec, with_polars, writer

_DOCS = f"{DOCS}/parquet.html"
_PARQUET = codec(
    _DOCS,
    writer("parquet.write_table"),
    (
        "to_parquet({})",
        "parquet.read_table(pyarrow.BufferReader({}))",
        "parquet.read_table(pyarrow.BufferReader({})).to_pandas()",
    ),
    "parquet",
    {"timedelta"},
)


def _compressed(how: str) -> Codec:
    page = f"{_DOCS}#compression-encoding-and-file-compatibility"
    return _PARQUET.tuned(
        f"compression={how}", page, functions=(writer("parquet.write_table", f', compression="{how}"'),)
    )


FORMAT = Format(
    name="parquet",
    summary="columns encoded and compressed in row groups",
    codecs=(_PARQUET, _compressed("none"), _compressed("zstd")),
    readers={"polars": with_polars("read_parquet")},
    typed=True,
)
