"""The ranking as a figure: a dot with its interval for each case, on a logarithmic axis, with no bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any

from serbench.display import style, words
from serbench.display.boards import Board, boards_of
from serbench.display.findings import finding, setting
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.judge.relation import least_difference
from serbench.judge.rows import Row, differing_facts
from serbench.results import Origin, grouped

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
    boards = [board for board in boards_of(rows, across_classes=across_classes) if board.measured]
    panels = [(board, name, section) for board in boards for name, section in board.sections]
    body = max(sum(len(section) for _, _, section in panels) * LINE_PX + (len(panels) - 1) * PANEL_PX, LINE_PX)
    least = least_difference(control or {})
    headline = (finding(boards[0], least), setting(boards[0])) if boards else ("Nothing could be measured", "")
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
        note = style.note(text, log10(end), 0, 11, THEMES[theme].faint)
        yield note | {"xref": f"x{number}", "yref": f"y{number}", "y": label, "xshift": 6}


def _unit(board: Board) -> tuple[float, str]:
    return words.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])


def _labels(board: Board, section: Sequence[Row]) -> list[str]:
    several = differing_facts([*board.measured, *board.failed, *section])

    is_ranked = any(row.rank is not None for row in section)
    ranks = (words.rank_label(row, section) if is_ranked else "" for row in section)
    return [f"{style.case_label(row, several)}  {rank}" for row, rank in zip(section, ranks, strict=True)]
