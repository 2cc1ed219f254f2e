"""The look of all figures: colours by library, light and dark, logarithmic axes, title, footer and hover."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from html import escape
from math import ceil, floor, log10
from types import MappingProxyType
from typing import Any, Literal

from serbench.display import words
from serbench.judge.rows import Row
from serbench.model.plug_ins import plug_ins
from serbench.render.library import Library

Figure = dict[str, Any]
"""A Plotly figure as JSON data, `{"data": [...], "layout": {...}}`: `plotly.graph_objects.Figure(figure)` draws it."""

PALETTE = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"),
    *("#8B5A2B", "#7B5FD3", "#999933", "#DC3259", "#2F9AA0"),
)
"""Okabe & Ito's colours, which the colour-blind can tell apart, with grey for their black and without their yellow, and
five more; all can be seen on white and on black."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
FOOT_LINE_PX, HEAD_PX, BELOW_PX, EDGE_PX = 15, 84, 18, 10
CHARACTER_PX = 7.3  # of a label, rather too wide: a label that does not fit makes Plotly draw everything twice
UPLOADS = ["sendChartToCloud", "sendDataToCloud", "editInChartStudio"]
"""Plotly's buttons that send a chart to a service, by the names that its versions give them."""
FOOT_WIDTH, TITLE_WIDTH = 145, 74


@dataclass(frozen=True)
class Theme:
    """The colours that are not a library's."""

    paper: str
    text: str
    faint: str
    grid: str
    fine_grid: str


ThemeName = Literal["light", "dark"]
THEMES = {
    "light": Theme(paper="#FFFFFF", text="#24292F", faint="#57606A", grid="#DFE2E6", fine_grid="#F1F2F4"),
    "dark": Theme(paper="#111318", text="#E6E8EB", faint="#A3ABB5", grid="#363B43", fine_grid="#1E2228"),
}


def markup(text: str) -> str:
    """The text as Plotly's markup, which shows it as it is; Plotly knows no entity for a quotation mark."""
    return escape(text, quote=False)


def library_mark(library: str) -> tuple[str, str]:
    """The colour and symbol of a library, the same in every figure: no two of ours share both, and no two of the core a colour."""
    return _marks().get(library) or next(_marks_from(library))


@cache
def _marks() -> dict[str, tuple[str, str]]:
    """Each library of ours with the mark of its name, or if another has that the next; core ones, which choose first, differ in colour."""
    ours = plug_ins("serbench.render.libraries", "LIBRARY", Library).values()
    marks: dict[str, tuple[str, str]] = {}
    for our in sorted(ours, key=lambda our: (not our.core, our.name)):
        colours = {colour for colour, _ in marks.values()} if our.core else set()
        able = (mark for mark in _marks_from(our.name) if mark not in marks.values() and mark[0] not in colours)
        marks[our.name] = next(able)
    return marks


def _marks_from(library: str) -> Iterator[tuple[str, str]]:
    """All marks, beginning with the one that a library has by its name."""
    every = [(colour, symbol) for symbol in SYMBOLS for colour in PALETTE]
    first = int.from_bytes(blake2s(library.encode(), digest_size=4).digest(), "big") % len(every)
    yield from every[first:] + every[:first]


