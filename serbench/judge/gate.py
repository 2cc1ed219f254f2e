"""A candidate beside its baseline: slower beyond a threshold, proven not to be, or undecided."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from serbench.judge import statistics
from serbench.judge.control import cell_name
from serbench.judge.ranking import holm
from serbench.judge.rows import MEASURED, run_priors
from serbench.judge.waves import Samples, cell_waves, paired_ratios
from serbench.results import Cell

GateVerdict = Literal["slower", "fine", "undecided", "broken", "missing"]


@dataclass(frozen=True)
class Check:
    """One case and operation: the candidate's time over the baseline's, with its 95 % interval over waves.

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
    cells: Sequence[Cell], samples: Samples, baseline: Collection[int], candidate: Collection[int], threshold: float
) -> tuple[Check, ...]:
    """Compare the candidate's cells (ids) with the baseline's, matched by data, codec, variant and operation.

    If each side has one variant only, the two variants may differ.

    `threshold` is the slowdown that matters: 0.05 is 5 %.
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
    return tuple(_check(cell, e, other, p, threshold) for (cell, e, other), p in zip(compared, slower, strict=True))


def _check(cell: Cell, change: statistics.Estimate | None, other: Cell, p: float, threshold: float) -> Check:
    verdict: GateVerdict = "undecided"
    if change is None:
        failed = cell if cell.status not in MEASURED else other
        if failed.status == "unsupported":
            verdict = "missing"
        elif other.status in MEASURED and cell.status not in (*MEASURED, "unavailable"):
            verdict = "broken"
        return Check(cell, verdict, reason=f"{cell_name(failed)}: {failed.reason or failed.status}")
    if p < 0.05:
        verdict = "slower"
    elif change.high < math.log1p(threshold):
        verdict = "fine"
    low, high = math.exp(change.low), math.exp(change.high)
    return Check(cell, verdict, math.exp(change.mean), low, high, change.waves)
