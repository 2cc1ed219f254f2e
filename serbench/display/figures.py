"""The ranking as a figure: a dot with its interval for each case, on a logarithmic axis, with no bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any, Literal

from serbench.display import style, words
from serbench.display.field import elsewhere_text, field_text
from serbench.display.findings import finding, setting
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.display.words import Board
from serbench.judge.field import Field
from serbench.judge.recommend import key
from serbench.judge.relation import is_proven, least_difference, relation
from serbench.judge.rows import Row, differing_facts
from serbench.results import Origin, grouped

LINE_PX, PANEL_PX = 22, 58
Dots = Literal["library", "circle", "square"]
"""What the dots of a ranking tell by their form: the library, or if they are one's own (circles) or published (squares)."""
BRACKET_PX, BRACKETS_PX = 8, 44
VALUE, COMPARED = 0.16, 0.42  # parts of the axis that the longest texts beside the dots take


def ranking(
    rows: Sequence[Row],
    info: Origin,
    *,
    control: Mapping[str, float | int | None] | None = None,
    across_classes: bool = False,
    present: Row | None = None,
    dots: Dots = "library",
    field: Field | None = None,
    least: float | None = None,
    theme: ThemeName = "light",
) -> Figure:
    """Time per operation of every measured case: a panel for each point, operation and work class.

    The title is what the first board shows, or the `field` that the rows are of; beside each dot stands its time, and how
    much faster or slower it is than `present`; unresolved cases are open dots; what is interpolated is a band without a
    dot; rows of one rank are held together by a bracket; what failed is named below. What the field has from elsewhere
    stands greyed in its place. Differences below `least` are noise; if it is None, the `control` says which.
    """
    boards = [board for board in words.boards(rows, across_classes=across_classes) if board.measured]
    panels = [(board, name, section) for board in boards for name, section in board.sections]
    if field is not None and boards:
        panels = _with_field(boards[0], field)
    body = max(sum(len(section) for _, _, section in panels) * LINE_PX + (len(panels) - 1) * PANEL_PX, LINE_PX)
    least = least_difference(control or {}) if least is None else least
    headline = (finding(boards[0], least), setting(boards[0])) if boards else ("Nothing could be measured", "")
    if field is not None:
        headline = (field_text(field, least), headline[1])
    labels = (label for board, _, section in panels for label in _labels(board, section))
    drawn = style.layout(headline[0], footer(rows, info, control), body, theme, labels=labels, below=headline[1])
    drawn["layout"]["showlegend"] = False  # each row has its name
    drawn["layout"]["margin"]["r"] = BRACKETS_PX
    top = 1.0
    for number, (board, name, section) in enumerate(panels, start=1):
        low = max(top - len(section) * LINE_PX / body, 0.0)
        _add_panel(drawn, number, board, section, (low, top), theme, present, least)
        heading = name if len(boards) == 1 else f"{board.title} · {name}"  # what all share stands below the finding
        drawn["layout"]["annotations"].insert(-1, style.panel_title(heading, top, theme))
        drawn["data"] += _traces(number, board, section, dots)
        top = low - PANEL_PX / body
    return drawn


def _with_field(board: Board, field: Field) -> list[tuple[Board, str, list[Row]]]:
    """The panels of a field: in each work class all its cases by their times, with those from elsewhere between them.

    Ranks are of one run, and so are left out beside what is not of it.
    """
    sections: dict[str, list[Row]] = dict(board.sections)
    for row in field.elsewhere:
        sections.setdefault(words.class_words(row.work_class), []).append(row)
    if not field.is_mixed:
        return [(board, name, rows) for name, rows in sections.items()]
    unranked = {name: [row.changed(rank=None) for row in rows] for name, rows in sections.items()}
    return [(board, name, sorted(rows, key=field.guess)) for name, rows in unranked.items()]


