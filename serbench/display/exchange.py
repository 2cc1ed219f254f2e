"""A run for other programs: CSV, a data frame, and the formats of pyperf and of the GitHub action for benchmarks."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from serbench.display import words
from serbench.display.escapes import lines_csv
from serbench.judge.rows import COLUMNS, Row, as_data
from serbench.judge.waves import Samples, cell_waves
from serbench.results import Cell, Origin, bracketed

if TYPE_CHECKING:
    import pandas as pd


def pyperf_text(cells: Sequence[Cell], samples: Samples, info: Origin) -> str:
    """JSON that `pyperf show` and `pyperf compare_to` read: a benchmark for each measured cell.

    Each wave is a run of its own with one value, the median of its rounds in seconds: pyperf would take rounds
    of one process for independent repetitions.
    """
    waves = cell_waves(cells, samples)
    benchmarks: list[dict[str, Any]] = []
    for cell in cells:
        if cell.control or cell.id not in waves or not waves[cell.id].log_times:
            continue
        values = [math.exp(value) / 1e9 for _, value in sorted(waves[cell.id].log_times.items())]
        facts = {
            "name": _name(cell),
            "loops": cell.loops,
            "unit": "second",
            "timer": f"{waves[cell.id].clock} time, median of a wave's rounds",
            "python_version": (cell.python or "").partition(" ")[2],
            "python_implementation": (cell.python or "").partition(" ")[0].lower(),
        }
        metadata = {name: value for name, value in facts.items() if value}
        benchmarks.append({"metadata": metadata, "runs": [{"values": [value]} for value in values]})
    about = {"date": info.started, "description": info.command}
    about |= {key: str(info.machine[name]) for key, name in _MACHINE.items() if name in info.machine}
    return json.dumps({"version": "1.0", "metadata": about, "benchmarks": benchmarks}) + "\n"


_MACHINE = {"cpu_model_name": "cpu", "platform": "system"}


def benchmark_action_text(rows: Sequence[Row]) -> str:
    """JSON for the action `benchmark-action/github-action-benchmark`, with its tool "customSmallerIsBetter".

    An entry for each measured row: nanoseconds per operation, with the interval's half-width as its range.
    """
    entries = [
        {
            "name": _name(row),
            "unit": "ns/op",
            "value": row.time_ns,
            "range": f"± {(row.time_ns_high - row.time_ns_low) / 2:.4g}",
            "extra": f"{words.ratio_label(row)}, {row.waves} waves, {row.work_class}, version {row.version}",
        }
        for row in rows
        if row.time_ns is not None and row.time_ns_low is not None and row.time_ns_high is not None
    ]
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def _name(one: Cell) -> str:
    """A name for a row in other tools, the same in every run and version that measures it: theirs are series of it."""
    codec = one.codec if one.codec == one.format else f"{one.codec} ({one.format})"
    where = "" if one.environment == "main" else f"@{one.environment}"
    data = f"{one.workload} {one.records} records depth {one.depth} {one.conditions}"
    return f"{one.operation} {data}: {one.library}{bracketed(one.variant)}{where} {codec}"


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a heading; None is an empty field."""
    return lines_csv(COLUMNS, (as_data(row).values() for row in rows))


def to_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a data frame; an empty one has all columns too."""
    import pandas as pd

    return pd.DataFrame([as_data(row) for row in rows], columns=list(COLUMNS))