def case_label(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """A case in words, escaped, so that it is never markup."""
    star = words.BY_WALL if row.clock == "wall" else ""
    return markup(words.case_name(row, several) + star)


def hover(row: Row) -> str:
    """The hover text of a dot: the case, its time with the interval, size, work class and source."""
    unit, unit_name = words.unit_of([row.time_ns or 1.0])
    low, time, high = (
        words.three_digits((value or 0) / unit) for value in (row.time_ns_low, row.time_ns, row.time_ns_high)
    )
    version = f" {row.version}" if row.version else ""
    lines = [
        f"<b>{markup(words.case_name(row))}</b>{markup(version)}",
        markup(words.board_title(row)),
        f"{time} {unit_name} ({low} to {high})",
        markup(words.ratio_label(row)),
        f"{row.size_bytes:,} bytes" if row.size_bytes is not None else "",
        markup(words.class_words(row.work_class) if row.work_class else ""),
        f"fastest of its ranking with {words.first_label(row)} probability" if words.first_label(row) else "",
        f"{row.waves} waves" if row.waves else "",
        f"source {row.source_sha256[:12]}" if row.source_sha256 else "",
    ]
    return "<br>".join(line for line in lines if line)


def layout(
    title: str,
    foot: Sequence[str],
    body_px: int,
    theme: ThemeName,
    *,
    labels: Iterable[str] = (),
    left_px: float = 0,
    below: str = "",
) -> Figure:
    """An empty figure with its finding as the title, `below` that what it is of, and at the foot its explanation and origin.

    `meta` has these without line breaks, for a page that shows them in a width of its own.

    The footer begins where the longest of `labels` does, to the left of the axes, and at least `left_px` from them.
    """
    colours = THEMES[theme]
    left_px = max([left_px, *(CHARACTER_PX * len(label) for label in labels)])
    lines = [part for line in foot for part in textwrap.wrap(line, FOOT_WIDTH)]
    bottom_px = 52 + FOOT_LINE_PX * len(lines)
    head_px = HEAD_PX + (BELOW_PX if below else 0)
    height = body_px + head_px + bottom_px
    finding = f"<b>{'<br>'.join(markup(line) for line in textwrap.wrap(title, TITLE_WIDTH))}</b>"
    finding += f'<br><span style="font-size:12px">{markup(below)}</span>' if below else ""
    footer = note("<br>".join(map(markup, lines)), 0, 0, 10, colours.faint)
    footer |= {"xshift": -left_px, "yshift": -45, "yanchor": "top", "align": "left"}
    left_edge = {"x": 0.01, "xref": "container", "xanchor": "left"}
    top_edge = {"y": 1 - 22 / height, "yref": "container", "yanchor": "top"}
    return {
        "data": [],
        "layout": {
            "meta": {"finding": markup(title), "below": markup(below), "notes": list(map(markup, foot))},
            "title": {"text": finding, **left_edge, **top_edge, "font": {"size": 16}},
            "height": height,
            "margin": {"l": ceil(left_px) + EDGE_PX, "r": 20, "t": head_px, "b": bottom_px},
            "paper_bgcolor": colours.paper,
            "plot_bgcolor": colours.paper,
            "font": {"size": 12, "color": colours.text, "family": "system-ui, sans-serif"},
            "hoverlabel": {"align": "left", "font": {"size": 12}},
            "legend": {"title": {"text": "library"}, "itemwidth": 30},
            "annotations": [footer],
            "modebar": {"remove": UPLOADS},
            "shapes": [],
        },
    }


def axis(theme: ThemeName, *, title: str | None = None, **facts: Any) -> dict[str, Any]:
    """A plain axis in the theme's colours."""
    colours = THEMES[theme]
    named = {"title": {"text": title, "standoff": 4}} if title is not None else {}
    return {
        "gridcolor": colours.grid,
        "zeroline": False,
        "linecolor": colours.grid,
        "automargin": True,
        "ticks": "",
        "minor": {"gridcolor": colours.fine_grid},
        **named,
        **facts,
    }


def category_axis(theme: ThemeName, labels: Sequence[str], **facts: Any) -> dict[str, Any]:
    """An axis of labels, the first on top."""
    order: dict[str, Any] = {"categoryorder": "array", "categoryarray": list(labels[::-1])}
    return axis(theme, type="category", **order, tickmode="array", tickvals=list(labels), **facts)


def put_axes(drawn: Figure, panel: int, x: dict[str, Any], y: dict[str, Any]) -> str:
    """Give a panel its two axes; returns the panel's number as Plotly writes it after "x" and "y"."""
    number = "" if panel == 1 else str(panel)
    drawn["layout"][f"xaxis{number}"] = {**x, "anchor": f"y{number}"}
    drawn["layout"][f"yaxis{number}"] = {**y, "anchor": f"x{number}"}
    return number


def scatter(
    x: Sequence[Any], y: Sequence[Any], hover: Sequence[str], *, mode: str = "markers", panel: int = 1, **facts: Any
) -> dict[str, Any]:
    """A trace of dots with a text for each, on the axes of a panel, which are counted from 1."""
    number = "" if panel == 1 else str(panel)
    axes = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    return {"type": "scatter", "mode": mode, **axes, "x": x, "y": y, "hovertext": hover, "hoverinfo": "text", **facts}


OPEN = "hollow marks are not known to the precision asked for"


def symbols(rows: Sequence[Row], symbol: str) -> list[str]:
    """The symbol of each row, hollow if it is unresolved; `OPEN` says so."""
    return [symbol + ("-open" if row.status == "unresolved" else "") for row in rows]


def error_bars(rows: Sequence[Row], times: Sequence[float], units: Sequence[float], **facts: Any) -> dict[str, Any]:
    """The 95 % intervals of rows around their times, each in its unit (in ns)."""
    known = list(zip(rows, times, units, strict=True))
    above = [(row.time_ns_high or 0) / unit - time for row, time, unit in known]
    below = [time - (row.time_ns_low or 0) / unit for row, time, unit in known]
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, **facts}


