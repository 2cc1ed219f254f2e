"""Where the time goes: each case's steps, stacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.analysis import display, style
from serbench.analysis.display import Info
from serbench.analysis.rows import Row, case_of
from serbench.analysis.style import Figure, ThemeName

PHASES = {
    "build": ("#CC79A7", "values → objects"),
    "dump": ("#0072B2", "objects → builtins"),
    "dumps": ("#56B4E9", "builtins → bytes"),
    "encode": ("#5A7D9A", "objects → bytes in one step"),
    "loads": ("#E69F00", "bytes → builtins"),
    "load": ("#D55E00", "builtins → objects"),
    "decode": ("#A8763E", "bytes → objects in one step"),
    "read": ("#009E73", "touch every field"),
}
"""What may be stacked, in the order in which it happens, with its colour and meaning."""
STEPS = {"encode": ("dump", "dumps"), "decode": ("loads", "load")}
LINE_PX = 24


def phase_times(rows: Sequence[Row]) -> list[tuple[Row, dict[str, float]]]:
    """For each case of one point the ns of its phases, the fastest case first.

    A whole operation stands in place of its steps where these were not all measured.
    """
    by_case: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        if row.measured:
            by_case.setdefault(case_of(row), {})[row.operation] = row
    found = []
    for steps in by_case.values():
        known = {name for name in PHASES if name in steps}
        for whole, parts in STEPS.items():
            known -= {whole} if known.issuperset(parts) else set(parts)
        times = {name: steps[name].time_ns or 0.0 for name in PHASES if name in known}
        if times:
            found.append((next(iter(steps.values())), times))
    return sorted(found, key=lambda pair: sum(pair[1].values()))


def phases(rows: Sequence[Row], info: Info, *, theme: ThemeName = "light") -> Figure:
    """The phases of each case as one bar from zero, on a linear axis."""
    found = phase_times(rows)
    several = display.told_apart(row for row, _ in found)
    labels = [style.case_label(row, several) for row, _ in found]
    unit, unit_name = display.unit_of([sum(times.values()) for _, times in found])
    foot = [
        (
            "Mean CPU time of each step; a case whose library goes between objects and bytes in one step has one piece. "
            "Steps are timed by themselves, so they need not add up to the whole exactly"
        ),
        *style.origin_lines(info, None),
    ]
    longest = max(map(len, labels), default=0)
    drawn = style.layout(
        _finding(found), foot, max(len(found), 2) * LINE_PX, theme, left_px=style.CHARACTER_PX * longest
    )
    place = drawn["layout"]
    place |= {"barmode": "stack", "bargap": 0.25}
    place["legend"] = {"title": {"text": "step"}, "traceorder": "normal"}
    title = {"text": f"{unit_name} per document", "standoff": 4}
    place["xaxis"] = style.axis(theme, rangemode="tozero", separatethousands=True, title=title)
    place["yaxis"] = style.axis(
        theme, type="category", categoryorder="array", categoryarray=labels[::-1], tickmode="array", tickvals=labels
    )
    for name, (colour, meaning) in PHASES.items():
        parts = [(row, label, times[name]) for (row, times), label in zip(found, labels, strict=True) if name in times]
        if parts:
            drawn["data"].append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": name,
                    "marker": {"color": colour},
                    "x": [time / unit for _, _, time in parts],
                    "y": [label for _, label, _ in parts],
                    "hovertext": [
                        f"<b>{label}</b><br>{name}: {meaning}<br>{display.three_digits(time / unit)} {unit_name}"
                        for _, label, time in parts
                    ],
                    "hoverinfo": "text",
                }
            )
    return drawn


def _finding(found: Sequence[tuple[Row, dict[str, float]]]) -> str:
    several = display.told_apart(row for row, _ in found)
    stepped = [(row, times) for row, times in found if {"dump", "load"} & set(times)]
    if not found:
        return "Nothing has been measured that has phases"
    if not stepped:
        return _whole_way(found)
    parts = [(t.get("dump", 0) + t.get("load", 0)) / sum(t.values()) for _, t in stepped]
    most = max(range(len(parts)), key=parts.__getitem__)
    least = min(range(len(parts)), key=parts.__getitem__)
    if most == least:
        return f"{display.case_name(stepped[0][0], several)} spends {parts[0]:.0%} of its time between objects and builtins"
    return (
        f"Between objects and builtins goes {parts[least]:.0%} ({display.case_name(stepped[least][0], several)}) "
        f"to {parts[most]:.0%} ({display.case_name(stepped[most][0], several)}) of the time"
    )


def _whole_way(found: Sequence[tuple[Row, dict[str, float]]]) -> str:
    """Which case needs least for all the operations that most cases have."""
    names = max((tuple(times) for _, times in found), key=len)
    whole = [(row, sum(times.values())) for row, times in found if tuple(times) == names]
    (first, least), (last, most) = whole[0], whole[-1]
    if len(names) < 2 or len(whole) < 2:
        return "No step of its own has been measured: dump, dumps, loads and load"
    together = f"{', '.join(names[:-1])} and {names[-1]} together"
    several = display.told_apart(row for row, _ in found)
    slow, fast = (display.case_name(row, several) for row in (last, first))
    return f"For {together} {slow} needs {display.factor_text(most / least)} the time of {fast}"
