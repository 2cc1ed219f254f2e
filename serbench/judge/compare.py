"""Ratios between rows: two runs, a candidate and its baseline, a library over its versions."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from serbench.judge import statistics
from serbench.judge.control import cell_name
from serbench.judge.ranking import holm
from serbench.judge.rows import MEASURED, NOT_REACHED, Row, rows, run_priors
from serbench.judge.statistics import Estimate
from serbench.judge.waves import CellWaves, Samples, cell_waves, paired_ratios, shared_ratios
from serbench.results import Cell, MeasuredRun, Point, grouped

CellKey = tuple[Point, str, tuple[str, str, str, str, str]]
ChangeVerdict = Literal["faster", "slower", "same", "undecided", "reference", "missing"]
_TIE = math.exp(statistics.TIE)
SAME = 0.05
"""A change that is certain to be within this is called "same"; what could be larger is undecided."""


@dataclass(frozen=True)
class Change:
    """A case in run B beside the same case in run A.

    Attributes:
        cell: the case's in run A, or in run B if A lacks it.
        verdict: "faster" and "slower" are proven to exceed 1%, with Holm's correction over all cases; "same" is
            certain to be within 5%.
        base: the case by which the time is divided in each run.
        change, change_low, change_high: the time in B over that in A, both divided by the base, with its 95%
            interval by Welch's method: 1.05 is 5% slower.
        source_changed: True if the runs measured different modules.
        size_a, size_b: bytes of the document in each run.
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
    size_a: int | None = None
    size_b: int | None = None
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
    reason = reason or "no repetition has both it and the common baseline"
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
    for name, cell in (("a", one), ("b", other)):
        if cell is not None:
            facts |= {f"version_{name}": cell.version, f"size_{name}": cell.size_bytes}
    return Change(known[0], verdict, source_changed=changed, **facts)


GateVerdict = Literal["slower", "fine", "undecided", "broken", "missing"]


@dataclass(frozen=True)
class Check:
    """One case and operation: the candidate's time over the baseline's, with its 95% interval over waves.

    Attributes:
        cell: the candidate's.
        verdict: "slower" if a slowdown beyond the threshold is proven, with Holm's correction over all checks; "fine"
            if it is proven absent (the interval's upper end is below the threshold); "broken" if the candidate fails
            and the baseline does not; "missing" if one of them can have no such case; else "undecided".
        reason: why the change is unknown.
    """

    cell: Cell
    verdict: GateVerdict
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    waves: int | None = None
    reason: str | None = None


def gate_checks(
    cells: Sequence[Cell],
    samples: Samples,
    baseline: Collection[int],
    candidate: Collection[int],
    threshold: float,
    least: float = 0.0,
) -> tuple[Check, ...]:
    """Compare the candidate's cells (ids) with the baseline's, matched by data, codec, variant and operation.

    If each side has one variant only, the two variants may differ.

    `threshold` is the slowdown that matters: 0.05 is 5%. A change below `least` is noise, and proves no slowdown.
    """
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    by_id = {cell.id: cell for cell in cells}
    alone = all(len({by_id[number].variant for number in side}) == 1 for side in (baseline, candidate))

    def key(number: int) -> tuple[Any, ...]:
        cell = by_id[number]
        return (cell.point, cell.codec, cell.format, cell.operation, None if alone else cell.variant)

    old = {key(number): number for number in baseline}
    compared: list[tuple[Cell, statistics.Estimate | None, Cell]] = []
    bases = {number: old[key(number)] for number in candidate if key(number) in old}
    ratios = paired_ratios(cells, samples, bases, waves)
    for cell, other in ((by_id[number], by_id[base]) for number, base in bases.items()):
        if cell.status == other.status == "unsupported":  # as of a codec that only reads
            continue
        shared = ratios.get(cell.id, {}) if {cell.status, other.status} <= set(MEASURED) else {}
        compared.append((cell, statistics.estimate(list(shared.values()), prior) if shared else None, other))
    chances = [statistics.p_above(e, math.log1p(threshold)) if e else 1.0 for _, e, _ in compared]
    slower = list(holm(chances)) if chances else []
    return tuple(
        _check(cell, e, other, p, threshold, least) for (cell, e, other), p in zip(compared, slower, strict=True)
    )


