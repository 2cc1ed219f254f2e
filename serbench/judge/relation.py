"""A row's time against another's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from serbench.judge.rows import Row

NOISY = 0.05
"""An A/A error above which a run says what differences it can show."""


@dataclass(frozen=True)
class Relation:
    """The `ratio` of two rows' times with its 95 % interval; no interval across runs."""

    ratio: float
    low: float | None = None
    high: float | None = None


def relation(row: Row, base: Row) -> Relation | None:
    """The time of a row over that of another; None if either was not measured.

    Rows of the same point and operation have ratios to one reference: the quotient of those has an interval,
    which is on the safe side because the reference's own luck is counted twice. Others are compared by their times and
    have no interval.
    """
    if row.time_ns is None or base.time_ns is None:
        return None
    same = (row.point, row.operation) == (base.point, base.operation)
    ratios = (row.ratio, row.ratio_low, row.ratio_high, base.ratio, base.ratio_low, base.ratio_high)
    if not same or any(value is None or value <= 0 for value in ratios):
        return Relation(row.time_ns / base.time_ns)
    if row == base:
        return Relation(1.0, 1.0, 1.0)
    figures = [value or 1.0 for value in ratios]
    return Relation(*quotient(figures[:3], figures[3:]))


def least_difference(*controls: Mapping[str, float | int | None]) -> float:
    """The smallest difference to trust in runs, as a part of the time: their A/A error if it is above 5 %, and else 0.

    `controls` are those of the runs; see `control`. What is smaller differs as much between two copies of one case.
    """
    worst = max((control.get("aa_error") or 0.0 for control in controls), default=0.0)
    return worst if worst > NOISY else 0.0


def is_proven(ratio: float | None, low: float | None, high: float | None, least: float = 0.0) -> bool:
    """Whether a ratio of two times, with its 95 % interval, proves a difference of more than `least`."""
    if ratio is None or low is None or high is None:
        return False
    return (low > 1 and ratio > 1 + least) or (high < 1 and ratio < 1 / (1 + least))


def is_slower(row: Row, base: Row, least: float = 0.0) -> bool:
    """Whether a row is proven slower than another of the same board; without ratios by their times."""
    compared = relation(row, base)
    if compared is None or compared.ratio <= 1 + least:
        return False
    if compared.low is None:
        return (row.time_ns_low or 0.0) > (base.time_ns_high or math.inf)
    return compared.low > 1


def quotient(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """The quotient of two independent figures, each a value with the ends of its interval, as such a figure."""
    value, low, high = map(math.log, one)
    base, base_low, base_high = map(math.log, other)
    half = math.hypot(high - low, base_high - base_low) / 2
    return math.exp(value - base), math.exp(value - base - half), math.exp(value - base + half)


def row_key(row: Row) -> str:
    """A key that identifies a row: its data, case and operation."""
    parts = (
        row.workload,
        row.conditions,
        row.records,
        row.depth,
        row.seed,
        row.library,
        row.variant,
        row.environment,
        row.version,
    )
    return "/".join(map(str, (*parts, row.codec, row.format, row.operation)))
