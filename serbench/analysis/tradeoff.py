"""Speed, size and strictness at once: which cases are not beaten in all three."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from serbench.analysis import display, style
from serbench.analysis.budget import why_apart
from serbench.analysis.display import Info
from serbench.analysis.rows import Row
from serbench.analysis.style import THEMES, Figure, ThemeName

STRICTNESS = ("unchecked", "coercing", "strict")
SYMBOLS = {"strict": "circle", "coercing": "diamond", "unchecked": "x-thin-open"}
BODY_PX = 440
APART = "What loses something, or whose objects are a format's own, is shown, but not weighed against the others"


def strictness(row: Row) -> int:
    """How much the case checks: 2 every type, 1 what it can convert, 0 nothing, or nothing that is known."""
    checks = (row.work_class or "").rpartition(", ")[2]
    return STRICTNESS.index(checks) if checks in STRICTNESS else 0


def pareto_front(rows: Sequence[Row]) -> list[Row]:
    """The measured rows that no other beats: as fast, as small and as strict, and better in one, by time.

    What loses something, or whose objects are a format's own, beats nobody and is not on it, unless all are so.
    """
    front: list[Row] = []
    best: list[tuple[float, int]] = []  # (size, strictness) of faster rows
    for row in sorted(_weighed(rows), key=lambda row: (row.time_ns or 0, row.size_bytes or 0, -strictness(row))):
        if not any(size <= (row.size_bytes or 0) and strict >= strictness(row) for size, strict in best):
            front.append(row)
            best.append((row.size_bytes or 0, strictness(row)))
    return front


def _weighed(rows: Sequence[Row]) -> list[Row]:
    able = [row for row in rows if row.time_ns is not None and row.size_bytes is not None]
    return [row for row in able if not why_apart(row)] or able


def tradeoff(rows: Sequence[Row], info: Info, *, theme: ThemeName = "light") -> Figure:
    """Time against size, with strictness as the symbol; the Pareto front is named, the rest is pale."""
    able = [row for row in rows if row.time_ns is not None and row.size_bytes]
    front, weighed = pareto_front(able), _weighed(able)
    foot = [
        (
            "Further left is faster, further down smaller; circles check every type, diamonds convert, crosses check nothing. "
            "What is named is not beaten by any case that is as fast, as small and as strict"
        ),
        *([APART] if len(weighed) < len(able) else []),
        *style.origin_lines(info, None),
    ]
    drawn = style.layout(_finding(weighed, front), foot, BODY_PX, theme, left_px=80)
    unit, unit_name = display.unit_of([row.time_ns or 0 for row in able])
    place = drawn["layout"]
    ends = [value / unit for row in able for value in (row.time_ns_low, row.time_ns_high) if value]
    place["xaxis"] = style.log_axis(theme, ends, title={"text": f"{unit_name} per operation", "standoff": 4})
    sizes = [row.size_bytes or 0 for row in able]
    pad = (max(sizes, default=1) - min(sizes, default=0)) * 0.08 or 1
    place["yaxis"] = style.axis(
        theme, title={"text": "bytes", "standoff": 4}, range=[min(sizes, default=0) - pad, max(sizes, default=1) + pad]
    )
    on_front = set(map(id, front))
    by_library: dict[str, list[Row]] = {}
    for row in able:
        by_library.setdefault(row.library, []).append(row)
    for library, members in by_library.items():
        colour, _ = style.library_mark(library)
        drawn["data"].append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": escape(library),
                "x": [(row.time_ns or 0) / unit for row in members],
                "y": [row.size_bytes for row in members],
                "marker": {
                    "color": colour,
                    "opacity": [1 if id(row) in on_front else 0.7 for row in members],
                    "size": [12 if id(row) in on_front else 8 for row in members],
                    "symbol": [SYMBOLS[STRICTNESS[strictness(row)]] for row in members],
                    "line": {"color": colour, "width": 2},
                },
                "hovertext": [style.hover(row) for row in members],
                "hoverinfo": "text",
            }
        )
    place["annotations"][:0] = [
        _name(row, style.case_label(row, display.told_apart(able)), unit, number, theme)
        for number, row in enumerate(front)
    ]
    return drawn


def _name(row: Row, text: str, unit: float, number: int, theme: ThemeName) -> Figure:
    from math import log10

    return {
        "text": text,
        "x": log10((row.time_ns or 1) / unit),
        "y": row.size_bytes,
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": THEMES[theme].faint,
        "standoff": 7,
        "ax": 34,
        "ay": -26 - 16 * (number % 3),
        "xanchor": "left",
        "font": {"size": 11},
    }


def _finding(rows: Sequence[Row], front: Sequence[Row]) -> str:
    if not front:
        return "Nothing has been measured that could be weighed up"
    be = "is" if len(front) == 1 else "are"
    count = f"{len(front)} of {len(rows)} cases {be} not beaten in speed, size and strictness together"
    several = display.told_apart(rows)
    smallest = min(front, key=lambda row: row.size_bytes or 0)
    if smallest is front[0]:
        return f"{display.case_name(smallest, several)} is both fastest and smallest; {count}"
    times = (smallest.time_ns or 0) / (front[0].time_ns or 1)
    return (
        f"{display.case_name(front[0], several)} is fastest, {display.case_name(smallest, several)} smallest at {display.factor_text(times)} its time; "
        f"{count}"
    )
