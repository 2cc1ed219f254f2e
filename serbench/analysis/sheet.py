"""A table as lines of text: columns that fit the terminal, lines in sections, and what is missing from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

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
class Sheet:
    """A table, which shows itself in a terminal with the columns that there is room for.

    Attributes:
        title: what it is of.
        columns: all of them, each with a cell for every line.
        sections: how many lines stand below each heading.
        failures: what has no line, each with its reason.
    """

    title: str
    columns: list[Column]
    sections: list[tuple[str, int]]
    failures: list[str] = field(default_factory=list)

    def parts(self, columns: Sequence[Column]) -> Iterator[tuple[str, list[list[str]]]]:
        """The heading of each section and the cells of its lines."""
        start = 0
        for name, count in self.sections:
            yield name, [[column.cells[line] for column in columns] for line in range(start, start + count)]
            start += count

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol: title, a block of lines for each section, and what is missing."""
        from rich.text import Text

        yield Text(self.title, style="bold")
        columns, widths = fit(self.columns, options.max_width)
        if self.sections:
            yield _grid(columns, widths, [[column.heading for column in columns]], "dim")
        for name, lines in self.parts(columns):
            yield Text(name, style="italic cyan")
            yield _grid(columns, widths, lines, "")
        if self.failures:
            yield Text("not measured", style="italic cyan")
            for line in self.failures:
                yield hanging("-", line)
        yield Text()


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


def hanging(mark: str, text: str, style: str = "") -> RenderableType:
    """A paragraph that hangs on its mark."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(mark, style=style), Text(text, style=style))
    return grid
