"""Plotly figures of rows: ranking, budget, conditions, trade-off, scaling and phases."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from html import escape, unescape
from itertools import cycle, groupby
from math import log10
from typing import TYPE_CHECKING, Any

from serbench.display import style, views, words
from serbench.display.board import Board, boards_of, headline_of
from serbench.display.result_table import PHASES
from serbench.display.style import Dot, Figure, Panel, ThemeName
from serbench.display.views import View
from serbench.judge.compare import least_difference
from serbench.judge.figures import STRICTNESS, DepthLimit, along, depth_limits, strictness_rank, why_incomparable
from serbench.judge.rows import Row, differing_facts
from serbench.results import Origin

if TYPE_CHECKING:
    import plotly.graph_objects as go

PER_OPERATION = "{} per operation"
CHOOSING = ("PLOTLY_RENDERER", "KAGGLE_KERNEL_RUN_TYPE", "COCALC_PROJECT_ID", "DATABRICKS_RUNTIME_VERSION")
"""Variables by which a user or a service makes Plotly choose another way of showing figures."""
WIDE_COLUMNS, SMALL = 12, {"size": 8}
"""From how many columns on a heat map of sizes has small figures: in a notebook they would touch each other."""


def ranking(
    rows: Sequence[Row],
    info: Origin,
    *,
    control: Mapping[str, float | int | None] | None = None,
    theme: ThemeName = "light",
    shown: Sequence[Row] | None = None,
) -> Figure:
    """Time per operation of every measured case: a panel for each point and operation, a heading for each work class.

    The title is the headline of the first board, and in how many panels its leader leads or ties; beside each dot stands
    its time; unresolved cases are hollow; what failed is named below. The `control` says which differences are noise.
    Of the rows only those that are `shown` are drawn, if any are given; ranks and headline are those of all.
    """
    least = least_difference(control or {})
    boards = [board for board in boards_of(rows, least) if board.measured]
    below = boards[0].setting if boards else ""
    panels = [[_ranked(board, board.title if len(boards) > 1 else "", shown)] for board in boards]
    view = View(headline_of(boards), boards, views.ranking_notes(shown or rows))
    return style.draw(view, info, panels, theme, control=control, below=below)


def _ranked(board: Board, heading: str, shown: Sequence[Row] | None) -> Panel:
    """The rows of a board, or those that are shown, below the names of their work classes, each with its rank before and its time behind the dot."""
    unit, unit_name = words.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])
    lines: list[str] = []
    dots = []
    for name, section in board.sections:
        drawn = section if shown is None else [row for row in section if row in shown]
        lines += [f"<b>{style.markup(name)}</b>"] if drawn else []
        is_ranked = any(row.rank is not None for row in section)
        for row in drawn:
            time, ends = style.times(row, unit)
            of, told = style.markup(row.library), words.three_digits(time)
            dots.append(Dot(time, len(lines), style.hover(row), ends, *style.look(row), of=of, beside=told))
            rank = words.rank_label(row, section) if is_ranked else ""
            lines.append(f"{style.case_label(row, board.several)}  {rank}")
    return style.dots(lines, dots, PER_OPERATION.format(unit_name), style.markup(heading))


def _setting(rows: Sequence[Row]) -> str:
    return f"{rows[0].operation} {words.point_words(rows[0].point)}" if rows else ""


def budget_figure(
    rows: Sequence[Row],
    info: Origin,
    *,
    bandwidth_bits_per_s: float = 1e9,
    cores: int = 4,
    least: float = 0.0,
    theme: ThemeName = "light",
) -> Figure:
    """Messages per second of each measured case, with its best compression, at a bandwidth and a number of cores.

    The most stand first; lossy cases, and those that end in a format's own objects, have a heading of their own.

    Differences in time below `least` are noise.
    """
    view = views.budget(rows, bandwidth_bits_per_s, cores, least)
    several = differing_facts(one.row for one in view.lines)
    lines: list[str] = []
    dots = []
    for apart, members in groupby(view.lines, key=lambda one: why_incomparable(one.row)):
        lines += [f"<i>{apart}</i>"] if apart else []
        for one in members:
            told = f"<b>{one.per_s:,.0f} messages/s</b>{views.packed(one)}, limited by the {one.bottleneck}"
            hover, mark = f"{style.hover(one.row)}<br>{told}", style.library_mark(one.row.library)
            beside, of = f"{words.three_digits(one.per_s)} · {one.bottleneck}", style.markup(one.row.library)
            dots.append(Dot(one.per_s, len(lines), hover, None, *mark, 9, of, beside))
            lines.append(style.case_label(one.row, several))
    return style.draw(view, info, [[style.dots(lines, dots, "messages per second")]], theme, below=_setting(rows))


def conditions_figure(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """Time under both conditions, a line for each case, with the factor beside it.

    Differences below `least` are noise.
    """
    view = views.conditions(rows, least)
    several = differing_facts(row for _, row in view.lines)
    unit, unit_name = words.unit_of([row.time_ns or 0 for row, _ in view.lines])
    dots = []
    for line, pair in enumerate(view.lines):
        told, mark = views.factor_words(*pair), style.library_mark(pair[1].library)
        first, last = ((row.time_ns or 0) / unit for row in pair)
        hovers, between = [f"{style.hover(row)}<br>{told}" for row in pair], (min(first, last), max(first, last))
        dots.append(Dot(first, line, hovers[0], None, *mark, 6))
        dots.append(Dot(last, line, hovers[1], between, *mark, 11, beside=told))
    labels = [style.case_label(row, several) for _, row in view.lines]
    return style.draw(view, info, [[style.dots(labels, dots, PER_OPERATION.format(unit_name))]], theme)


SYMBOLS = {"strict": "circle", "coercing": "diamond", "unchecked": "x-thin-open"}
BODY_PX = 440


def tradeoff(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """Time against size, with strictness as the symbol; the Pareto front is named and large.

    Differences below `least` are noise.
    """
    able = [row for row in rows if row.time_ns is not None and row.size_bytes]
    view, several = views.tradeoff(able, least), differing_facts(able)
    unit, unit_name = words.unit_of([row.time_ns or 0 for row in able])
    dots, front = [], {id(row) for row in view.lines}
    for row in able:
        (time, _), symbol = style.times(row, unit), SYMBOLS[STRICTNESS[strictness_rank(row)]]
        look = (style.library_mark(row.library)[0], symbol, 12 if id(row) in front else 6, style.markup(row.library))
        name = style.case_label(row, several) if id(row) in front else ""
        dots.append(Dot(time, row.size_bytes, style.hover(row), None, *look, beside=name))
    x = style.log_axis([end for row in able for end in style.times(row, unit)[1]], PER_OPERATION.format(unit_name))
    y = style.log_axis([row.size_bytes or 1 for row in able], "bytes")
    named = sorted((dot for dot in dots if dot.beside), key=lambda dot: dot.x)
    sides = ["left" if log10(dot.x) > sum(x["range"]) / 2 else "right" for dot in named]  # where there is more room
    places = [f"{up} {side}" for up, side in zip(cycle(("top", "bottom")), sides, strict=False)]
    apart = [  # by an empty line, from dots of the same size
        replace(dot, beside=f"{dot.beside}<br>" if place.startswith("top") else f"<br>{dot.beside}")
        for dot, place in zip(named, places, strict=True)
    ]
    panel = Panel([*map(style.trace, style.by_look(dots)), *style.beside(apart, textposition=places)], x, y, BODY_PX)
    return style.draw(view, info, [[panel]], theme, legend="library", below=_setting(rows))


DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def scaling(
    rows: Sequence[Row],
    info: Origin,
    *,
    records: int,
    depth: int,
    least: float = 0.0,
    theme: ThemeName = "light",
) -> Figure:
    """Time per record against records (at `depth`) and depth (at `records`), a map of both, and limits of depth; what does not vary has no panel.

    `rows` are of one workload and operation at any number of points. Of more cases than can be distinguished, each
    library's fastest of those measured at most points is shown. Of endpoints the title says which is fastest at `records`.
    Differences below `least` are noise.
    """
    view = views.scaling(rows, records, depth, least)
    here = [row for row in rows if (row.records, row.depth) == (records, depth)]
    for board in boards_of(here, least)[:1] if any(row.share is not None for row in here) else ():
        view = replace(view, title=f"With {words.counted(records, 'record')}, {board.headline}")
    unit, unit_name = words.unit_of([row.time_per_record_ns or 0 for members in view.lines for row in members])
    several = differing_facts(row for members in view.lines for row in members)
    dashes = dict(zip(dict.fromkeys(words.codec_label(members[0]) for members in view.lines), cycle(DASHES)))
    starred = [max(members, key=lambda row: row.clock == "wall") for members in view.lines]  # if it is at any size
    labels = [style.case_label(row, several) for row in starred]

    def dot(row: Row, axis: str, of: str) -> Dot:
        time, ends = style.times(row, row.records * unit)
        dash = dashes[words.codec_label(row)]
        return Dot(getattr(row, axis), time, style.hover(row), ends, *style.look(row), size=7, of=of, dash=dash)

    def through(axis: str, other: int) -> list[Dot]:
        return [
            dot(row, axis, label)
            for label, members in zip(labels, view.lines, strict=True)
            for row in along(members, axis, other)
        ]

    axes = {"records": depth, "depth": records}
    varied = [axis for axis in axes if len({getattr(row, axis) for row in rows}) > 1] or ["records"]
    lines = {axis: through(axis, axes[axis]) for axis in varied}
    y = style.log_axis(
        [end for dots in lines.values() for dot in dots for end in dot.ends or ()], f"{unit_name} per record"
    )
    panels: list[list[Panel]] = [[]]
    for axis, dots in lines.items():
        points = [dot.x for dot in dots]
        x = style.log_axis(points, f"{axis}, {words.held_text(axis, axes[axis])}", points)
        is_first = axis == varied[0]
        panels[0].append(style.lines(dots, x, y if is_first else {**y, "title": {"text": ""}}, is_named=is_first))
    maps = {
        label: m
        for label, m in zip(labels, view.lines, strict=True)
        if min(len({row.records for row in m}), len({row.depth for row in m})) > 1
    }
    if maps:
        panels.append([_map(maps, unit, unit_name)])
    depths, limits = {row.depth for row in rows}, depth_limits(rows)
    if len(depths) > 1 and any(limit.deepest != max(depths) for limit in limits):
        panels.append([_limits(limits, differing_facts(rows))])
    at = {f"{row.operation} {row.workload} · {words.CONDITIONS.get(row.conditions, row.conditions)}" for row in rows}
    return style.draw(view, info, panels, theme, legend="library", below=", ".join(at))


def _map(cases: Mapping[str, Sequence[Row]], unit: float, unit_name: str) -> Panel:
    """A line for each case, and for each depth a column of each size: time per record as colour and number."""
    points, cells = sorted({(row.depth, row.records) for members in cases.values() for row in members}), []
    for label, members in cases.items():
        known = {(row.depth, row.records): row.time_per_record_ns for row in members}
        line = [(known.get(point), f"{label}<br>{point[1]:,} records, depth {point[0]:,}") for point in points]
        cells.append([(log10(ns) if ns else None, words.number(ns, unit), about) for ns, about in line])
    columns = [[f"depth {depth:,}" for depth, _ in points], [f"{size:,}" for _, size in points]]
    looks: Figure = {"colorscale": [[0, "#FDE737"], [1, "#00224E"]], "showscale": False}
    x: Figure = {"title": {"text": "records"}, "tickangle": 0}
    if len(points) > WIDE_COLUMNS:
        looks, x = looks | {"textfont": SMALL}, x | {"tickfont": SMALL}
    heading = f"{unit_name} per record at each depth and number of records"
    return style.heat([*cases], cells, columns, x, heading, **looks)


def _limits(limits: Sequence[DepthLimit], several: Mapping[str, AbstractSet[str]]) -> Panel:
    """A line for each library: a dot at the deepest level that worked, a cross at the first that failed."""
    dots = []
    for line, limit in enumerate(limits):
        colour, _ = style.library_mark(limit.row.library)
        if limit.deepest:
            dots.append(Dot(limit.deepest, line, f"works at depth {limit.deepest:,}", None, colour))
        if limit.failed_at:
            why = style.markup(f"depth {limit.failed_at:,}: {limit.reason}"[:200])
            dots.append(Dot(limit.failed_at, line, why, None, colour, "x"))
    names = [style.markup(words.library_name(limit.row, several)) for limit in limits]
    heading, depths = "How deep each library has gone", [dot.x for dot in dots]
    return style.dots(names, dots, "depth: dots worked, crosses failed", heading, depths)


def phases(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """The phases of each case as one bar from zero, on a linear axis; cases of one direction come last and say so.

    Differences below `least` are noise.
    """
    view = views.phases(rows, least)
    several = differing_facts(row for row, _ in view.lines)
    labels = [style.case_label(row, several) + views.missing(times) for row, times in view.lines]
    sums = [sum(times.values()) for _, times in view.lines]
    unit, unit_name = words.unit_of(sums)
    traces = []
    for name, (colour, meaning) in PHASES.items():
        parts = [(line, times[name] / unit) for line, (_, times) in enumerate(view.lines) if name in times]
        hovers = [
            f"<b>{labels[line]}</b><br>{name}: {meaning}<br>{words.three_digits(time)} {unit_name}"
            for line, time in parts
        ]
        bar = {"type": "bar", "orientation": "h", "name": name, "marker": {"color": colour}, "hovertext": hovers}
        traces += [bar | {"x": [time for _, time in parts], "y": [line for line, _ in parts]}] if parts else []
    ends = [Dot(one / unit, line, beside=words.three_digits(one / unit)) for line, one in enumerate(sums)]
    x = {"title": {"text": f"{unit_name} per document"}, "rangemode": "tozero"}
    panel = style.in_lines(labels, [*traces, *style.beside(ends)], x)
    below = words.point_words(rows[0].point) if rows else ""
    return style.draw(view, info, [[panel]], theme, legend="step", below=below)


def finding_of(figure: Figure) -> str:
    """What a figure shows, in a sentence, and what it is of."""
    told = figure["layout"]["meta"]
    return ". ".join(unescape(told[name]) for name in ("finding", "below") if told.get(name))


def _is_usual_kernel() -> bool:
    """Whether Plotly would choose its own MIME type; to ask it imports nbformat, which may take seconds."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    is_chosen = "plotly.io._renderers" in sys.modules or not os.environ.keys().isdisjoint(CHOOSING)
    return type(shell).__module__.startswith("ipykernel.") and not is_chosen


def drawn(figure: Figure) -> go.Figure:
    """The figure as an object of Plotly, which shows itself with its finding as a text alternative."""
    import plotly.graph_objects as go

    class Drawn(go.Figure):  # type: ignore[misc]  # Plotly is untyped
        """A figure whose text is its finding."""

        _ipython_display_ = None  # Plotly's own would show it without this bundle
        _repr_html_ = None  # Plotly's own would store each figure twice, with a script from a network

        def _repr_mimebundle_(self, *positional: Any, **named: Any) -> dict[str, Any]:
            """Plotly's own bundle; text/html is a labelled figure, text/plain its finding."""
            if _is_usual_kernel():
                from plotly.io._base_renderers import PlotlyRenderer

                bundle = dict(PlotlyRenderer().to_mimebundle(self.to_dict()))
            else:
                bundle = dict(super()._repr_mimebundle_(*positional, **named))
            text = finding_of(self.to_plotly_json())
            if "text/html" in bundle:
                bundle["text/html"] = f'<div role="figure" aria-label="{escape(text)}">{bundle["text/html"]}</div>'
            return {**bundle, "text/plain": text}

    return Drawn(figure)
