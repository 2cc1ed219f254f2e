"""A stored run as a value, and as files to be published: `run.json` with its facts, and cells, raw samples and sources as Parquet.

Tables are computed from these files as they are from the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from serbench.judge.samples import SAMPLE
from serbench.render.environments.files import schema
from serbench.results import CELL_COLUMNS, Cell, MeasuredRun, Origin, Sample

if TYPE_CHECKING:
    from serbench.render.environments.files import Content

FACTS = "run.json"
PATHS = ("payload", "schema", "model")
"""Parts of a plan that are paths on one machine; only the file's name is published."""
RunStatus = Literal["running", "finished", "interrupted"]


@dataclass(frozen=True)
class RunInfo(Origin):
    """A run without its measurements.

    Attributes:
        finished: ISO 8601 in UTC.
        status: stays "running" if the process was killed.
        serbench: the version that measured it.
        seconds: how long it took in all.
        cells: the number of cells.
        waves: the number of waves with samples.
        machines: name → facts of each machine, if blocks were measured elsewhere.
    """

    finished: str | None
    status: RunStatus
    plan: Any
    serbench: str
    warnings: list[str]
    seconds: float | None
    cells: int
    waves: int
    machines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def used_up(self) -> bool:
        """True if its budget ended it."""
        budget = self.plan.get("budget_s")
        return self.status == "interrupted" and budget is not None and (self.seconds or 0) >= budget


@dataclass(frozen=True)
class StoredRun(MeasuredRun):
    """A run with the measured modules by the sha256 of their text."""

    info: RunInfo
    sources: Mapping[str, str] = field(default_factory=dict)


def as_files(run: StoredRun) -> dict[str, Content]:
    """File name → content of a published run: a text, and Arrow tables.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import numpy as np
    import pyarrow as pa

    facts, samples = asdict(run.info), np.asarray(run.samples, SAMPLE)
    facts["plan"] = {key: Path(value).name if value and key in PATHS else value for key, value in run.info.plan.items()}
    return {
        FACTS: json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        "cells.parquet": pa.Table.from_pylist(
            [{name: getattr(cell, name) for name in CELL_COLUMNS} for cell in run.cells],
            schema(Cell, columns=CELL_COLUMNS),
        ),
        "samples.parquet": pa.table({name: samples[name] for name in Sample._fields}),
        "sources.parquet": pa.table({"sha256": list(run.sources), "text": list(run.sources.values())}),
    }
