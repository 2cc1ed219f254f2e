"""The look of all figures: colours by library, light and dark, and the panels of dots, lines and heat that figures are made of.

Figures decide nothing: what they say and show are boards, views and the data of whoever draws them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2s
from html import escape
from math import ceil, log10
from types import MappingProxyType
from typing import Any, Literal

from serbench.display import words
from serbench.display.views import View
from serbench.errors import check
from serbench.judge.rows import Row
from serbench.model.plug_ins import plug_ins
from serbench.render.framework import frameworks
from serbench.render.library import Library
from serbench.results import Origin, grouped

Figure = dict[str, Any]
"""A Plotly figure as JSON data, `{"data": [...], "layout": {...}}`: `plotly.graph_objects.Figure(figure)` draws it."""

PALETTE = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"),
    *("#8B5A2B", "#7B5FD3", "#999933", "#DC3259", "#2F9AA0"),
)
"""Okabe & Ito's colours, which the colour-blind can tell apart, with grey for their black and without their yellow, and
five more; all can be seen on white and on black."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
UPLOADS = ["sendChartToCloud", "sendDataToCloud", "editInChartStudio"]
"""Plotly's buttons that send a chart to a service, by the names that its versions give them."""
LINE_PX, LINES_PX, GAP_PX = 22, 300, 92
TITLE_LINE_PX, FOOT_LINE_PX, LEGEND_LINE_PX, LEAST_LEFT_PX = 21, 15, 19, 70
CHARACTER_PX = 7.3  # of a label, rather too wide: a label that does not fit makes Plotly draw everything twice
FOOT_WIDTH, TITLE_WIDTH = 145, 74
BETWEEN = 0.1  # the part of the width that lies between two panels


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


def theme_of(name: ThemeName) -> Theme:
    """Return the theme of that name.

    Raises:
        PlanError: there is none.
    """
    check("theme", name, THEMES)
    return THEMES[name]


def _template(colours: Theme) -> Figure:
    line = {"gridcolor": colours.grid, "linecolor": colours.grid, "zeroline": False, "automargin": False, "ticks": ""}
    fine = {"minor": {"gridcolor": colours.fine_grid}, "tickformat": ",.12~g"}  # its own ticks say 2 for 0.2
    faint, at_left = {"size": 11, "color": colours.faint}, {"x": 0.01, "xref": "container", "xanchor": "left"}
    title = {"font": {"size": 16}, "subtitle": {"font": {"size": 12}}, "yref": "container", "yanchor": "top", **at_left}
    layout = {
        "paper_bgcolor": colours.paper,
        "plot_bgcolor": colours.paper,
        "font": {"size": 12, "color": colours.text, "family": "system-ui, sans-serif"},
        "title": title,
        "hoverlabel": {"align": "left", "font": {"size": 12}},
        "xaxis": {**line, **fine, "title": {"standoff": 4}},
        "yaxis": {**line, **fine, "title": {"standoff": 4}},
        "annotationdefaults": {"showarrow": False, "xanchor": "left", "align": "left", "font": faint},
        "legend": {"itemwidth": 30, "traceorder": "normal"},
        "barmode": "stack",
        "bargap": 0.25,
    }
    bars = {"error_x": {"thickness": 1.2, "width": 3}, "error_y": {"thickness": 1.2, "width": 3}}
    texts = {"hoverinfo": "text", "textposition": "middle right", "textfont": faint, **bars}
    cells = {"texttemplate": "%{text}", "textfont": {"size": 10}, "xgap": 1, "ygap": 1}
    heat = {"hoverinfo": "text", "hoverongaps": False, **cells}
    looks: dict[str, Figure] = {"scatter": texts, "bar": {"hoverinfo": "text"}, "heatmap": heat}
    return {"layout": layout, "data": {name: [{"type": name, **look}] for name, look in looks.items()}}


def markup(text: str) -> str:
    """The text as Plotly's markup, which shows it as it is; Plotly knows no entity for a quotation mark."""
    return escape(text, quote=False)


