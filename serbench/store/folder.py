"""A run as files: `run.json` with its facts, and cells, raw samples and sources as Parquet, to be published.

Tables are computed from these files as they are from the store.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from serbench.errors import StoreError
from serbench.results import Cell, Point, Sample, at_point, columns_of
from serbench.store.files import schema
from serbench.store.runs import SAMPLE, RunInfo, StoredRun

if TYPE_CHECKING:
    from serbench.store.files import Content

FACTS = "run.json"
CELL = columns_of(Cell)
PATHS = ("payload", "schema", "model")
"""Parts of a plan that are paths on one machine; only the file's name is published."""


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
            [{name: getattr(cell, name) for name in CELL} for cell in run.cells], schema(Point, Cell, columns=CELL)
        ),
        "samples.parquet": pa.table({name: samples[name] for name in Sample._fields}),
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
        cells = [Cell(**at_point(row)) for row in pq.read_table(folder / "cells.parquet").to_pylist()]
        table = pq.read_table(folder / "samples.parquet")
        samples = np.empty(table.num_rows, SAMPLE)
        for name in Sample._fields:
            samples[name] = table[name].to_numpy()
        sources = pq.read_table(folder / "sources.parquet").to_pylist()
    except ImportError:
        raise StoreError("published runs are Parquet, which takes pyarrow: pip install 'serbench[report]'") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StoreError(f"{folder} holds no run that can be read ({error}); `serbench report` writes one") from None
    return StoredRun(info, cells, samples, {row["sha256"]: row["text"] for row in sources})
