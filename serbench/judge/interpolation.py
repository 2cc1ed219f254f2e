"""Times between measured points: what they would be if time grew evenly, with a band that holds several ways to grow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import exp, log
from typing import Any

from serbench.judge.rows import Row, case_of
from serbench.results import Point, Sizes, grouped

Corner = tuple[int, int]
Band = tuple[float, float, float]
"""A value, and the least and the most that it may be."""


def corners(points: Iterable[Corner], records: int, depth: int) -> list[Corner]:
    """The measured points next to one that is not measured, below and above along each axis.

    Empty if the point itself is measured, lies outside of all points, or one of its neighbours is missing.
    """
    known = set(points)
    sizes = _around(sorted({size for size, _ in known}), records)
    depths = _around(sorted({level for _, level in known}), depth)
    around = [(size, level) for size in sizes for level in depths]
    return around if (records, depth) not in known and known.issuperset(around) else []


def between(rows: Sequence[Row], records: int, depth: int) -> list[Row]:
    """A row for each case that is measured at all neighbours of a point: its time there, with neither ratio nor rank.

    `rows` are of one run, workload and operation, at the points of `corners`. Time is taken to grow in a straight line;
    the interval holds that and, for records, a power of their number, for depth, a constant factor for each level.
    """
    interpolated = []
    for members in grouped((row for row in rows if row.measured), case_of).values():
        at = {(row.records, row.depth): row for row in members}
        sizes, depths = (sorted({point[axis] for point in at}) for axis in (0, 1))
        if (
            len(at) < len(sizes) * len(depths)
            or not sizes[0] <= records <= sizes[-1]
            or not depths[0] <= depth <= depths[-1]
        ):
            continue
        along = {d: _at(records, [(size, _band(at[size, d])) for size in sizes], log) for d in depths}
        middle, low, high = _at(depth, list(along.items()), float)
        interpolated.append(_row(members[0], records, depth, (middle, low, high)))
    return interpolated


def _around(values: Sequence[int], value: int) -> list[int]:
    """The values next to one: itself, or those below and above; empty if there is none on a side."""
    index = bisect_left(values, value)
    if index < len(values) and values[index] == value:
        return [value]
    return list(values[index - 1 : index + 1]) if 0 < index < len(values) else []


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
    none: dict[str, Any] = dict.fromkeys(
        ("ratio", "ratio_low", "ratio_high", "rank", "first_probability", "waves", "samples", "mb_per_s")
    )
    return replace(
        row,
        **none,
        sizes=Sizes(),
        source_sha256=None,
        point=Point(row.workload, records, depth, row.seed, row.conditions),
        time_ns=middle,
        time_ns_low=low,
        time_ns_high=high,
        time_per_record_ns=middle / max(records, 1),
        status="ok",
        reference=False,
        interpolated=True,
        also=(),
    )
