"""Plotly figures of rows: ranking, budget, conditions, trade-off; and code that folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import groupby
from math import log10
from typing import TYPE_CHECKING, Any

from serbench.display import style, views, words
from serbench.display.board import Board, boards_of
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.display.table import Side, Table, html
from serbench.judge.compare import is_proven, is_slower, least_difference, quotient
from serbench.judge.rows import Row, case_of, differing_facts
from serbench.judge.tradeoff import (
    STRICTNESS,
    Budget,
    strictness_rank,
    weighed,
    why_incomparable,
)
from serbench.results import Origin, grouped

if TYPE_CHECKING:
    import plotly.graph_objects as go


LINE_PX, PANEL_PX = 22, 58
BRACKET_PX, BRACKETS_PX = 8, 44
VALUE = 0.16  # the part of the axis that the longest text beside a dot takes


def ranking(
    rows: Sequence[Row],
    info: Origin,
    *,
    control: Mapping[str, float | int | None] | None = None,
    across_classes: bool = False,
    theme: ThemeName = "light",
) -> Figure:
    """Time per operation of every measured case: a panel for each point, operation and work class.

    The title is what the first board shows; beside each dot stands its time; unresolved cases are hollow; rows of one
    rank are held together by a bracket; what failed is named below. The `control` says which differences are noise.
    """
    least = least_difference(control or {})
    boards = [board for board in boards_of(rows, least, across_classes=across_classes) if board.measured]
    panels = [(board, name, section) for board in boards for name, section in board.sections]
    body = max(sum(len(section) for _, _, section in panels) * LINE_PX + (len(panels) - 1) * PANEL_PX, LINE_PX)
    headline = (boards[0].headline, boards[0].setting) if boards else ("Nothing could be measured", "")
    labels = (label for board, _, section in panels for label in _labels(board, section))
    drawn = style.layout(headline[0], footer(rows, info, control), body, theme, labels=labels, below=headline[1])
    drawn["layout"]["showlegend"] = False  # each row has its name
    drawn["layout"]["margin"]["r"] = BRACKETS_PX
    top = 1.0
    for number, (board, name, section) in enumerate(panels, start=1):
        low = max(top - len(section) * LINE_PX / body, 0.0)
        _add_panel(drawn, number, board, section, (low, top), theme)
        heading = name if len(boards) == 1 else f"{board.title} · {name}"  # what all share stands below the finding
        drawn["layout"]["annotations"].insert(-1, style.panel_title(heading, top, theme))
        drawn["data"] += _traces(number, board, section)
        top = low - PANEL_PX / body
    return drawn


def footer(rows: Sequence[Row], info: Origin, control: Mapping[str, float | int | None] | None) -> list[str]:
    """Lines below the figure: an explanation, the missing cases, and its origin."""
    reading = (
        "Dots are mean CPU time per operation over fresh processes, lines their 95 % intervals; further left is faster"
    )
    if any(row.clock == "wall" for row in rows):
        reading += "; starred cases use threads and are timed by the wall clock"
    if any(row.status == "unresolved" for row in rows):
        reading += f"; {style.OPEN}"
    missing = list(
        dict.fromkeys(
            f"{words.case_words(words.library_name(row), row.library, row.codec, row.format)} ({row.status})"
            for row in rows
            if not row.measured
        )
    )
    lines = [reading, *words.about_lines(info, control)]
    if missing:
        lines.insert(1, f"Not measured: {', '.join(missing)}")
    return lines


def _add_panel(
    drawn: Figure,
    panel: int,
    board: Board,
    section: Sequence[Row],
    domain: tuple[float, float],
    theme: ThemeName,
) -> None:
    """The axes of one panel, the text beside each of its dots, and a bracket around each tie."""
    unit, unit_name = _unit(board)
    labels, colour = _labels(board, section), THEMES[theme].faint
    times = [value / unit for row in board.measured for value in (row.time_ns_low, row.time_ns_high) if value]
    x = style.log_axis(theme, times, title=f"{unit_name} per operation")
    x["range"][1] += (x["range"][1] - x["range"][0]) * VALUE
    ends, font = [-0.7, len(labels) - 0.3], {"size": 11.5}
    y = style.category_axis(theme, labels, range=ends, domain=list(domain), tickfont=font, ticktext=labels)
    number = style.put_axes(drawn, panel, x, y)
    drawn["layout"]["annotations"][-1:-1] = _values(number, board, section, theme)
    for first, last in ties(section):
        ends = [len(labels) - 1 - first + 0.3, len(labels) - 1 - last - 0.3]
        path = f"M 4 {ends[0]} L {4 + BRACKET_PX} {ends[0]} L {4 + BRACKET_PX} {ends[1]} L 4 {ends[1]}"
        where = {"xref": "paper", "yref": f"y{number}", "xsizemode": "pixel", "xanchor": 1}
        shape = {"type": "path", "path": path, **where, "line": {"color": colour, "width": 1.2}}
        drawn["layout"]["shapes"].append(shape)
        rank = style.note(f"{section[first].rank}=", 1, sum(ends) / 2, 11, colour)
        drawn["layout"]["annotations"].insert(-1, rank | {"xshift": 8 + BRACKET_PX, "yref": f"y{number}"})


def ties(section: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """The first and last place of each group of rows that share a rank."""
    for rank, lines in grouped(range(len(section)), lambda line: section[line].rank).items():
        if len(lines) > 1 and rank is not None:
            yield lines[0], lines[-1]


def _traces(panel: int, board: Board, section: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """The dots of each library, with their intervals."""
    unit, _ = _unit(board)
    labelled = zip(section, _labels(board, section), strict=True)
    for library, members in grouped(labelled, lambda pair: pair[0].library).items():
        colour, symbol = style.library_mark(library)
        rows, labels = [row for row, _ in members], [label for _, label in members]
        times = [(row.time_ns or 0) / unit for row in rows]
        yield style.scatter(
            times,
            labels,
            list(map(style.hover, rows)),
            panel=panel,
            name=style.markup(library),
            legendgroup=style.markup(library),
            error_x=style.error_bars(rows, times, [unit] * len(rows), thickness=1.5, width=4, color=colour),
            marker={"color": colour, "size": 8, "symbol": style.symbols(rows, symbol)},
        )


def _values(number: str, board: Board, section: Sequence[Row], theme: ThemeName) -> Iterator[dict[str, Any]]:
    """The time beside each dot, right of its interval."""
    unit, _ = _unit(board)
    for row, label in zip(section, _labels(board, section), strict=True):
        end = max(row.time_ns_high or 0, row.time_ns or 0) / unit
        text = style.markup(words.three_digits((row.time_ns or 0) / unit))
        yield style.beside(text, log10(end), label, theme, shift=6, axes=number)


def _unit(board: Board) -> tuple[float, str]:
    return words.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])


def _labels(board: Board, section: Sequence[Row]) -> list[str]:
    several = differing_facts([*board.measured, *board.failed, *section])

    is_ranked = any(row.rank is not None for row in section)
    ranks = (words.rank_label(row, section) if is_ranked else "" for row in section)
    return [f"{style.case_label(row, several)}  {rank}" for row, rank in zip(section, ranks, strict=True)]


BUDGET_LINE_PX = 22
BESIDE = 0.3  # the part of the axis that the longest text beside the dots takes


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
    shown = view.lines
    several = differing_facts(one.row for one in shown)
    labels = [style.case_label(one.row, several) for one in shown]
    lines = _under_headings(shown, labels)
    foot = [
        (
            "Upper limits: the lesser of the cores' and the line's messages a second, without headers or any other work; "
            "with the compression that gives most"
        ),
        *words.about_lines(info, None),
    ]
    drawn = style.layout(view.title, foot, max(len(lines), 2) * BUDGET_LINE_PX, theme, labels=lines)
    drawn["layout"]["showlegend"] = False
    x = style.log_axis(theme, [one.per_s for one in shown], title="messages per second")
    x["range"][1] += (x["range"][1] - x["range"][0]) * BESIDE
    drawn["layout"]["xaxis"] = x
    drawn["layout"]["annotations"][-1:-1] = [
        style.beside(f"{words.three_digits(one.per_s)} · {one.bottleneck}", log10(one.per_s), label, theme, shift=8)
        for one, label in zip(shown, labels, strict=True)
    ]
    drawn["layout"]["yaxis"] = style.category_axis(
        theme, lines, tickfont={"size": 11.5}, range=[-0.7, len(lines) - 0.3]
    )
    marks = [style.library_mark(one.row.library) for one in shown]
    hover = [
        f"{style.hover(one.row)}<br><b>{one.per_s:,.0f} messages/s</b>{views.packed(one)}, limited by the {one.bottleneck}"
        for one in shown
    ]
    marker = {"size": 9, "color": [colour for colour, _ in marks], "symbol": [symbol for _, symbol in marks]}
    drawn["data"].append(style.scatter([one.per_s for one in shown], labels, hover, marker=marker))
    return drawn


def _under_headings(shown: Sequence[Budget], labels: Sequence[str]) -> list[str]:
    """The labels from top to bottom, with a heading before those that stand apart."""
    lines = []
    for sentence, members in groupby(zip(shown, labels, strict=True), key=lambda pair: why_incomparable(pair[0].row)):
        lines += [*([f"<i>{sentence}</i>"] if sentence else []), *(label for _, label in members)]
    return lines


CONDITIONS_LINE_PX = 24
BEFORE, AFTER = "hot", "varied"
FOOT = (
    "Small dots: one document again and again. Large dots: other documents, new objects, the last results in use. "
    "The two were measured one after the other, so a factor also has what the machine did meanwhile, which is the same for all cases"
)


def under_both(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The measured rows of each case under `hot` and under `varied`, with the same data and operation, fastest first."""
    able = [row for row in rows if row.time_ns is not None]
    known = {_key(row): row for row in able if row.conditions == BEFORE}
    pairs = [(known[_key(row)], row) for row in able if row.conditions == AFTER and _key(row) in known]
    return sorted(pairs, key=lambda pair: pair[1].time_ns or 0.0)