def library_mark(library: str) -> tuple[str, str]:
    """The colour and symbol of a library, the same in every figure: no two of ours share both, no two of the core or of the frameworks a colour."""
    return _marks().get(library) or next(_marks_from(library))


@cache
def _marks() -> dict[str, tuple[str, str]]:
    """Each library of ours, then each framework, with the mark of its name, or if another has that the next; core ones, which choose first, differ in colour, as do frameworks."""
    ours = plug_ins("serbench.render.libraries", "LIBRARY", Library)
    marks: dict[str, tuple[str, str]] = {}
    for together in ([name for name, our in ours.items() if our.core], ours, frameworks()):
        for name in sorted(set(together) - set(marks)):
            taken = set() if together is ours else {marks[other][0] for other in together if other in marks}
            able = (mark for mark in _marks_from(name) if mark not in marks.values() and mark[0] not in taken)
            marks[name] = next(able)
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
        f"{row.waves} repetitions (fresh processes)" if row.waves else "",
        f"source {row.source_sha256[:12]}" if row.source_sha256 else "",
    ]
    return "<br>".join(line for line in lines if line)


@dataclass(frozen=True)
class Dot:
    """A mark at x and y.

    Attributes:
        ends: those of its interval.
        of: what the legend calls it and all that look like it.
        beside: the text (markup) to the right of it and of its interval.
        dash: that of the line through it, if it has one.
    """

    x: Any
    y: Any
    hover: str = ""
    ends: tuple[float, float] | None = None
    colour: str = PALETTE[0]
    symbol: str = SYMBOLS[0]
    size: float = 8
    of: str = ""
    beside: str = ""
    dash: str = "solid"


def times(row: Row, unit: float) -> tuple[float, tuple[float, float]]:
    """The time of a row in a unit (in ns), and the ends of its 95% interval."""
    time = row.time_ns or 0.0
    return time / unit, ((row.time_ns_low or time) / unit, (row.time_ns_high or time) / unit)


def look(row: Row) -> tuple[str, str]:
    """The colour and symbol of a row's library, the symbol hollow if the row is unresolved."""
    colour, symbol = library_mark(row.library)
    return colour, symbol + ("-open" if row.status == "unresolved" else "")


def trace(dots: Sequence[Dot], *, along: str = "x", **facts: Any) -> Figure:
    """Dots of one colour with their intervals along an axis, and what else Plotly is told of them."""
    colour, middles = dots[0].colour, [getattr(dot, along) for dot in dots]
    ends = [dot.ends or (middle, middle) for dot, middle in zip(dots, middles, strict=True)]
    above = [high - middle for middle, (_, high) in zip(middles, ends, strict=True)]
    below = [middle - low for middle, (low, _) in zip(middles, ends, strict=True)]
    interval = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "color": colour}
    marker = {"symbol": [dot.symbol for dot in dots], "size": [dot.size for dot in dots], "color": colour, "opacity": 1}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": dots[0].of,
        "hovertext": [dot.hover for dot in dots],
        "x": [dot.x for dot in dots],
        "y": [dot.y for dot in dots],
        "marker": marker | {"line": {"color": colour, "width": 1.4}},
        **({f"error_{along}": interval} if any(dot.ends for dot in dots) else {}),
        **facts,
    }


def by_look(dots: Iterable[Dot]) -> list[list[Dot]]:
    """The dots of each name and colour."""
    return list(grouped(dots, lambda dot: (dot.of, dot.colour)).values())


@dataclass(frozen=True)
class Panel:
    """A pair of axes and the traces on them, so many px high; its heading (markup) stands above."""

    traces: Sequence[Figure]
    x: Figure
    y: Figure
    height: int
    heading: str = ""


