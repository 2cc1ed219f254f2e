"""The result table in a terminal: ties as ties, work classes apart, failures with their reasons."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.display import Board, Info
from serbench.analysis.overall import overall, overall_group
from serbench.analysis.rows import Row

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult

GAP = 2
LEAST_NAME = 18
"""How narrow the columns of names may become before a less important column is left out."""


@dataclass(frozen=True)
class Column:
    """One column: its heading and a cell for each measured row of a board.

    Where the terminal is too narrow the column with the highest `spare` is left out first; 0 is never.
    Names are folded, figures are not.
    """

    heading: str
    cells: list[str]
    spare: int = 0
    name: bool = False

    @property
    def width(self) -> int:
        """The width that folds nothing."""
        return max(map(len, (self.heading, *self.cells)))


@dataclass(frozen=True)
class FittedBoard:
    """A Rich renderable that chooses the columns of one board by the width there is."""

    board: Board

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        yield from board_parts(self.board, options.max_width)


def table(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    warnings: Sequence[str],
    info: Info,
    *,
    across_classes: bool = False,
) -> Group:
    """What `rich.print` shows of a run: its boards, footnotes, origin, accuracy and warnings.

    `across_classes` must be what the rows were ranked with.
    """
    from rich.console import Group
    from rich.text import Text

    return Group(
        *(FittedBoard(board) for board in display.boards(rows, across_classes=across_classes)),
        *([overall_group(rows)] if overall(rows) else []),
        *(Text(note, style="dim") for note in display.footnotes(rows)),
        Text(),
        *(Text(line, style="dim") for line in display.about_lines(info, control)),
        *(hanging("!", warning, style="yellow") for warning in warnings),
    )


def board_parts(board: Board, width: int) -> Iterable[RenderableType]:
    """Title, one block of rows for each work class, and the cases that could not be measured."""
    from rich.text import Text

    yield Text(board.title, style="bold")
    columns, widths = fit(board_columns(board), width)
    if board.measured:
        yield _grid(columns, widths, [[column.heading for column in columns]], "dim")
    start = 0
    for name, rows in board.sections:
        yield Text(name, style="italic cyan")
        end = start + len(rows)
        yield _grid(columns, widths, [[column.cells[i] for column in columns] for i in range(start, end)], "")
        start = end
    if board.failed:
        yield Text("not measured", style="italic cyan")
        for line in board.failures:
            yield hanging("-", line)
    yield Text()


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
        Column(f"{unit_name}/op", [_time(row, unit) for row in rows]),
        Column(f"{each_name}/record", [_number(row.time_per_record_ns, each_unit) for row in rows], spare=2),
        Column("ratio", [display.ratio_label(row) for row in rows]),
        Column("first", [display.first_label(row) for row in rows], spare=4),
        Column("MB/s", [_number(row.mb_per_s, 1.0) for row in rows], spare=3),
        Column(size_name, [_size(row, size_unit) for row in rows], spare=1),
    ]
    useless = {f"{each_name}/record"} if times == each else set()
    useless |= {"MB/s"} if not speeds else set()
    useless |= {size_name} if not sizes else set()
    useless |= {"first"} if all(len(section) < 2 for _, section in board.sections) else set()
    return [column for column in columns if column.heading not in useless]


def fit(columns: list[Column], width: int) -> tuple[list[Column], list[int]]:
    """The columns that fit and their widths: names are narrowed first, then columns are left out."""
    columns = list(columns)
    while True:
        fixed = sum(column.width for column in columns if not column.name) + GAP * (len(columns) - 1)
        names = [column.width for column in columns if column.name]
        room = width - fixed
        if sum(names) <= room or sum(min(name, LEAST_NAME) for name in names) <= room:
            break
        spare = max(columns, key=lambda column: column.spare, default=None)
        if spare is None or spare.spare == 0:
            break
        columns.remove(spare)
    while sum(names) > max(room, 2 * len(names)) and names:
        names[names.index(max(names))] -= 1
    left = iter(names)
    return columns, [next(left) if column.name else column.width for column in columns]


def _grid(
    columns: Sequence[Column], widths: Sequence[int], lines: Iterable[Sequence[str]], style: str
) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(
            width=width, justify="left" if column.name else "right", overflow="fold", no_wrap=not column.name
        )
    for line in lines:
        grid.add_row(*(Text(cell, style=style) for cell in line))
    return grid


def as_text(renderable: RenderableType) -> str:
    """What a terminal of 120 columns without colours would show."""
    from rich.console import Console

    file = io.StringIO()
    # In a notebook Rich would show it as well as write it.
    Console(file=file, width=120, color_system=None, force_jupyter=False).print(renderable)
    return file.getvalue()


def hanging(mark: str, text: str, style: str = "") -> RenderableType:
    """A paragraph that hangs on its mark."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(mark, style=style), Text(text, style=style))
    return grid


def _number(value: float | None, unit: float) -> str:
    return "" if value is None else display.three_digits(value / unit)


def _time(row: Row, unit: float) -> str:
    return _number(row.time_ns, unit) + (display.BY_WALL if row.clock == "wall" else "")


def _size(row: Row, unit: float) -> str:
    if row.size_bytes is None:
        return ""
    number = f"{row.size_bytes:,}" if unit == 1 else display.three_digits(row.size_bytes / unit)
    return number + (display.NAMED_IN_BYTES if row.format == "pickle" else "")
