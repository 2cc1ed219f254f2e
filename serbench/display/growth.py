"""Sentences on the growth of cases with the data, and on the depth that each library has reached."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.analysis.growth import along, depth_limits, series
from serbench.analysis.rows import CaseFields, Row, told_apart
from serbench.display import words


def growth(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Sentences on the growth of each library's fastest case along both axes, and on the depth that it has reached."""
    if not any(row.measured for row in rows):
        return {"growth": ["nothing could be measured"]}
    shown = series(rows, max(row.records for row in rows), min(row.depth for row in rows))
    several = told_apart(row for members in shown.values() for row in members)
    apart = told_apart(rows)
    fastest: dict[CaseFields, list[Row]] = {}
    for key, members in shown.items():
        fastest.setdefault(key[:1] + key[2:4], members)
    found: dict[str, list[str]] = {}
    for axis in ("records", "depth"):
        for members in fastest.values():
            other = min(row.depth for row in members) if axis == "records" else max(row.records for row in members)
            here = along(members, axis, other)
            first, last = (getattr(row, axis) for row in (here[0], here[-1]))
            if first < last:
                factor = (here[-1].time_per_record_ns or 0) / (here[0].time_per_record_ns or 1)
                heading = f"time per record from {axis} {first:,} to {last:,}, {words.held_text(axis, other)}"
                found.setdefault(heading, []).append(f"{words.case_name(here[0], several)}: {factor:.2f}×")
    found["deepest level reached"] = [
        f"{words.library_name(limit.row, apart)}: {limit.deepest or 'none'}"
        + (f"; depth {limit.failed_at:,} {limit.reason}" if limit.failed_at else "")
        for limit in depth_limits(rows)
    ]
    return found
