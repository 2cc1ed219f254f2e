"""Two stored runs side by side: which cases changed against a common reference, and which cannot be told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from serbench import statistics
from serbench.analysis.control import cell_name
from serbench.analysis.rows import MEASURED
from serbench.analysis.waves import CellWaves, Samples, cell_waves
from serbench.engine.results import Cell, Point
from serbench.statistics import Estimate, Prior

if TYPE_CHECKING:
    from rich.console import Group

Key = tuple[Point, str, tuple[str, str, str, str, str]]
Verdict = Literal["faster", "slower", "same", "undecided", "reference", "missing"]
SAME = 0.05
"""A change that is certain to be within this is called "same"; what could be larger is undecided."""
SAME_MACHINE = ("cpu", "cores", "architecture", "system")


class MeasuredRun(Protocol):
    """What is compared: `store.StoredRun` is one."""

    @property
    def id(self) -> str:
        """The run's id."""

    @property
    def cells(self) -> Sequence[Cell]:
        """What was measured."""

    @property
    def samples(self) -> Samples:
        """The raw samples."""

    @property
    def machine(self) -> Mapping[str, Any]:
        """The fingerprint of the machine."""


@dataclass(frozen=True)
class Change:
    """A case in run B beside the same case in run A.

    `change` is the time in B over that in A, each first divided by the `base` case of its own run: 1.05 is
    5 % slower. Its 95 % interval is Welch's; "faster" and "slower" are proven to exceed 1 %, with Holm's
    correction over all cases. `reason` says why there is no figure; `source_changed` that the measured text
    is another one.
    """

    point: Point
    operation: str
    library: str
    variant: str
    environment: str
    codec: str
    format: str
    verdict: Verdict
    words: str
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
class Comparison:
    """The changes, the proven ones first, and what stands in the way of trusting them."""

    run_a: str
    run_b: str
    changes: list[Change]
    warnings: list[str]

    def to_data(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        return asdict(self)

    def __rich__(self) -> Group:
        """Rich's protocol: the table of changes."""
        from serbench.analysis.changes import comparison_table

        return comparison_table(self)

    def __str__(self) -> str:
        from serbench.analysis.tables import as_text

        return as_text(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The table as text, in a notebook as well."""
        return {"text/plain": str(self)}


@dataclass(frozen=True)
class _Side:
    cells: dict[Key, Cell]
    waves: dict[int, CellWaves]

    def times(self, key: Key) -> dict[int, float]:
        cell = self.cells.get(key)
        found = cell is not None and cell.status in MEASURED and cell.id in self.waves
        return self.waves[cell.id].log_times if cell is not None and found else {}

    def clock(self, key: Key) -> str:
        return self.waves[self.cells[key].id].clock

    def ratios(self, key: Key, base: Key) -> list[float]:
        """Log ratios to the base by wave: through the run's own reference where both have been beside it."""
        one, other = (self.waves[self.cells[k].id] for k in (key, base))
        shared = [value - other.log_ratios[w] for w, value in one.log_ratios.items() if w in other.log_ratios]
        return shared or [value - other.log_times[w] for w, value in one.log_times.items() if w in other.log_times]


def compare_runs(run_a: MeasuredRun, run_b: MeasuredRun) -> Comparison:
    """What changed from run A to run B, by ratios only: nanoseconds of two runs are never compared."""
    a, b = _side(run_a), _side(run_b)
    keys = list(dict.fromkeys([*a.cells, *b.cells]))
    common = [key for key in keys if a.times(key) and b.times(key)]
    bases = _bases(a, b, common)
    values = {key: (a.ratios(key, bases[key[:2]]), b.ratios(key, bases[key[:2]])) for key in common}
    compared = [key for key in common if key != bases[key[:2]] and all(values[key]) and a.clock(key) == b.clock(key)]
    prior_a, prior_b = (_prior([values[key][side] for key in compared], bases) for side in (0, 1))
    changes = {
        key: statistics.change(
            statistics.estimate(values[key][0], prior_a), statistics.estimate(values[key][1], prior_b)
        )
        for key in compared
    }
    p_values = statistics.holm([statistics.p_beyond(changes[key]) for key in compared])
    proven = dict(zip(compared, map(float, p_values), strict=True))
    found = [
        _changed(key, a, b, base=bases[key[:2]], change=changes[key], p_value=proven[key])
        if key in changes
        else _unchanged(key, a, b, bases.get(key[:2]))
        for key in keys
    ]
    order = ("slower", "faster", "undecided", "same", "reference", "missing")
    found.sort(key=lambda change: order.index(change.verdict))
    return Comparison(run_a.id, run_b.id, found, _warnings(run_a, run_b, a, b, bases))


def _side(run: MeasuredRun) -> _Side:
    shown = {(cell.point, cell.operation, cell.case): cell for cell in run.cells if not cell.control}
    return _Side(shown, cell_waves(run.cells, run.samples))


def _bases(a: _Side, b: _Side, common: Sequence[Key]) -> dict[tuple[Point, str], Key]:
    """For each point and operation the case that both runs are divided by: A's reference, B's, or the best known."""
    found: dict[tuple[Point, str], Key] = {}
    for place in dict.fromkeys(key[:2] for key in common):
        able = [key for key in common if key[:2] == place]
        found[place] = max(
            able,
            key=lambda key: (
                a.cells[key].reference,
                b.cells[key].reference,
                min(len(a.times(key)), len(b.times(key))),
            ),
        )
    return found


def _prior(values: Sequence[Sequence[float]], bases: Mapping[Any, Any]) -> Prior:
    return statistics.fit_prior(values, references=max(len(bases), 1))


def _changed(key: Key, a: _Side, b: _Side, *, base: Key, change: Estimate, p_value: float) -> Change:
    low, middle, high = (math.exp(value) for value in (change.low, change.mean, change.high))
    widest = max(high - 1, 1 - low)
    verdict: Verdict = "undecided"
    words = f"undecided: between {low - 1:+.1%} and {high - 1:+.1%}"
    if p_value <= 0.05:
        verdict = "slower" if middle > 1 else "faster"
        words = f"{verdict}: time {middle - 1:+.1%} ({low - 1:+.1%} to {high - 1:+.1%})"
    elif widest <= SAME:
        verdict, words = "same", f"same within ±{math.ceil(widest * 1000) / 10:.1f}%"
    return _change(
        key,
        a,
        b,
        verdict=verdict,
        words=words,
        base=cell_name(a.cells[base]),
        change=middle,
        change_low=low,
        change_high=high,
        p_value=p_value,
    )


def _unchanged(key: Key, a: _Side, b: _Side, base: Key | None) -> Change:
    if base == key:
        return _change(
            key, a, b, verdict="reference", words="what both runs are divided by", base=cell_name(a.cells[key])
        )
    reasons = [f"run {name}: {why}" for name, side in (("A", a), ("B", b)) if (why := _absence(side, key))]
    reason = "; ".join(reasons)
    if not reason and a.clock(key) != b.clock(key):
        reason = f"run A timed it by the {a.clock(key)} clock, run B by the {b.clock(key)} clock"
    reason = reason or "no wave has it together with the common reference"
    return _change(key, a, b, verdict="missing", words="not compared", reason=reason)


def _absence(side: _Side, key: Key) -> str | None:
    cell = side.cells.get(key)
    if cell is None:
        return "not part of it"
    if side.times(key):
        return None
    return f"{cell.status}{f': {cell.reason}' if cell.reason else ', no sample'}"


def _change(key: Key, a: _Side, b: _Side, **facts: Any) -> Change:
    one, other = a.cells.get(key), b.cells.get(key)
    sources = {cell.source_sha256 for cell in (one, other) if cell is not None and cell.source_sha256}
    point, operation, (library, variant, environment, codec, format_) = key
    return Change(
        point=point,
        operation=operation,
        library=library,
        variant=variant,
        environment=environment,
        codec=codec,
        format=format_,
        source_changed=len(sources) > 1,
        version_a=one.version if one else None,
        version_b=other.version if other else None,
        **facts,
    )


def _warnings(
    run_a: MeasuredRun, run_b: MeasuredRun, a: _Side, b: _Side, bases: Mapping[tuple[Point, str], Key]
) -> list[str]:
    found = []
    differing = [key for key in SAME_MACHINE if run_a.machine.get(key) != run_b.machine.get(key)]
    if differing:
        told = ", ".join(f"{key} {run_a.machine.get(key)} and {run_b.machine.get(key)}" for key in differing)
        found.append(f"the runs are from different machines ({told}): ratios may differ for that alone")
    if run_a.machine.get("python") != run_b.machine.get("python"):
        found.append(f"the runs used {run_a.machine.get('python')} and {run_b.machine.get('python')}")
    moved = [key for key in bases.values() if a.cells[key].version != b.cells[key].version]
    names = dict.fromkeys(f"{a.cells[k].library} {a.cells[k].version} and {b.cells[k].version}" for k in moved)
    found += [
        f"the common reference has two versions ({name}): where it changed, every ratio moves with it" for name in names
    ]
    if not bases:
        found.append("the runs have no measured case in common")
    return found