def _check(
    cell: Cell, change: statistics.Estimate | None, other: Cell, p: float, threshold: float, least: float
) -> Check:
    verdict: GateVerdict = "undecided"
    if change is None:
        failed = cell if cell.status not in MEASURED else other
        if failed.status == "unsupported":
            verdict = "missing"
        elif other.status in MEASURED and cell.status not in (*MEASURED, "unavailable"):
            verdict = "broken"
        why = failed.reason or (NOT_REACHED if failed.status in MEASURED else failed.status)
        return Check(cell, verdict, reason=f"{cell_name(failed)}: {why}")
    if p < 0.05 and change.mean > math.log1p(least):
        verdict = "slower"
    elif change.high < math.log1p(threshold):
        verdict = "fine"
    low, high = math.exp(change.low), math.exp(change.high)
    return Check(cell, verdict, math.exp(change.mean), low, high, change.waves)


@dataclass(frozen=True)
class Step:
    """A version's row, and its time over that of the first version that was measured.

    `change` is 1 for that version itself and None if the version was not measured; its 95% interval is over the waves
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

    def parsed(text: str | None) -> Version:
        try:
            return Version((text or "0").rpartition(" ")[2])
        except InvalidVersion:
            return Version("0")

    return (parsed(cell.version), parsed(cell.python), cell.python or "")


NOISY = 0.05
"""An A/A error above which a run says what differences it can show."""


@dataclass(frozen=True)
class Relation:
    """The `ratio` of two rows' times with its 95% interval; no interval across runs."""

    ratio: float
    low: float | None = None
    high: float | None = None


def relation(row: Row, base: Row) -> Relation:
    """The time of a measured row over that of another.

    Rows of the same point and operation have ratios to one reference: the quotient of those has an interval,
    which is on the safe side because the reference's own luck is counted twice. Others are compared by their times and
    have no interval.
    """
    same = (row.point, row.operation) == (base.point, base.operation)
    ratios = (row.ratio, row.ratio_low, row.ratio_high, base.ratio, base.ratio_low, base.ratio_high)
    if not same or any(value is None or value <= 0 for value in ratios):
        assert row.time_ns is not None
        assert base.time_ns is not None
        return Relation(row.time_ns / base.time_ns)
    if row == base:
        return Relation(1.0, 1.0, 1.0)
    figures = [value or 1.0 for value in ratios]
    return Relation(*quotient(figures[:3], figures[3:]))


def least_difference(*controls: Mapping[str, float | int | None]) -> float:
    """The smallest difference to trust in runs, as a part of the time: their A/A error if it is above 5%, and else 0.

    `controls` are those of the runs; see `control`. What is smaller differs as much between two copies of one case.
    """
    worst = max((control.get("aa_error") or 0.0 for control in controls), default=0.0)
    return worst if worst > NOISY else 0.0


def is_proven(ratio: float | None, low: float | None, high: float | None, least: float = 0.0) -> bool:
    """Return whether a ratio of two times proves a difference: its 95% interval is beyond 1%, as in ranks, and it is above `least`."""
    if ratio is None or low is None or high is None:
        return False
    return (low > _TIE and ratio > 1 + least) or (high < 1 / _TIE and ratio < 1 / (1 + least))


def is_slower(row: Row, base: Row, least: float = 0.0) -> bool:
    """Whether a row is proven slower than another of the same board; without ratios by their times."""
    compared = relation(row, base)
    if compared.ratio <= 1 + least:
        return False
    if compared.low is None:
        return (row.time_ns_low or 0.0) > (base.time_ns_high or math.inf) * _TIE
    return compared.low > _TIE


def quotient(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """The quotient of two independent figures, each a value with the ends of its interval, as such a figure."""
    value, low, high = map(math.log, one)
    base, base_low, base_high = map(math.log, other)
    half = math.hypot(high - low, base_high - base_low) / 2
    return math.exp(value - base), math.exp(value - base - half), math.exp(value - base + half)
