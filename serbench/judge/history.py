"""One library over its versions: the time of each over that of the first."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.judge import statistics
from serbench.judge.rows import Row, rows, run_priors
from serbench.judge.waves import Samples, cell_waves, shared_ratios
from serbench.results import Cell, grouped


@dataclass(frozen=True)
class Step:
    """A version's row, and its time over that of the first version that was measured.

    `change` is 1 for that version itself and None if the version was not measured; its 95 % interval is over the waves
    that measured both.
    """

    row: Row
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None


@dataclass(frozen=True)
class Series:
    """The versions of one library with one codec, for one operation on the same data, oldest first."""

    steps: tuple[Step, ...]


def version_series(cells: Sequence[Cell], samples: Samples, libraries: Collection[str]) -> list[Series]:
    """A series for each point, operation, codec and variant of these libraries."""
    shown = [cell for cell in cells if cell.library in libraries and not cell.control]
    row_of = {row.id: row for row in rows(cells, samples)}
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    groups = grouped(shown, lambda cell: (cell.point, cell.operation, cell.format, cell.codec, cell.variant))
    made = []
    for members in groups.values():
        members.sort(key=_age)
        first = next((cell for cell in members if cell.id in waves and waves[cell.id].log_times), None)
        steps = []
        for cell in members:
            row = row_of[cell.id]
            shared = shared_ratios(waves[cell.id], waves[first.id]) if first and row.measured else {}
            if cell is first and row.measured:
                steps.append(Step(row, 1.0, 1.0, 1.0))
            elif shared:
                change = statistics.estimate(list(shared.values()), prior)
                steps.append(Step(row, math.exp(change.mean), math.exp(change.low), math.exp(change.high)))
            else:
                steps.append(Step(row))
        made.append(Series(tuple(steps)))
    return made


def _age(cell: Cell) -> tuple[Any, ...]:
    from packaging.version import InvalidVersion, Version

    try:
        return (Version(cell.version or "0"), cell.python or "")
    except InvalidVersion:
        return (Version("0"), cell.python or "")
