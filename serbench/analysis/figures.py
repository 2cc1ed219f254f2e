"""The ranking as a figure: a dot with its interval for each case, on a logarithmic axis, with no bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from serbench.analysis import display, style
from serbench.analysis.display import Board, Info
from serbench.analysis.rows import Row
from serbench.analysis.style import THEMES, Figure, ThemeName

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE_PX, PANEL_PX = 22, 58
BRACKET_PX = 8


def figure(
    rows: Sequence[Row],
    info: Info,
    *,
    control: Mapping[str, float | int | None] | None = None,
    across_classes: bool = False,
    theme: ThemeName = "light",
) -> go.Figure:
    """`ranking`, as an object of Plotly."""
    import plotly.graph_objects as go

    return go.Figure(ranking(rows, info, control=control, across_classes=across_classes, theme=theme))


def ranking(
    rows: Sequence[Row],
    info: Info,
    *,
    control: Mapping[str, float | int | None] | None = None,
    across_classes: bool = False,
    theme: ThemeName = "light",
) -> Figure:
    """Time per operation of every measured case: a panel for each point, operation and work class.

    The title is what the first board shows; unresolved cases are open dots; rows of one rank are held
    together by a bracket; what failed is named below.
    """
    boards = [board for board in display.boards(rows, across_classes=across_classes) if board.measured]
    panels = [(board, name, section) for board in boards for name, section in board.sections]
    body = max(sum(len(section) for _, _, section in panels) * LINE_PX + (len(panels) - 1) * PANEL_PX, LINE_PX)
    finding = display.finding(boards[0]) if boards else "Nothing could be measured"
    longest = max((len(label) for board, _, s in panels for label in _labels(board, s)), default=0)
    drawn = style.layout(finding, footer(rows, info, control), body, theme, left_px=style.CHARACTER_PX * longest)
    drawn["layout"]["legend"]["x"] = 1.09  # right of the brackets
    seen: set[str] = set()
    resolved = {row.library for _, _, section in panels for row in section if row.status == "ok"}
    top = 1.0
    for place, (board, name, section) in enumerate(panels, start=1):
        low = max(top - len(section) * LINE_PX / body, 0.0)
        _add_panel(drawn, place, board, section, (low, top), theme)
        drawn["layout"]["annotations"].insert(-1, style.panel_title(f"{board.title} · {name}", top, theme))
        drawn["data"] += _traces(place, board, section, seen, resolved)
        top = low - PANEL_PX / body
    return drawn


def footer(rows: Sequence[Row], info: Info, control: Mapping[str, float | int | None] | None) -> list[str]:
    """How to read the figure, what is missing in it, and where it comes from."""
    reading = (
        "Dots are mean CPU time per operation over fresh processes, lines their 95 % intervals; further left is faster"
    )
    if any(row.clock == "wall" for row in rows):
        reading += "; starred cases use threads and are timed by the wall clock"
    if any(row.status == "unresolved" for row in rows):
        reading += "; open dots are not known to the precision asked for"
    missing = list(dict.fromkeys(f"{row.library} + {row.codec} ({row.status})" for row in rows if not row.measured))
    lines = [reading, *display.about_lines(info, control)]
    if missing:
        lines.insert(1, f"Not measured: {', '.join(missing)}")
    return lines


def _add_panel(
    drawn: Figure, place: int, board: Board, section: Sequence[Row], domain: tuple[float, float], theme: ThemeName
) -> None:
    """The axes of one panel, and a bracket around each tie."""
    number = "" if place == 1 else str(place)
    unit, unit_name = _unit(board)
    labels = _labels(board, section)
    times = [value / unit for row in board.measured for value in (row.time_ns_low, row.time_ns_high) if value]
    drawn["layout"][f"xaxis{number}"] = style.log_axis(
        theme, times, title={"text": f"{unit_name} per operation", "standoff": 4}, anchor=f"y{number}"
    )
    drawn["layout"][f"yaxis{number}"] = style.axis(
        theme,
        type="category",
        categoryorder="array",
        categoryarray=labels[::-1],
        range=[-0.7, len(labels) - 0.3],
        domain=list(domain),
        anchor=f"x{number}",
        tickmode="array",
        tickvals=labels,
        tickfont={"size": 11.5},
    )
    colour = THEMES[theme].faint
    for first, last in ties(section):
        ends = [len(labels) - 1 - first + 0.3, len(labels) - 1 - last - 0.3]
        drawn["layout"]["shapes"].append(
            {
                "type": "path",
                "xref": "paper",
                "yref": f"y{number}",
                "xsizemode": "pixel",
                "xanchor": 1,
                "path": f"M 4 {ends[0]} L {4 + BRACKET_PX} {ends[0]} L {4 + BRACKET_PX} {ends[1]} L 4 {ends[1]}",
                "line": {"color": colour, "width": 1.2},
            }
        )
        drawn["layout"]["annotations"].insert(
            -1,
            {
                "text": f"{section[first].rank}=",
                "x": 1,
                "xref": "paper",
                "xshift": 8 + BRACKET_PX,
                "y": sum(ends) / 2,
                "yref": f"y{number}",
                "xanchor": "left",
                "showarrow": False,
                "font": {"size": 11, "color": colour},
            },
        )


def ties(section: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """The first and last place of each group of rows that share a rank."""
    start = 0
    for _, group in groupby(section, key=lambda row: row.rank):
        length = len(list(group))
        if length > 1:
            yield start, start + length - 1
        start += length


def _traces(
    place: int, board: Board, section: Sequence[Row], seen: set[str], resolved: set[str]
) -> Iterator[dict[str, Any]]:
    """A group of traces for each library, so that the legend switches libraries on and off.

    Open and filled dots are traces of their own, because a legend shows the first dot of a trace: it is a
    filled one for all libraries that have one.
    """
    unit, _ = _unit(board)
    groups: dict[tuple[str, bool], list[tuple[Row, str]]] = {}
    for row, label in zip(section, _labels(board, section), strict=True):
        groups.setdefault((row.library, row.status != "ok"), []).append((row, label))
    for (library, is_open), members in groups.items():
        in_legend = library not in seen and (not is_open or library not in resolved)
        yield _trace(place, library, members, unit, in_legend)
        seen |= {library} if in_legend else set()


def _trace(
    place: int, library: str, members: Sequence[tuple[Row, str]], unit: float, in_legend: bool
) -> dict[str, Any]:
    colour, symbol = style.library_mark(library)
    number = "" if place == 1 else str(place)
    times = [(row.time_ns or 0) / unit for row, _ in members]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(library),
        "legendgroup": escape(library),
        "showlegend": in_legend,
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "x": times,
        "y": [label for _, label in members],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(row.time_ns_high or 0) / unit - time for (row, _), time in zip(members, times, strict=True)],
            "arrayminus": [time - (row.time_ns_low or 0) / unit for (row, _), time in zip(members, times, strict=True)],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        "marker": {
            "color": colour,
            "size": 8,
            "symbol": [symbol + ("-open" if row.status == "unresolved" else "") for row, _ in members],
        },
        "hovertext": [style.hover(row) for row, _ in members],
        "hoverinfo": "text",
    }


def _unit(board: Board) -> tuple[float, str]:
    return display.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])


def _labels(board: Board, section: Sequence[Row]) -> list[str]:
    several = board.apart
    return [_label(row, several, section) for row in section]


def _label(row: Row, several: Mapping[str, AbstractSet[str]], section: Sequence[Row]) -> str:
    return f"{style.case_label(row, several)}  {display.rank_label(row, section)}"
