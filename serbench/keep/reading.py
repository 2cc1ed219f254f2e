"""Reads the files of a published run, which anybody may have written."""

from __future__ import annotations

from pathlib import Path

from serbench.errors import StoreError, checked, installed_by, parsed
from serbench.judge.samples import SAMPLE
from serbench.keep.checking import check_samples, checked_cell, checked_run
from serbench.keep.folder import FACTS, StoredRun
from serbench.results import Sample


def read_run(folder: Path) -> StoredRun:
    """The run that `as_files` gives.

    Raises:
        StoreError: the folder holds none, or one of its files is damaged, or pyarrow is not installed.
    """
    try:
        import numpy as np
        import pyarrow.parquet as pq

        info = checked_run(parsed((folder / FACTS).read_text(encoding="utf-8"), FACTS), FACTS)
        cells = [checked_cell(row, "cells.parquet:") for row in pq.read_table(folder / "cells.parquet").to_pylist()]
        table = pq.read_table(folder / "samples.parquet")
        samples = np.empty(table.num_rows, SAMPLE)
        for name in Sample._fields:
            samples[name] = table[name].to_numpy()
        table = pq.read_table(folder / "sources.parquet")
        texts = dict(zip(table["sha256"].to_pylist(), table["text"].to_pylist(), strict=True))
        sources = checked(dict[str, str], texts, "sources.parquet")
        check_samples(samples)
    except ImportError:
        raise StoreError(f"published runs are Parquet, which needs pyarrow: {installed_by('report')}") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        why = " ".join(str(error).split())
        raise StoreError(f"{folder} has no readable run ({why}); `serbench report` writes one") from None
    return StoredRun(info, cells, samples, sources)
