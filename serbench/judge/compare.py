"""Two stored runs side by side: the cases that changed against a common reference, and those for which this is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from serbench.judge import statistics
from serbench.judge.control import cell_name
from serbench.judge.ranking import holm
from serbench.judge.rows import MEASURED
from serbench.judge.statistics import Estimate
from serbench.judge.waves import CellWaves, cell_waves, shared_ratios
from serbench.results import Cell, MeasuredRun, Point, grouped

CellKey = tuple[Point, str, tuple[str, str, str, str, str]]
ChangeVerdict = Literal["faster", "slower", "same", "undecided", "reference", "missing"]
SAME = 0.05
"""A change that is certain to be within this is called "same"; what could be larger is undecided."""


@dataclass(frozen=True)
class Change:
    """A case in run B beside the same case in run A.

    Attributes:
        cell: the case's in run A, or in run B if A lacks it.
        verdict: "faster" and "slower" are proven to exceed 1 %, with Holm's correction over all cases; "same" is
            certain to be within 5 %.
        base: the case by which the time is divided in each run.
        change, change_low, change_high: the time in B over that in A, both divided by the base, with its 95 %
            interval by Welch's method: 1.05 is 5 % slower.
        source_changed: True if the runs measured different modules.
        reason: why the change is unknown.
    """

    cell: Cell
    verdict: ChangeVerdict
    base: str | None = None
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    p_value: float | None = None
    source_changed: bool = False
    version_a: str | None = None
    version_b: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class _Side:
    cells: dict[CellKey, Cell]
    waves: dict[int, CellWaves]

    def times(self, key: CellKey) -> dict[int, float]:
        cell = self.cells.get(key)
        if cell is None or cell.status not in MEASURED or cell.id not in self.waves:
            return {}
        return self.waves[cell.id].log_times

    def clock(self, key: CellKey) -> str:
        return self.waves[self.cells[key].id].clock

    def ratios(self, key: CellKey, base: CellKey) -> list[float]:
        """Log ratios to the base by wave."""
        return list(shared_ratios(*(self.waves[self.cells[one].id] for one in (key, base))).values())


def changes(run_a: MeasuredRun, run_b: MeasuredRun, least: float = 0.0) -> list[Change]:
    """The change of each case from run A to run B, the proven ones first; what is below `least` is noise.

    Only ratios are compared, never nanoseconds of two runs.
    """
    a, b = _side(run_a), _side(run_b)
    keys = list(dict.fromkeys([*a.cells, *b.cells]))
    common = [key for key in keys if a.times(key) and b.times(key)]
    bases = _bases(a, b, common)
    values = {key: (a.ratios(key, bases[key[:2]]), b.ratios(key, bases[key[:2]])) for key in common}
    compared = [key for key in common if key != bases[key[:2]] and all(values[key]) and a.clock(key) == b.clock(key)]
    sides: list[list[Estimate]] = []
    for side in (0, 1):
        ratios = [values[key][side] for key in compared]
        prior = statistics.fit_prior(ratios, references=len(bases))
        sides.append([statistics.estimate(logs, prior) for logs in ratios])
    estimates = dict(zip(compared, map(statistics.change, *sides), strict=True))
    p_values = holm([statistics.p_beyond(estimates[key]) for key in compared])
    proven = dict(zip(compared, map(float, p_values), strict=True))
    changed = [
        _changed(key, a, b, base=bases[key[:2]], change=estimates[key], p_value=proven[key], least=least)
        if key in estimates
        else _unchanged(key, a, b, bases.get(key[:2]))
        for key in keys
    ]
    order = ("slower", "faster", "undecided", "same", "reference", "missing")
    return sorted(changed, key=lambda change: order.index(change.verdict))


def _side(run: MeasuredRun) -> _Side:
    shown = {(cell.point, cell.operation, cell.case.key): cell for cell in run.cells if not cell.control}
    return _Side(shown, cell_waves(run.cells, run.samples))


def _bases(a: _Side, b: _Side, common: Sequence[CellKey]) -> dict[tuple[Point, str], CellKey]:
    """For each point and operation the case that both runs are divided by: A's reference, B's, or the best known."""

    def fitness(key: CellKey) -> tuple[bool, bool, int]:
        return a.cells[key].reference, b.cells[key].reference, min(len(a.times(key)), len(b.times(key)))

    return {
        point_and_operation: max(keys, key=fitness)
        for point_and_operation, keys in grouped(common, lambda key: key[:2]).items()
    }


def _changed(
    key: CellKey, a: _Side, b: _Side, *, base: CellKey, change: Estimate, p_value: float, least: float
) -> Change:
    low, middle, high = (math.exp(value) for value in (change.low, change.mean, change.high))
    widest = max(high - 1, 1 - low)
    verdict: ChangeVerdict = "undecided"
    if p_value <= 0.05 and abs(change.mean) > math.log1p(least):
        verdict = "slower" if middle > 1 else "faster"
    elif widest <= SAME:
        verdict = "same"
    figures = {"change": middle, "change_low": low, "change_high": high, "p_value": p_value}
    return _change(key, a, b, verdict, base=cell_name(a.cells[base]), **figures)


def _unchanged(key: CellKey, a: _Side, b: _Side, base: CellKey | None) -> Change:
    if base == key:
        return _change(key, a, b, "reference", base=cell_name(a.cells[key]))
    only = [f"only in run {name}" for name, side in (("A", b), ("B", a)) if key not in side.cells]
    reasons = [f"run {name}: {why}" for name, side in (("A", a), ("B", b)) if (why := _absence(side, key))]
    reason = "; ".join([*only, *reasons])
    if not reason and a.clock(key) != b.clock(key):
        reason = f"run A timed it by the {a.clock(key)} clock, run B by the {b.clock(key)} clock"
    reason = reason or "no wave has it together with the common reference"
    return _change(key, a, b, "missing", reason=reason)


def _absence(side: _Side, key: CellKey) -> str | None:
    cell = side.cells.get(key)
    if cell is None or side.times(key):
        return None
    return f"{cell.status}{f': {cell.reason}' if cell.reason else ', no sample'}"


def _change(key: CellKey, a: _Side, b: _Side, verdict: ChangeVerdict, **facts: Any) -> Change:
    one, other = a.cells.get(key), b.cells.get(key)
    known = [cell for cell in (one, other) if cell is not None]
    changed = len({cell.source_sha256 for cell in known if cell.source_sha256}) > 1
    version_a, version_b = (cell.version if cell else None for cell in (one, other))
    return Change(known[0], verdict, source_changed=changed, version_a=version_a, version_b=version_b, **facts)
