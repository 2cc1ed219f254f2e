"""Files that are whole or as they were before: text, and Parquet whose columns are those of dataclasses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def write_text(path: Path, text: str) -> Path:
    """The text, in the place of what was there.

    Raises:
        OSError: it cannot be written; what was there stays.
    """
    return _settled(path, lambda beside: beside.write_text(text, encoding="utf-8", newline="\n"))


def write_table(path: Path, table: pa.Table) -> Path:
    """The table as Parquet, in the place of what was there; raises as `write_text` does."""
    import pyarrow.parquet as pq

    return _settled(path, lambda beside: pq.write_table(table, beside, compression="zstd", compression_level=19))


def schema(*shapes: type, apart_from: str = "", about: Mapping[str, str] | None = None) -> pa.Schema:
    """The columns of dataclasses by their annotations, so that a column without values has its type too.

    `about` are facts of the whole table, kept as its metadata.
    """
    import pyarrow as pa

    kinds = {"int": pa.int64(), "bool": pa.bool_(), "float": pa.float64()}
    columns = [field for shape in shapes for field in fields(shape) if field.name != apart_from]
    named = [(field.name, kinds.get(str(field.type).removesuffix(" | None"), pa.string())) for field in columns]
    return pa.schema(named, metadata=dict(about or {}))


def _settled(path: Path, write: Any) -> Path:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(beside)
        return beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