def in_lines(labels: Sequence[str], traces: Sequence[Figure], x: Figure, heading: str = "") -> Panel:
    """Traces in lines, whose labels (markup) stand at the left, the first on top."""
    ticks = {"tickvals": [*range(len(labels))], "ticktext": [*labels], "ticklabelstandoff": 5}
    return Panel(traces, x, {**ticks, "range": [len(labels) - 0.4, -0.6]}, LINE_PX * max(len(labels), 2), heading)


def dots(
    labels: Sequence[str], marks: Sequence[Dot], title: str, heading: str = "", ticks: Iterable[float] = ()
) -> Panel:
    """Dots with their intervals in lines, on a logarithmic axis."""
    x = log_axis([value for dot in marks for value in (dot.x, *(dot.ends or ()))], title, ticks)
    traces = [trace(members, showlegend=bool(members[0].of)) for members in by_look(marks)]
    return in_lines(labels, [*traces, *beside(marks)], x, heading)


def lines(marks: Sequence[Dot], x: Figure, y: Figure, heading: str = "", *, is_named: bool = True) -> Panel:
    """Lines through dots with upright intervals; of several panels one names them in the legend."""
    traces = []
    for members in by_look(marks):
        line = {"color": members[0].colour, "dash": members[0].dash, "width": 1.5}
        named = {"legendgroup": members[0].of, "showlegend": is_named}
        traces.append(trace(members, along="y", mode="lines+markers", line=line, **named))
    return Panel(traces, x, y, LINES_PX, heading)


def beside(marks: Iterable[Dot], **facts: Any) -> list[Figure]:
    """The texts beside dots, each to the right of the interval."""
    told = [dot for dot in marks if dot.beside]
    places = {"x": [max([dot.x, *(dot.ends or ())]) for dot in told], "y": [dot.y for dot in told]}
    looks = {"cliponaxis": False, "hoverinfo": "skip", "showlegend": False, **facts}
    texts = [f"\u2003{dot.beside}\u2003" for dot in told]
    return [{"type": "scatter", "mode": "text", "text": texts, **places, **looks}] if told else []


def heat(
    labels: Sequence[str],
    cells: Sequence[Sequence[tuple[Any, str, str]]],
    columns: Sequence[Any],
    x: Figure,
    heading: str = "",
    **facts: Any,
) -> Panel:
    """Cells in lines and columns: of each its colour as a number, its text, and what it says on hover."""
    colours, texts, abouts = ([[cell[part] for cell in line] for line in cells] for part in range(3))
    lines = {"type": "heatmap", "x": [*columns], "y": [*range(len(labels))]}
    drawn = {**lines, "z": colours, "text": texts, "hovertext": abouts, **facts}
    panel = in_lines(labels, [drawn], {"showgrid": False, **x}, heading)
    return replace(panel, y={"showgrid": False, **panel.y})


def log_axis(values: Sequence[float], title: str, ticks: Iterable[float] = ()) -> Figure:
    """A logarithmic axis with room for all values; it has these ticks, unless they are too many or none."""
    low, high = (log10(pick([value for value in values if value > 0], default=1)) for pick in (min, max))
    pad = max(0.04 * (high - low), 0.05)
    span, shown = high - low + 2 * pad, sorted(set(ticks))
    axis = {"type": "log", "range": [low - pad, high + pad], "title": {"text": title}}
    axis["minor"] = {"dtick": "D1", "showgrid": True}
    if 0 < len(shown) <= 10:
        return axis | {"tickvals": shown}
    return axis | ({"nticks": 6} if span < 1 else {"dtick": "D2" if span <= 3 else ceil(span / 6)})


