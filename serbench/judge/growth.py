"""Growth of time with records and depth, and times between measured points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from operator import attrgetter
from typing import Any

from serbench.judge.rows import CaseFields, Row, case_of, differing_facts
from serbench.results import grouped

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


def distance(point: tuple[int, int], records: int, depth: int) -> float:
    """How far a point is from another: a factor in depth changes more than the same factor in records."""
    return abs(log(point[0] / max(records, 1))) + 3 * abs(log(point[1] / max(depth, 1)))
