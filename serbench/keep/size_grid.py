"""Size grids: published runs of one workload at many sizes and depths, each as one small file of rows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from serbench.errors import checked, parsed
from serbench.judge.column_data import by_column, from_columns
from serbench.judge.rows import Row
from serbench.keep.checking import checked_sheet
from serbench.keep.run import Run
from serbench.results import Origin

SIZE_GRIDS = "size-grids"
"""The folder of all size grids, which has one for each of their conditions, and in it one for each workload."""
ROWS = "rows.json.gz"
SIZES = (1, 5, 20, 100, 500)
DEEPER = (0, 1, 3, 6)
"""Levels beyond a workload's least depth."""


@dataclass(frozen=True)
class Measuring:
    """What a published file says of its run beside the rows."""

    gc: Literal["on", "off"] = "on"
    control: Mapping[str, float | None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def size_grid_folder(data: Path, conditions: str, workload: str) -> Path:
    """Where a size grid is published."""
    return data / SIZE_GRIDS / conditions / workload


def packed(run: Run) -> bytes:
    """A run's rows and origin, compressed: the same bytes each time."""
    info = run.info
    content = {
        "run": info.id,
        "date": info.started,
        "command": info.command,
        "machine": dict(info.machine),
        "versions": dict(info.versions),
        "gc": str(info.plan.get("gc", "on")),
        "control": run.to_data()["control"],
        "columns": by_column(run.rows),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), 9, mtime=0)


def unpacked(content: bytes) -> tuple[Origin, list[Row], Measuring]:
    """The origin of a size grid, its rows, and how they were measured.

    Raises:
        OSError, EOFError, zlib.error, ValueError: the file is damaged or of another form.
    """
    data = parsed(gzip.decompress(content), ROWS)
    info, rows = checked_sheet(data, lambda data: from_columns(data["columns"]), ROWS)
    return info, rows, checked(Measuring, data, ROWS)
