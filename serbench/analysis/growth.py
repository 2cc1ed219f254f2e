"""How each case grows with the number of records and the depth of nesting, and how deep each library has gone, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from serbench.analysis import display
from serbench.analysis.rows import Row, case_of

MOST_LINES = 14

Key = tuple[str | None, ...]


@dataclass(frozen=True)
class DepthLimit:
    """How deep a library has gone: the deepest level that worked, and the first that did not, with its reason.

    `name` is the library's, with its version where there are several.
    """

    library: str
    name: str
    deepest: int | None
    failed_at: int | None = None
    reason: str = ""


def depth_limits(rows: Iterable[Row]) -> list[DepthLimit]:
    """For each library what it has shown of its limit of depth, the deepest first.

    Only what was tried and failed counts as a limit, not what a library cannot carry at any depth; a library that
    was tried at one depth alone, and worked, has shown nothing.
    """
    table = list(rows)
    several = display.told_apart(table)
    worked: dict[tuple[str, str], set[int]] = {}
    failed: dict[tuple[str, str], dict[int, str]] = {}
    for row in table:
        which = (row.library, display.library_name(row, several))
        if row.measured:
            worked.setdefault(which, set()).add(row.depth)
        elif row.status in ("failed", "crashed", "timeout", "memory"):
            failed.setdefault(which, {}).setdefault(row.depth, f"{row.status}: {row.reason}")
    found = []
    for which in dict.fromkeys([*worked, *failed]):
        if len(worked.get(which, ())) == 1 and which not in failed:
            continue
        deepest = max(worked.get(which, ()), default=None)
        beyond = {d: why for d, why in failed.get(which, {}).items() if deepest is None or d > deepest}
        first = min(beyond, default=None)
        found.append(DepthLimit(*which, deepest, first, "" if first is None else beyond[first]))
    return sorted(found, key=lambda limit: (-(limit.deepest or 0), limit.failed_at or 0, limit.name))


def growth(rows: Sequence[Row]) -> dict[str, list[str]]:
    """How each library's fastest case grows from end to end of both axes, and how deep it has gone, in sentences."""
    if not any(row.measured for row in rows):
        return {"growth": ["nothing could be measured"]}
    shown = series(rows, max(row.records for row in rows), min(row.depth for row in rows))
    fastest: dict[Key, list[Row]] = {}
    for key, members in shown.items():
        fastest.setdefault(key[:1] + key[2:4], members)
    found: dict[str, list[str]] = {}
    for along, fixed in (("records", "depth"), ("depth", "records")):
        for members in fastest.values():
            other = (min if fixed == "depth" else max)(getattr(row, fixed) for row in members)
            here = sorted((r for r in members if getattr(r, fixed) == other), key=attribute(along))
            first, last = here[0], here[-1]
            if getattr(first, along) < getattr(last, along):
                factor = (last.time_per_record_ns or 0) / (first.time_per_record_ns or 1)
                at = f"at depth {other:,}" if fixed == "depth" else f"with {other:,} record{'' if other == 1 else 's'}"
                heading = f"time per record from {along} {getattr(first, along):,} to {getattr(last, along):,}, {at}"
                found.setdefault(heading, []).append(f"{display.case_name(first, apart(shown))}: {factor:.2f}×")
    found["deepest level reached"] = [
        f"{limit.name}: {limit.deepest or 'none'}"
        + (f"; depth {limit.failed_at:,} {limit.reason}" if limit.failed_at else "")
        for limit in depth_limits(rows)
    ]
    return found


def series(rows: Sequence[Row], records: int, depth: int) -> dict[Key, list[Row]]:
    """The measured rows of each case, the fastest case at the point first."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        if row.time_per_record_ns is not None:
            found.setdefault(case_of(row), []).append(row)

    def speed(key: Key) -> float:
        here = [r for r in found[key] if (r.records, r.depth) == (records, depth)] or found[key]
        return min(row.time_per_record_ns or 0 for row in here)

    order = sorted(found, key=speed)
    if len(order) > MOST_LINES:
        fastest: dict[Key, Key] = {}
        for key in sorted(order, key=lambda key: -len(found[key])):  # one that is known at more points tells more
            fastest.setdefault(key[:1] + key[2:4], key)
        order = sorted(fastest.values(), key=speed)[:MOST_LINES]
    return {key: found[key] for key in order}


def apart(shown: dict[Key, list[Row]]) -> dict[str, AbstractSet[str]]:
    """What tells the rows of each library apart."""
    return display.told_apart(row for members in shown.values() for row in members)


def attribute(name: str) -> Callable[[Row], float]:
    """What gives a number of a row, 0 where it has none."""

    def get(row: Row) -> float:
        return float(getattr(row, name) or 0)

    return get
