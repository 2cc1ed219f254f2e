"""Growth of time with records and depth, and times between measured points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from operator import attrgetter
from typing import Any

from serbench.judge.rows import CaseFields, Row, case_of, differing_facts
from serbench.results import SIZES, grouped

MOST_LINES = 14


@dataclass(frozen=True)
class DepthLimit:
    """The deepest level at which a library worked, and the first beyond it that failed, with the reason.

    `row` is one of the library's rows, with the version, Python and environment that it was measured in.
    """

    row: Row
    deepest: int | None
    failed_at: int | None = None
    reason: str = ""


def depth_limits(rows: Iterable[Row]) -> list[DepthLimit]:
    """For each library and version the depths that it has reached, the deepest first.

    A limit is a failure, not a type that the library supports at no depth; a library that was tried at one depth
    and worked there is left out.
    """
    table = list(rows)
    several = differing_facts(table)
    shown: dict[Any, Row] = {}
    worked: dict[Any, set[int]] = {}
    failed: dict[Any, dict[int, str]] = {}
    for row in table:
        which = (row.library, *(getattr(row, name) for name in sorted(several[row.library])))
        if row.measured:
            worked.setdefault(which, set()).add(row.depth)
        elif row.status in ("failed", "crashed", "timeout", "memory"):
            failed.setdefault(which, {}).setdefault(row.depth, f"{row.status}: {row.reason}")
        shown.setdefault(which, row)
    limits = []
    for which in dict.fromkeys([*worked, *failed]):
        if len(worked.get(which, ())) == 1 and which not in failed:
            continue
        deepest = max(worked.get(which, ()), default=None)
        beyond = {d: why for d, why in failed.get(which, {}).items() if deepest is None or d > deepest}
        first = min(beyond, default=None)
        limits.append(DepthLimit(shown[which], deepest, first, "" if first is None else beyond[first]))
    return sorted(
        limits,
        key=lambda limit: (-(limit.deepest or 0), limit.failed_at or 0, limit.row.library, limit.row.version or ""),
    )


def series(rows: Sequence[Row], records: int, depth: int) -> dict[CaseFields, list[Row]]:
    """The measured rows of each case, the fastest case at the point first."""
    measured = grouped((row for row in rows if row.time_per_record_ns is not None), case_of)

    def speed(key: CaseFields) -> float:
        here = [r for r in measured[key] if (r.records, r.depth) == (records, depth)] or measured[key]
        return min(row.time_per_record_ns or 0 for row in here)

    order = sorted(measured, key=speed)
    if len(order) > MOST_LINES:
        fastest: dict[CaseFields, CaseFields] = {}
        for key in sorted(order, key=lambda key: -len(measured[key])):  # one that is known at more points tells more
            fastest.setdefault(key[:1] + key[2:4], key)
        order = sorted(fastest.values(), key=speed)[:MOST_LINES]
    return {key: measured[key] for key in order}


def along(rows: Iterable[Row], axis: str, other: int) -> list[Row]:
    """The rows along "records" at depth `other`, or along "depth" with `other` records."""
    fixed = {"records": "depth", "depth": "records"}[axis]
    return sorted((row for row in rows if getattr(row, fixed) == other), key=attrgetter(axis))


Corner = tuple[int, int]
Band = tuple[float, float, float]
"""A value, and the least and the most that it may be."""
RELATED = ("ratio", "ratio_low", "ratio_high", "rank", "first_probability")
UNKNOWN = (*SIZES, *RELATED, "waves", "samples", "mb_per_s", "source_sha256")
"""What is not known between measured points."""


def distance(point: Corner, records: int, depth: int) -> float:
    """How far a point is from another: a factor in depth changes more than the same factor in records."""
    return abs(log(point[0] / max(records, 1))) + 3 * abs(log(point[1] / max(depth, 1)))


def corners(points: Iterable[Corner], records: int, depth: int) -> list[Corner]:
    """The measured points around one that is not measured: the tightest pair along an axis, or four along both.

    Empty if the point itself is measured, or if there are none on each side of it.
    """
    known = set(points)
    if (records, depth) in known:
        return []
    along = [_sides(sorted({point[axis] for point in known}), value) for axis, value in ((0, records), (1, depth))]
    boxes = [[(size, level) for size in sizes for level in depths] for sizes in along[0] for depths in along[1]]
    able = [box for box in boxes if known.issuperset(box)]
    return min(able, key=lambda box: (distance(box[0], *box[-1]), len(box)), default=[])


def between(rows: Iterable[Row], records: int, depth: int) -> list[Row]:
    """A row for each case that is measured around a point, at its `corners`: its time there, with neither ratio nor rank.

    `rows` are of one machine, workload and operation; of several at one point the first counts. Time is taken to grow in
    a straight line; the interval holds that and, for records, a power of their number, for depth, a constant factor for
    each level.
    """
    interpolated = []
    for members in grouped((row for row in rows if row.measured), case_of).values():
        at = {(row.records, row.depth): row for row in reversed(members)}
        around = corners(at, records, depth)
        if not around:
            continue
        sizes, depths = (sorted({point[axis] for point in around}) for axis in (0, 1))
        along = {d: _at(records, [(size, _band(at[size, d])) for size in sizes], log) for d in depths}
        middle, low, high = _at(depth, list(along.items()), float)
        interpolated.append(_row(at[around[0]], records, depth, (middle, low, high)))
    return interpolated


def _sides(values: Sequence[int], value: int) -> list[list[int]]:
    """The value itself, if it is measured, and each pair of one below it and one above."""
    pairs = [[low, high] for low in values if low < value for high in values if high > value]
    return ([[value]] if value in values else []) + pairs


def _band(row: Row) -> Band:
    return (row.time_ns or 0.0, row.time_ns_low or 0.0, row.time_ns_high or 0.0)


def _at(value: float, ends: Sequence[tuple[int, Band]], curved: Callable[[float], float]) -> Band:
    """The band at a value between two ends, or at the only one; `curved` gives the axis on which its log is straight."""
    (first, low), (last, high) = ends[0], ends[-1]
    if first == last:
        return low
    straight = (value - first) / (last - first)
    bent = (curved(value) - curved(first)) / (curved(last) - curved(first))
    lines = [one + (other - one) * straight for one, other in zip(low, high, strict=True)]
    curves = [exp(log(one) + (log(other) - log(one)) * bent) for one, other in zip(low, high, strict=True)]
    return (lines[0], min(lines[1], curves[1]), max(lines[2], curves[2]))


def _row(row: Row, records: int, depth: int, time: Band) -> Row:
    middle, low, high = time
    times = {
        "time_ns": middle,
        "time_ns_low": low,
        "time_ns_high": high,
        "time_per_record_ns": middle / max(records, 1),
    }
    facts: dict[str, Any] = {**dict.fromkeys(UNKNOWN), **times, "records": records, "depth": depth}
    return replace(row, **facts, status="ok", reference=False, interpolated=True, also=())
