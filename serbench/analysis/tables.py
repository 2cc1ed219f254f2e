"""The result table in a terminal: ties as ties, work classes apart, failures with their reasons."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.display import Board, Info
from serbench.analysis.overall import overall_boards
from serbench.analysis.rows import Row
from serbench.analysis.sheet import Column, Sheet, hanging
from serbench.analysis.side_by_side import side_by_side

if TYPE_CHECKING:
    from rich.console import Group, RenderableType


def table(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    warnings: Sequence[str],
    info: Info,
    *,
    across_classes: bool = False,
) -> Group:
    """What `rich.print` shows of a run: its tables, footnotes, origin, accuracy and warnings.

    `across_classes` must be what the rows were ranked with.
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        *sheets(rows, across_classes=across_classes),
        *(Text(note, style="dim") for note in display.footnotes(rows)),
        Text(),
        *(Text(line, style="dim") for line in display.about_lines(info, control)),
        *(hanging("!", warning, style="yellow") for warning in warnings),
    )


def sheets(rows: Sequence[Row], *, across_classes: bool = False) -> list[Sheet]:
    """The tables of a run: a board for each operation, all side by side where there are several formats, means over all data."""
    boards = map(board_sheet, display.boards(rows, across_classes=across_classes))
    return [*boards, *side_by_side(rows), *(board.sheet for board in overall_boards(rows))]


def board_sheet(board: Board) -> Sheet:
    """A board with one section for each work class, and the cases that could not be measured."""
    columns = board_columns(board) if board.measured else []
    return Sheet(board.title, columns, [(name, len(rows)) for name, rows in board.sections], board.failures)


def board_columns(board: Board) -> list[Column]:
    """All columns that the board's measured rows fill, for a terminal without end."""
    rows = board.measured
    several = board.apart
    times = [row.time_ns for row in rows if row.time_ns is not None]
    each = [row.time_per_record_ns for row in rows if row.time_per_record_ns is not None]
    sizes = [float(row.size_bytes) for row in rows if row.size_bytes is not None]
    speeds = [row.mb_per_s for row in rows if row.mb_per_s is not None]
    unit, unit_name = display.unit_of(times)
    each_unit, each_name = display.unit_of(each)
    size_unit, size_name = display.unit_of([min(sizes, default=1.0)], display.BYTES)
    columns = [
        Column("#", [display.rank_label(row, section) for _, section in board.sections for row in section]),
        Column("library", [display.library_label(row, several) for row in rows], name=True),
        Column("codec", [display.codec_label(row) for row in rows], name=True),
        Column(f"{unit_name}/op", [display.time_label(row, unit) for row in rows]),
        Column(f"{each_name}/record", [display.number(row.time_per_record_ns, each_unit) for row in rows], spare=2),
        Column("ratio", [display.ratio_label(row) for row in rows]),
        Column("first", [display.first_label(row) for row in rows], spare=4),
        Column("MB/s", [display.number(row.mb_per_s, 1.0) for row in rows], spare=3),
        Column(size_name, [display.size_label(row, size_unit) for row in rows], spare=1),
    ]
    useless = {f"{each_name}/record"} if times == each else set()
    useless |= {"MB/s"} if not speeds else set()
    useless |= {size_name} if not sizes else set()
    useless |= {"first"} if all(len(section) < 2 for _, section in board.sections) else set()
    return [column for column in columns if column.heading not in useless]


def as_text(renderable: RenderableType) -> str:
    """What a terminal of 120 columns without colours would show."""
    from rich.console import Console

    file = io.StringIO()
    # In a notebook Rich would show it as well as write it.
    Console(file=file, width=120, color_system=None, force_jupyter=False).print(renderable)
    return file.getvalue()
