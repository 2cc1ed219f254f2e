"""Speed, size and strictness at once: the cases that none beats in all three."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.judge.relation import is_slower, relation
from serbench.judge.rows import Row, differing_facts
from serbench.judge.tradeoff import STRICTNESS, pareto_front, strictness_rank, weighed
from serbench.results import Origin, grouped

SYMBOLS = {"strict": "circle", "coercing": "diamond", "unchecked": "x-thin-open"}
BODY_PX = 440
LEAST_PAD = 0.03  # of the largest size: what differs by less looks alike
MOST_LINEAR = 4  # times the smallest size, up to which an axis in proportion shows all
NOT_COMPARED = "Lossy cases, and objects of a format's own, are shown but not compared with the others"


def tradeoff(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """Time against size, with strictness as the symbol; the Pareto front is named, the rest is pale.

    Differences below `least` are noise.
    """
    able = [row for row in rows if row.time_ns is not None and row.size_bytes]
    front, compared = pareto_front(able), weighed(able)
    foot = [
        (
            "Further left is faster, further down smaller; circles check every type, diamonds convert, crosses check nothing. "
            "No other case is as fast, as small and as strict as one that is named"
        ),
        *([NOT_COMPARED] if len(compared) < len(able) else []),
        *words.about_lines(info, None),
    ]
    drawn = style.layout(words.noisy(_finding(compared, front, least), least), foot, BODY_PX, theme, left_px=80)
    unit, unit_name = words.unit_of([row.time_ns or 0 for row in able])
    layout = drawn["layout"]
    times = [value / unit for row in able for value in (row.time_ns_low, row.time_ns_high) if value]
    layout["xaxis"] = style.log_axis(theme, times, title=f"{unit_name} per operation")
    smallest, largest = (pick([row.size_bytes or 0 for row in able], default=pick is max) for pick in (min, max))
    is_log = largest >= MOST_LINEAR * max(smallest, 1)
    layout["yaxis"] = (
        style.log_axis(theme, [smallest, largest], title="bytes") if is_log else _linear_axis(theme, smallest, largest)
    )
    on_front = set(map(id, front))
    for library, members in grouped(able, lambda row: row.library).items():
        colour, _ = style.library_mark(library)
        marker = {
            "color": colour,
            "opacity": [1 if id(row) in on_front else 0.7 for row in members],
            "size": [12 if id(row) in on_front else 8 for row in members],
            "symbol": [SYMBOLS[STRICTNESS[strictness_rank(row)]] for row in members],
            "line": {"color": colour, "width": 2},
        }
        times, sizes = [(row.time_ns or 0) / unit for row in members], [row.size_bytes for row in members]
        hover = list(map(style.hover, members))
        drawn["data"].append(style.scatter(times, sizes, hover, name=style.markup(library), marker=marker))
    layout["annotations"][:0] = [
        _name(row, style.case_label(row, differing_facts(able)), unit, number, layout, theme, is_log=is_log)
        for number, row in enumerate(front)
    ]
    return drawn


def _linear_axis(theme: ThemeName, smallest: int, largest: int) -> Figure:
    """An axis of bytes in proportion."""
    pad = max((largest - smallest) * 0.08, largest * LEAST_PAD) or 1
    ends = [smallest - pad, largest + pad]
    ticks = style.linear_ticks(*ends)
    numbers = [style.tick_text(tick) for tick in ticks]
    return style.axis(theme, title="bytes", range=ends, tickvals=ticks, ticktext=numbers)


def _name(row: Row, text: str, unit: float, number: int, layout: Figure, theme: ThemeName, *, is_log: bool) -> Figure:
    """The name of a row on the front, with a line from its dot, on the side of that which has more room."""
    line = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": THEMES[theme].faint, "standoff": 7}
    x, size = log10((row.time_ns or 1) / unit), row.size_bytes or 1
    is_right = x > sum(layout["xaxis"]["range"]) / 2
    position = {
        "x": x,
        "y": log10(size) if is_log else size,
        "ax": -34 if is_right else 34,
        "ay": -26 - 16 * (number % 3),
        "xanchor": "right" if is_right else "left",
    }
    return {"text": text, **position, **line, "font": {"size": 11}}


def _finding(rows: Sequence[Row], front: Sequence[Row], least: float) -> str:
    if not front:
        return "Nothing has been measured that could be weighed up"
    be = "is" if len(front) == 1 else "are"
    count = f"{len(front)} of {len(rows)} cases {be} not beaten in speed, size and strictness together"
    several = differing_facts(rows)
    first, smallest = front[0], min(front, key=lambda row: row.size_bytes or 0)
    alike = [row for row in rows if row is not first and row is not smallest and not is_slower(row, first, least)]
    fastest = f"{words.case_name(first, several)}{words.tied_words(alike, several)}{',' if alike else ''} is"
    if smallest is first:
        return f"{fastest} both fastest and smallest; {count}"
    if is_slower(smallest, first, least):
        compared = relation(smallest, first)
        slower = f"at {words.factor_text(1.0 if compared is None else compared.ratio)} its time"
    else:
        slower = f"with {words.NO_DIFFERENCE} in time"
    return f"{fastest} fastest, {words.case_name(smallest, several)} smallest {slower}; {count}"