def footer(rows: Sequence[Row], info: Origin, control: Mapping[str, float | int | None] | None) -> list[str]:
    """Lines below the figure: an explanation, the missing cases, and its origin."""
    reading = (
        "Dots are mean CPU time per operation over fresh processes, lines their 95 % intervals; further left is faster"
    )
    if any(row.clock == "wall" for row in rows):
        reading += "; starred cases use threads and are timed by the wall clock"
    if any(row.status == "unresolved" for row in rows):
        reading += "; open dots are not known to the precision asked for"
    if any(row.interpolated for row in rows):
        reading += "; bands are interpolated between measured points, and not ranked"
    missing = list(
        dict.fromkeys(
            f"{words.case_words(row.library, row.library, row.codec, row.format)} ({row.status})"
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
    present: Row | None,
    least: float,
) -> None:
    """The axes of one panel, the text beside each of its dots, and a bracket around each tie."""
    unit, unit_name = _unit(board)
    labels, colour = _labels(board, section), THEMES[theme].faint
    times = [value / unit for row in board.measured for value in (row.time_ns_low, row.time_ns_high) if value]
    x = style.log_axis(theme, times, title=f"{unit_name} per operation")
    x["range"][1] += (x["range"][1] - x["range"][0]) * (VALUE if present is None else COMPARED)
    ends, font = [-0.7, len(labels) - 0.3], {"size": 11.5}
    texts = [
        f'<span style="color:{colour}">{label}</span>' if _is_elsewhere(row, board) else label
        for row, label in zip(section, labels, strict=True)
    ]
    y = style.category_axis(theme, labels, range=ends, domain=list(domain), tickfont=font, ticktext=texts)
    number = style.put_axes(drawn, panel, x, y)
    drawn["layout"]["annotations"][-1:-1] = _values(number, board, section, present, theme, least)
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


def _traces(panel: int, board: Board, section: Sequence[Row], dots: Dots) -> Iterator[dict[str, Any]]:
    """The dots of each library, with their intervals; of what is interpolated only these, as bands."""
    unit, _ = _unit(board)
    labelled = [
        pair for pair in zip(section, _labels(board, section), strict=True) if not _is_elsewhere(pair[0], board)
    ]
    for (library, is_band), members in grouped(labelled, lambda pair: (pair[0].library, pair[0].interpolated)).items():
        colour, symbol = style.library_mark(library)
        rows, labels = [row for row, _ in members], [label for _, label in members]
        times = [(row.time_ns or 0) / unit for row in rows]
        form = symbol if dots == "library" else dots
        symbols = [form + ("-open" if row.status == "unresolved" else "") for row in rows]
        line = (
            {"thickness": 9, "width": 0, "color": _pale(colour)}
            if is_band
            else {"thickness": 1.5, "width": 4, "color": colour}
        )
        yield style.scatter(
            times,
            labels,
            list(map(style.hover, rows)),
            panel=panel,
            name=style.markup(library),
            legendgroup=style.markup(library),
            error_x=style.error_bars(rows, times, [unit] * len(rows), **line),
            marker={"color": colour, "size": 8, "symbol": symbols} | ({"opacity": 0} if is_band else {}),
        )


def _pale(colour: str) -> str:
    """A colour through which the paper is seen."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.45)"


def _values(
    number: str, board: Board, section: Sequence[Row], present: Row | None, theme: ThemeName, least: float
) -> Iterator[dict[str, Any]]:
    """The text beside each dot, right of its interval."""
    unit, _ = _unit(board)
    for row, label in zip(section, _labels(board, section), strict=True):
        end = max(row.time_ns_high or 0, row.time_ns or 0) / unit
        colour = THEMES[theme].text if present is not None and key(row) == key(present) else THEMES[theme].faint
        where = {"yref": f"y{number}", "y": label, "xshift": 6}
        if _is_elsewhere(row, board):
            yield style.note(style.markup(elsewhere_text(row)), 0, 0, 11, colour) | where
        else:
            text = style.note(style.markup(_value(row, unit, present, least)), log10(end), 0, 11, colour)
            yield text | {"xref": f"x{number}", **where}


def _value(row: Row, unit: float, present: Row | None, least: float) -> str:
    """A row's time, and how it compares with what is used today."""
    time = words.three_digits((row.time_ns or 0) / unit)
    if row.interpolated:
        return " to ".join(words.number(value, unit) for value in (row.time_ns_low, row.time_ns_high))
    compared = None if present is None else relation(row, present)
    if compared is None:
        return time
    if present is not None and key(row) == key(present):
        return f"{time} · today"
    if not is_proven(compared.ratio, compared.low, compared.high, least):
        return f"{time} · {words.NO_DIFFERENCE}"
    faster = compared.ratio < 1
    return f"{time} · {words.factor_text(1 / compared.ratio if faster else compared.ratio)} {'faster' if faster else 'slower'}"


def _unit(board: Board) -> tuple[float, str]:
    return words.unit_of([row.time_ns for row in board.measured if row.time_ns is not None])


def _labels(board: Board, section: Sequence[Row]) -> list[str]:
    several = differing_facts([*board.measured, *board.failed, *section])

    is_ranked = any(row.rank is not None for row in section)
    ranks = (words.rank_label(row, section) if is_ranked else "" for row in section)
    return [f"{style.case_label(row, several)}  {rank}" for row, rank in zip(section, ranks, strict=True)]


def _is_elsewhere(row: Row, board: Board) -> bool:
    """Whether a row is of another point than its board: its case was not measured there."""
    return row.point != board.measured[0].point
