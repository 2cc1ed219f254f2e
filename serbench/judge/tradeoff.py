"""Speed, size and strictness at once: the cases that no other beats in all three."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.judge.budget import why_incomparable
from serbench.judge.rows import Row
from serbench.judge.work_class import WorkClass

STRICTNESS = ("unchecked", "coercing", "strict")


def strictness_rank(row: Row) -> int:
    """Strictness of a case: 2 checks every type, 1 converts if it can, 0 checks nothing or is unknown."""
    checks = WorkClass.parse(row.work_class).checks
    return STRICTNESS.index(checks) if checks in STRICTNESS else 0


def pareto_front(rows: Sequence[Row]) -> list[Row]:
    """The measured rows, by time, to which no other is at least equal in speed, size and strictness.

    Rows that lose something, or end in a format's own objects, are left out unless all rows are of that kind.
    """
    front: list[Row] = []
    best: list[tuple[float, int]] = []  # (size, strictness) of faster rows
    for row in sorted(weighed(rows), key=lambda row: (row.time_ns or 0, row.size_bytes or 0, -strictness_rank(row))):
        if not any(size <= (row.size_bytes or 0) and strict >= strictness_rank(row) for size, strict in best):
            front.append(row)
            best.append((row.size_bytes or 0, strictness_rank(row)))
    return front


def weighed(rows: Sequence[Row]) -> list[Row]:
    """The rows that are compared with each other: see `why_incomparable`; all rows if each has such a reason."""
    able = [row for row in rows if row.time_ns is not None and row.size_bytes is not None]
    return [row for row in able if not why_incomparable(row)] or able