def draw(
    view: View[Any],
    info: Origin | None,
    rows: Sequence[Sequence[Panel]],
    theme: ThemeName,
    *,
    control: Mapping[str, float | int | None] | None = None,
    below: str = "",
    legend: str = "",
    head_px: int = 0,
) -> Figure:
    """Rows of panels under a finding. Beneath the finding stands what it is of (`below`), at the foot explanation and origin.

    A panel without traces is left out: it would be an empty axis.
    `meta` has these without line breaks, for a page that shows them in a width of its own. The legend, if it has a name,
    stands at the right; `head_px` are for what the first panels have above them.
    """
    rows = [drawn for row in rows if (drawn := [panel for panel in row if panel.traces])]
    heights, panels = [max(panel.height for panel in row) for row in rows], [panel for row in rows for panel in row]
    body = max(sum(heights) + GAP_PX * (len(rows) - 1), LINE_PX)
    named = {one["name"] for panel in panels for one in panel.traces if one.get("showlegend", "name" in one)}
    lacking = LEGEND_LINE_PX * (len(named) + 1) + 10 - body if legend and heights else 0
    if lacking > 0:  # otherwise the legend would scroll
        heights[-1], body = heights[-1] + lacking, body + lacking
    labels = [label for panel in panels for label in panel.y.get("ticktext", ())]
    told = [text for panel in panels for one in panel.traces if one.get("mode") == "text" for text in one["text"]]
    is_starred = any(words.BY_WALL in text for text in (*labels, *told, *filter(None, named)))
    unsaid = [words.STARRED.capitalize()] if is_starred and words.STARRED not in "".join(view.notes) else []
    foot = [*view.notes, *unsaid, *(words.about_lines(info, control) if info else ())]
    titles, lines = (
        textwrap.wrap(view.title, TITLE_WIDTH),
        [part for line in foot for part in textwrap.wrap(line, FOOT_WIDTH)],
    )
    left, right = (ceil(CHARACTER_PX * max(map(len, texts), default=0)) for texts in (labels, told))
    left, right = max(left, LEAST_LEFT_PX), 0 if legend else right
    head, bottom = 42 + TITLE_LINE_PX * len(titles) + (24 if below else 0) + head_px, 52 + FOOT_LINE_PX * len(lines)
    title = {"text": f"<b>{'<br>'.join(map(markup, titles))}</b>", "subtitle": {"text": markup(below)}}
    layout: Figure = {
        "template": _template(theme_of(theme)),
        "meta": {"finding": markup(view.title), "below": markup(below), "notes": list(map(markup, foot))},
        "title": title | {"y": 1 - 22 / (height := body + head + bottom)},
        "height": height,
        "margin": {"l": left + 10, "r": right + 20, "t": head, "b": bottom},
        "showlegend": bool(legend),
        "legend": {"title": {"text": legend}},
        "modebar": {"remove": UPLOADS},
        "annotations": [],
        **({} if panels else {"xaxis": {"visible": False}, "yaxis": {"visible": False}}),
    }
    data: list[Figure] = []
    top = body
    for row, row_height in zip(rows, heights, strict=True):
        width = (1 - BETWEEN * (len(row) - 1)) / len(row)
        for place, panel in enumerate(row):
            before = len([name for name in layout if name.startswith("xaxis")])
            number = str(before + 1) if before else ""
            x, y, across = f"x{number}", f"y{number}", place * (width + BETWEEN)
            layout[f"xaxis{number}"] = {**panel.x, "domain": [across, across + width], "anchor": y}
            layout[f"yaxis{number}"] = {**panel.y, "domain": [(top - row_height) / body, top / body], "anchor": x}
            data += [{**one, "xaxis": x, "yaxis": y} for one in panel.traces]
            heading = {"text": panel.heading, "x": across, "y": top / body, "yanchor": "bottom"}
            layout["annotations"] += [_on_paper(heading, 13, theme_of(theme).text)] if panel.heading else []
        top -= row_height + GAP_PX
    footer = {"text": "<br>".join(map(markup, lines)), "x": 0, "y": 0, "xshift": -left, "yshift": -45, "yanchor": "top"}
    layout["annotations"].append(_on_paper(footer, 10, theme_of(theme).faint))
    return {"data": data, "layout": layout}


def _on_paper(note: Figure, size: int, colour: str) -> Figure:
    return {**note, "xref": "paper", "yref": "paper", "font": {"size": size, "color": colour}}
