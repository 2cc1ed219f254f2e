"""A run as files: `run.json` with its facts, and cells, raw samples and sources as Parquet, to be published.

Everything that a table shows is computed from these files again, as it is from the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.engine.results import Cell, Point, Sample
from serbench.files import schema
from serbench.store.errors import StoreError
from serbench.store.runs import RunInfo, StoredRun

if TYPE_CHECKING:
    from serbench.files import Content

FACTS = "run.json"
PATHS = ("payload", "schema", "model")
"""What of a plan names files of one machine: of these the name alone is published."""


def as_files(run: StoredRun) -> dict[str, Content]:
    """What a published run consists of, by the names of its files: a text, and tables of Arrow.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow as pa

    facts = asdict(run.info)
    facts["plan"] = {key: _name(value) if key in PATHS else value for key, value in run.info.plan.items()}
    return {
        FACTS: json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        "cells.parquet": pa.Table.from_pylist(
            [_flat(cell) for cell in run.cells], schema(Point, Cell, apart_from="point")
        ),
        "samples.parquet": pa.table({name: _column(run.samples, name) for name in Sample._fields}),
        "sources.parquet": pa.table({"sha256": list(run.sources), "text": list(run.sources.values())}),
    }


def read_run(folder: Path) -> StoredRun:
    """The run that `as_files` gives.

    Raises:
        StoreError: the folder holds none, or one of its files is damaged, or pyarrow is not installed.
    """
    try:
        import numpy as np
        import pyarrow.parquet as pq

        info = RunInfo(**json.loads((folder / FACTS).read_text(encoding="utf-8")))
        cells = [_cell(row) for row in pq.read_table(folder / "cells.parquet").to_pylist()]
        table = pq.read_table(folder / "samples.parquet")
        samples = np.empty(table.num_rows, [(name, np.int64) for name in Sample._fields])
        for name in Sample._fields:
            samples[name] = table[name].to_numpy()
        sources = pq.read_table(folder / "sources.parquet").to_pylist()
    except ImportError:
        raise StoreError("published runs are Parquet, which takes pyarrow: pip install 'serbench[report]'") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreError(f"{folder} holds no run that can be read ({error}); `serbench report` writes one") from None
    return StoredRun(info, cells, samples, {row["sha256"]: row["text"] for row in sources})


def _name(path: Any) -> Any:
    return Path(path).name if path else path


def _flat(cell: Cell) -> dict[str, Any]:
    facts = asdict(cell)
    return {**facts.pop("point"), **facts}


def _cell(row: Mapping[str, Any]) -> Cell:
    facts = dict(row)
    return Cell(point=Point(**{field.name: facts.pop(field.name) for field in fields(Point)}), **facts)


def _column(samples: Any, name: str) -> Any:
    """A field of the samples, which are a structured array or tuples."""
    if hasattr(samples, "dtype"):
        return samples[name]
    place = Sample._fields.index(name)
    return [sample[place] for sample in samples]