TICKS = (3, 6)
"""The least and the largest number of ticks."""


def log_axis(theme: ThemeName, values: Sequence[float], **facts: Any) -> dict[str, Any]:
    """A logarithmic axis that holds all values, with its ticks written out: plotly's own say 2 for 0.2."""
    ticks, ends = log_ticks(values), log_range(values)
    colours = THEMES[theme]
    return axis(
        theme,
        type="log",
        range=ends,
        tickvals=ticks,
        ticktext=[tick_text(tick, 10 ** ends[1]) for tick in ticks],
        **({"minor": {"dtick": "D1", "showgrid": True, "gridcolor": colours.fine_grid}} | facts),
    )


def tick_text(value: float, most: float = 0) -> str:
    """A tick's number: 0.002, 50, 2,000, 1M; beside a tick of millions 2k."""
    for size, unit in ((1e6, "M"), (1e3, "k" if most >= 1e6 else "")):
        if value >= size and unit:
            return f"{value / size:,.9g}{unit}"
    return f"{value:,.9g}"


def log_range(values: Sequence[float]) -> list[float]:
    """The axis's ends in decades, with room for a dot at each."""
    if not values:
        return [0, 1]
    low, high = log10(min(values)), log10(max(values))
    pad = max(0.04 * (high - low), 0.05)
    return [low - pad, high + pad]


def log_ticks(values: Sequence[float]) -> list[float]:
    """Three to six round numbers: decades, or 1, 2 and 5 of each; in less than these span, multiples of one step."""
    if not values:
        return []
    low, high = log_range(values)
    decades = range(floor(low), ceil(high) + 1)
    for steps in ((1,), (1, 2, 5), (1, 3)):
        ticks = [
            tick for decade in decades for step in steps if low <= log10(tick := float(f"{step}e{decade}")) <= high
        ]
        if len(ticks) >= TICKS[0] and (len(ticks) <= TICKS[1] or steps == (1,)):
            return ticks[:: ceil(len(ticks) / TICKS[1])]
    return linear_ticks(10**low, 10**high)


def linear_ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers between two."""
    raw = (high - low) / 5
    size = next(step for factor in (1, 2, 5, 10) if (step := factor * 10.0 ** floor(log10(raw))) >= raw)
    if floor(high / size) - ceil(low / size) + 1 < TICKS[0]:
        size /= 2
    return [float(f"{number * size:.12g}") for number in range(ceil(low / size), floor(high / size) + 1)]


def panel_title(text: str, y: float, theme: ThemeName, *, x: float = 0.0) -> dict[str, Any]:
    """The heading of one panel, above its upper left corner."""
    return note(markup(text), x, y, 13, THEMES[theme].text) | {"yanchor": "bottom"}


def beside(text: str, x: float, label: str, theme: ThemeName, *, shift: int, axes: str = "") -> dict[str, Any]:
    """A text (markup) to the right of a dot in the line of a label, on axes of this number as Plotly writes it."""
    place = {"xref": f"x{axes}", "yref": f"y{axes}", "y": label, "xshift": shift}
    return note(text, x, 0, 11, THEMES[theme].faint) | place


def note(text: str, x: float, y: float, size: int, colour: str) -> dict[str, Any]:
    """A text (markup) at a place of the paper, without an arrow."""
    position = {"x": x, "xref": "paper", "xanchor": "left", "y": y, "yref": "paper"}
    return {"text": text, **position, "showarrow": False, "font": {"size": size, "color": colour}}