def conditions_table(rows: Sequence[Row]) -> Table:
    """Time and rank of each case under both conditions, and how many times as long it takes under `varied`."""
    pairs = under_both(rows)
    several = differing_facts(row for _, row in pairs)
    unit, name = words.unit_of([row.time_ns or 0.0 for row, _ in pairs])
    headings: dict[str, Side] = {
        "case": "left",
        f"{BEFORE}, {name}": "right",
        f"{AFTER}, {name}": "right",
        "factor": "right",
        "rank in its work class": "left",
    }
    lines = [
        (
            style.case_label(after, several),
            words.time_label(before, unit),
            words.time_label(after, unit),
            words.with_half_width(*_factor(before, after)),
            _ranks(before, after),
        )
        for before, after in pairs
    ]
    return Table.of_lines(headings, lines)


def conditions_figure(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """Time under both conditions, a line for each case, with the factor and the ranks beside it.

    Differences below `least` are noise.
    """
    pairs = under_both(rows)
    several = differing_facts(row for _, row in pairs)
    labels = [style.case_label(row, several) for _, row in pairs]
    unit, unit_name = words.unit_of([row.time_ns or 0 for row, _ in pairs])
    drawn = style.layout(
        conditions_finding(rows, least),
        [FOOT, *words.about_lines(info, None)],
        max(len(pairs), 2) * CONDITIONS_LINE_PX,
        theme,
        labels=labels,
    )
    layout = drawn["layout"]
    times = [[(row.time_ns or 0) / unit for row in both] for both in pairs]
    shown = [time for both in times for time in both]
    shown.append(2 * max(shown, default=1))  # there is room for the text
    layout["xaxis"] = style.log_axis(theme, shown, title=f"{unit_name} per operation")
    layout["yaxis"] = style.category_axis(theme, labels)
    line = {"color": THEMES[theme].faint, "width": 2}
    for label, ends, (before, row) in zip(labels, times, pairs, strict=True):
        colour, symbol = style.library_mark(row.library)
        marker = {"size": [6, 11], "color": colour, "symbol": symbol, "opacity": 1}
        text = f"{words.with_half_width(*_factor(before, row))}, rank {_ranks(before, row)}"
        hover = [
            f"<b>{label}</b><br>{name}: {words.three_digits(end)} {unit_name}<br>{text}"
            for name, end in zip((BEFORE, AFTER), ends, strict=True)
        ]
        drawn["data"].append(
            style.scatter(ends, [label, label], hover, mode="lines+markers", line=line, marker=marker, showlegend=False)
        )
        layout["annotations"].append(
            {
                "x": math.log10(max(ends)),
                "y": label,
                "text": text,
                "showarrow": False,
                "xanchor": "left",
                "xshift": 12,
                "font": {"size": 11},
            }
        )
    return drawn


def conditions_finding(rows: Sequence[Row], least: float = 0.0) -> str:
    """The least and the greatest factor, and how many cases are proven to change their order with another.

    Differences below `least` are noise.
    """
    pairs = under_both(rows)
    if not pairs:
        return "No case was measured under both conditions"
    several = differing_facts(row for _, row in pairs)
    ranked = sorted(pairs, key=lambda pair: _factor(*pair)[0])
    low, high = ranked[0], ranked[-1]
    told = [f"{words.case_name(row, several)} {_needs(before, row, least)}" for before, row in (high, low)]
    if (
        _differs(*high, least)
        and _differs(*low, least)
        and not is_proven(*quotient(_factor(*high), _factor(*low)), least)
    ):
        told.append(f"with {words.NO_DIFFERENCE} between the two")
    moved = sum(any(_changes(pair, other, least) for other in pairs) for pair in pairs)
    return words.noisy(
        f"{pairs[0][1].operation}: with the documents of a service instead of one repeated, {', '.join(told)}; {moved} of "
        f"{words.counted(len(pairs), 'case')} {'is' if moved == 1 else 'are'} proven to change order with another of the same work class",
        least,
    )


def _differs(before: Row, after: Row, least: float) -> bool:
    return is_proven(*_factor(before, after), least)


def _needs(before: Row, after: Row, least: float) -> str:
    factor = words.factor_text(_factor(before, after)[0])
    return f"needs {factor} the time" if _differs(before, after, least) else f"shows {words.NO_DIFFERENCE}"


def _changes(pair: tuple[Row, Row], other: tuple[Row, Row], least: float) -> bool:
    """Whether one of two cases of a work class is proven slower under one of the conditions, and the other under the other."""
    (before, after), (others, afterwards) = pair, other
    if (before.work_class, after.work_class) != (others.work_class, afterwards.work_class):
        return False
    falls = is_slower(others, before, least) and is_slower(after, afterwards, least)
    return falls or (is_slower(before, others, least) and is_slower(afterwards, after, least))


def _key(row: Row) -> tuple[object, ...]:
    point = row.point
    return (case_of(row), row.operation, point.workload, point.records, point.depth, point.seed)


def _factor(before: Row, after: Row) -> tuple[float, float, float]:
    """How many times as long the second takes, with its 95 % interval."""
    ends = [(row.time_ns, row.time_ns_low, row.time_ns_high) for row in (after, before)]
    return quotient(*([value or middle or math.nan for value in (middle, low, high)] for middle, low, high in ends))


def _ranks(before: Row, after: Row) -> str:
    ranks = [str(row.rank or "–") for row in (before, after)]
    return ranks[0] if ranks[0] == ranks[1] else " → ".join(ranks)


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
    view, compared = views.tradeoff(able, least), weighed(able)
    foot = [
        (
            "Further left is faster, further down smaller; circles check every type, diamonds convert, crosses check nothing. "
            "No other case is as fast, as small and as strict as one that is named"
        ),
        *([NOT_COMPARED] if len(compared) < len(able) else []),
        *words.about_lines(info, None),
    ]
    drawn = style.layout(view.title, foot, BODY_PX, theme, left_px=80)
    unit, unit_name = words.unit_of([row.time_ns or 0 for row in able])
    layout = drawn["layout"]
    times = [value / unit for row in able for value in (row.time_ns_low, row.time_ns_high) if value]
    layout["xaxis"] = style.log_axis(theme, times, title=f"{unit_name} per operation")
    smallest, largest = (pick([row.size_bytes or 0 for row in able], default=pick is max) for pick in (min, max))
    is_log = largest >= MOST_LINEAR * max(smallest, 1)
    layout["yaxis"] = (
        style.log_axis(theme, [smallest, largest], title="bytes") if is_log else _linear_axis(theme, smallest, largest)
    )
    on_front = set(map(id, view.lines))
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
        for number, row in enumerate(view.lines)
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


def finding_of(figure: Figure) -> str:
    """What a figure shows, in a sentence, and what it is of."""
    told = figure["layout"]["meta"]
    return ". ".join(unescape(told[name]) for name in ("finding", "below") if told.get(name))


def drawn(figure: Figure) -> go.Figure:
    """The figure as an object of Plotly, which shows itself with its finding as a text alternative."""
    import plotly.graph_objects as go

    class Drawn(go.Figure):  # type: ignore[misc]  # Plotly is untyped
        """A figure whose text is its finding."""

        _ipython_display_ = None  # Plotly's own would show it without this bundle

        def _repr_mimebundle_(self, *positional: Any, **named: Any) -> dict[str, Any]:
            """Plotly's own bundle; text/html is a labelled figure, text/plain its finding."""
            bundle = dict(super()._repr_mimebundle_(*positional, **named))
            text = finding_of(self.to_plotly_json())
            if "text/html" in bundle:
                bundle["text/html"] = f'<div role="figure" aria-label="{escape(text)}">{bundle["text/html"]}</div>'
            return {**bundle, "text/plain": text}

    return Drawn(figure)


@dataclass(frozen=True)
class Folded:
    """Modules by their titles; they display themselves as lines that open."""

    sources: Mapping[str, str]

    def __str__(self) -> str:
        return "\n".join(f"# {title}\n\n{source}" for title, source in self.sources.items())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown with parts that open for notebooks and forges."""
        parts = [
            f"<details><summary>{html(title)}</summary>\n\n{_fenced(source)}\n\n</details>\n"
            for title, source in self.sources.items()
        ]
        return {"text/plain": str(self), "text/markdown": "\n".join(parts)}


def _fenced(source: str) -> str:
    fence = "```"
    while fence in source:
        fence += "`"
    return f"{fence}python\n{source.rstrip()}\n{fence}"
