"""The operations of a case that add up to all its work."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.analysis.rows import Row, by_case

PHASES = ("build", "dump", "dumps", "encode", "loads", "load", "decode", "read")
"""What may be added up, in the order in which it happens."""
STEPS = {"encode": ("dump", "dumps"), "decode": ("loads", "load")}
"""A whole operation → its steps."""


def phase_times(rows: Sequence[Row]) -> list[tuple[Row, dict[str, float]]]:
    """For each case of one point the ns of its phases, the fastest case first.

    A whole operation replaces its steps if not all of these were measured.
    """
    found = []
    for steps in by_case(rows).values():
        known = {name for name in PHASES if name in steps}
        for whole, parts in STEPS.items():
            known -= {whole} if known.issuperset(parts) else set(parts)
        times = {name: steps[name].time_ns or 0.0 for name in PHASES if name in known}
        if times:
            found.append((next(iter(steps.values())), times))
    return sorted(found, key=lambda pair: sum(pair[1].values()))
