"""The widths of a table's columns in a terminal, and which of them there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serbench.display.table import Column

GAP = 2
"""Signs between the columns of a table with sections."""
LEAST_NAME = 30
"""How narrow a column of names may become before a less important column is left out."""


def fit(columns: Sequence[Column], width: int, gap: int = GAP) -> tuple[list[Column], list[int]]:
    """The columns that fit and their widths: names are narrowed first, then columns are left out, then words broken."""
    kept = list(columns)
    while True:
        fixed = sum(column.width for column in kept if not column.folds) + gap * (len(kept) - 1)
        names = [column.width for column in kept if column.folds]
        room = width - fixed
        if sum(names) <= room or sum(min(name, LEAST_NAME) for name in names) <= room:
            break
        spare = max(kept, key=lambda column: column.spare, default=None)
        if spare is None or spare.spare == 0:
            break
        kept.remove(spare)
    words = [column.least for column in kept if column.folds]
    while sum(names) > max(room, 2 * len(names)) and names:
        widest = max(range(len(names)), key=lambda at: (names[at] > words[at], names[at]))
        names[widest] -= 1
    left = iter(names)
    return kept, [next(left) if column.folds else column.width for column in kept]


def with_bars(
    columns: Sequence[Column], widths: Sequence[int], most: int, *, ascii_only: bool
) -> tuple[list[Column], list[int]]:
    """Columns and widths, with a column of bars behind each that has some; the longest is `most` signs long."""
    columns, widths = list(columns), list(widths)
    for at in reversed(range(len(columns))):
        if columns[at].bars:
            longest = max(columns[at].bars)
            cells = [bar(value / longest, most, ascii_only=ascii_only) for value in columns[at].bars]
            columns.insert(at + 1, replace(columns[at], heading="", cells=cells, side="left", bars=()))
            widths.insert(at + 1, most)
    return columns, widths


def bar(part: float, most: int, *, ascii_only: bool = False) -> str:
    """A bar whose length is a part of `most` signs; anything above 0 can be seen."""
    if ascii_only:
        return "#" * max(round(part * most), part > 0)
    whole, eighths = divmod(max(round(part * most * 8), part > 0), 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[eighths].strip()
