"""The ranking as a figure: a dot with its interval for each case, on a logarithmic axis, with no bars."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from hashlib import blake2s
from html import escape
from typing import TYPE_CHECKING, Any

from serbench.analysis import display
from serbench.analysis.display import Board, Info
from serbench.analysis.rows import Row

if TYPE_CHECKING:
    import plotly.graph_objects as go

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5B5B5B")
"""Okabe & Ito's colours, which the colour-blind can tell apart, with their yellow, too pale on white, left out."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
SALT = b"63649"
"""Found by search: six widely used libraries differ in colour, and hardly two of the 37 known ones share a mark."""
LINE_PX, HEAD_PX, FOOT_LINE_PX, HEAD_FIGURE_PX = 22, 58, 16, 84
CHARACTER_PX = 6
FOOT_WIDTH, TITLE_WIDTH = 140, 70


def library_mark(library: str) -> tuple[str, str]:
    """The colour and symbol of a library: by its name alone, so that they are the same in every figure."""
    digest = int.from_bytes(blake2s(library.encode(), digest_size=4, salt=SALT).digest(), "big")
    return PALETTE[digest % len(PALETTE)], SYMBOLS[digest // len(PALETTE) % len(SYMBOLS)]


def figure(
    rows: Sequence[Row],
    info: Info,
    *,
    control: Mapping[str, float | int | None] | None = None,
    across_classes: bool = False,
) -> go.Figure:
    """Time per operation of every measured case: a panel for each point, operation and work class.

    The title is what the first board shows; unresolved cases are open dots; what failed is named below.
    """
    from plotly.subplots import make_subplots

    boards = [board for board in display.boards(rows, across_classes=across_classes) if board.measured]
    panels = [(board, name, section) for board in boards for name, section in board.sections]
    counts = [len(section) for _, _, section in panels] or [1]
    foot = footer(rows, info, control)
    body = sum(counts) * LINE_PX + len(counts) * HEAD_PX
    below = 50 + FOOT_LINE_PX * len(foot)
    height = body + HEAD_FIGURE_PX + below
    drawn = make_subplots(
        rows=len(counts),
        cols=1,
        row_heights=[count * LINE_PX + 8 for count in counts],
        vertical_spacing=min(HEAD_PX / body, 0.9 / len(counts)) if len(counts) > 1 else 0,
        subplot_titles=[escape(_panel_title(board, name)) for board, name, _ in panels] or None,
    )
    seen: set[str] = set()
    resolved = {row.library for _, _, section in panels for row in section if row.status == "ok"}
    for place, (board, _, section) in enumerate(panels, start=1):
        _add_panel(drawn, place, board, section, seen, resolved)
    finding = display.finding(boards[0]) if boards else "Nothing could be measured"
    title = "<br>".join(escape(line) for line in textwrap.wrap(finding, TITLE_WIDTH))
    drawn.update_layout(
        title={
            "text": f"<b>{title}</b>",
            "x": 0.01,
            "xref": "container",
            "y": 1 - 32 / height,
            "yref": "container",
            "yanchor": "top",
        },
        height=height,
        margin={"l": 20, "r": 20, "t": HEAD_FIGURE_PX, "b": below},
        template="plotly_white",
        legend={"title": "library"},
        font={"size": 12},
    )
    drawn.update_annotations(x=0, xanchor="left", font_size=13)
    longest = max((len(str(label)) for trace in drawn.data for label in trace.y), default=0)
    _add_footer(drawn, foot, left=round(CHARACTER_PX * longest))
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
    return [part for line in lines for part in textwrap.wrap(line, FOOT_WIDTH)]


def _panel_title(board: Board, section: str) -> str:
    return f"{board.title} · {section}"


def _add_panel(
    figure: go.Figure, place: int, board: Board, section: Sequence[Row], seen: set[str], resolved: set[str]
) -> None:
    """One panel: a group of traces for each library, so that the legend switches libraries on and off.

    Open and filled dots are traces of their own, because a legend shows the first dot of a trace: it is a
    filled one for all libraries that have one.
    """
    unit, unit_name = display.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])
    several = board.apart
    labels = [_label(row, several, section) for row in section]
    groups: dict[tuple[str, bool], list[tuple[Row, str]]] = {}
    for row, label in zip(section, labels, strict=True):
        groups.setdefault((row.library, row.status != "ok"), []).append((row, label))
    for (library, is_open), members in groups.items():
        in_legend = library not in seen and (not is_open or library not in resolved)
        figure.add_trace(_trace(library, members, unit, unit_name, in_legend), row=place, col=1)
        seen |= {library} if in_legend else set()
    times = [value / unit for row in board.measured for value in (row.time_ns_low, row.time_ns_high) if value]
    figure.update_xaxes(type="log", title_text=f"{unit_name} per operation", row=place, col=1, title_standoff=4)
    ticks = _log_ticks(times)
    figure.update_xaxes(
        range=_log_range(times), tickvals=ticks, ticktext=[f"{t:,.9g}" for t in ticks], row=place, col=1
    )
    figure.update_xaxes(minor={"dtick": "D1", "showgrid": True, "gridcolor": "#F3F3F3"}, row=place, col=1)
    figure.update_yaxes(categoryorder="array", categoryarray=labels[::-1], automargin=True, row=place, col=1)
    figure.update_yaxes(range=[-0.7, len(labels) - 0.3], row=place, col=1)


def _trace(
    library: str, members: Sequence[tuple[Row, str]], unit: float, unit_name: str, in_legend: bool
) -> dict[str, Any]:
    colour, symbol = library_mark(library)
    times = [(row.time_ns or 0) / unit for row, _ in members]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": escape(library),
        "legendgroup": library,
        "showlegend": in_legend,
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
        "customdata": [[escape(display.ratio_label(row)), row.waves] for row, _ in members],
        "hovertemplate": f"%{{y}}<br>%{{x:.4g}} {unit_name}<br>%{{customdata[0]}}, %{{customdata[1]}} waves<extra></extra>",
    }


def _label(row: Row, several: Mapping[str, AbstractSet[str]], section: Sequence[Row]) -> str:
    star = display.BY_WALL if row.clock == "wall" else ""
    name = f"{display.library_label(row, several)} + {display.codec_label(row)}{star}"
    return escape(f"{name}  {display.rank_label(row, section)}")


def _log_range(times: Sequence[float]) -> list[float]:
    from math import log10

    low, high = log10(min(times)), log10(max(times))
    pad = max(0.04 * (high - low), 0.05)
    return [low - pad, high + pad]


def _log_ticks(times: Sequence[float]) -> list[float]:
    """1, 2 and 5 of each decade in reach, or 1 alone where that would be too many, written out: plotly's own say 2 for 0.2."""
    from math import ceil, floor, log10

    low, high = log10(min(times)), log10(max(times))
    steps = (1, 2, 5) if high - low < 3 else (1,)
    return [step * 10.0**decade for decade in range(floor(low) - 1, ceil(high) + 1) for step in steps]


def foot_note(figure: go.Figure, info: Info) -> None:
    """Where a figure comes from, below it."""
    _add_footer(
        figure, [part for line in display.about_lines(info, None) for part in textwrap.wrap(line, FOOT_WIDTH)], 0
    )


def _add_footer(figure: go.Figure, lines: Sequence[str], left: int) -> None:
    figure.add_annotation(
        text="<br>".join(escape(line) for line in lines),
        x=0,
        xref="paper",
        y=0,
        yref="paper",
        xshift=-left,
        yshift=-45,
        xanchor="left",
        yanchor="top",
        align="left",
        showarrow=False,
        font={"size": 10, "color": "#555555"},
    )
