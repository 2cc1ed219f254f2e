"""Parquet: columns encoded and compressed in row groups, the file format of data lakes.

- A timedelta has no type of Parquet's own, and is a number of seconds.
"""

from __future__ import annotations

from serbench.formats import HUGE, Format
from serbench.formats.reading.columnar import DOCS, codec, with_polars


def _write(options: str = "") -> str:
    return f"""def to_parquet(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink{options})
    return sink.getvalue().to_pybytes()"""


_CALLS = (
    "to_parquet({})",
    "parquet.read_table(pyarrow.BufferReader({}))",
    "parquet.read_table(pyarrow.BufferReader({})).to_pandas()",
)
_DOCS = f"{DOCS}/parquet.html"

FORMAT = Format(
    name="parquet",
    summary="columns encoded and compressed in row groups",
    codecs=(
        codec("pyarrow", _DOCS, (_write(),), _CALLS, ("pyarrow:parquet",), {"timedelta"}),
        codec(
            "pyarrow[compression=none]",
            f"{_DOCS}#compression-encoding-and-file-compatibility",
            (_write(', compression="none"'),),
            _CALLS,
            ("pyarrow:parquet",),
            {"timedelta"},
        ),
        codec(
            "pyarrow[compression=zstd]",
            f"{_DOCS}#compression-encoding-and-file-compatibility",
            (_write(', compression="zstd"'),),
            _CALLS,
            ("pyarrow:parquet",),
            {"timedelta"},
        ),
    ),
    readers={"polars": with_polars("read_parquet")},
    typed=True,
    hostile={
        "2 GiB announced": lambda: b"PAR1" + b"\0" * 8 + HUGE.to_bytes(4, "little") + b"PAR1",
    },
)
