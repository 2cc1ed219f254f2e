"""The tables of a run: ties as ties, work classes apart, failures with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serbench.display import words
from serbench.display.boards import Board, boards_of
from serbench.display.overall import overall_tables
from serbench.display.side_by_side import side_by_side
from serbench.display.table import Column, Table, Tables
from serbench.judge.rows import Row, merged, work_class_key
from serbench.results import Origin, grouped


def table(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    warnings: Sequence[str],
    info: Origin,
    *,
    across_classes: bool = False,
) -> Tables:
    """A run's tables with footnotes, origin, accuracy and warnings.

    There is a board for each operation, all operations side by side if there are several formats, and means over
    all data. `across_classes` must be what the rows were ranked with.
    """
    boards = map(board_table, boards_of(rows, across_classes=across_classes))
    tables = [*boards, *side_by_side(rows), *overall_tables(rows).values()]
    return Tables(tables, words.footnotes(rows), words.about_lines(info, control), warnings)


def leaders(rows: Sequence[Row], count: int) -> Tables:
    """The fastest few of each point and operation, each in its work class."""
    fastest = sorted((row for row in merged(rows) if row.rank is not None), key=lambda row: row.time_ns or 0)
    groups = grouped(fastest, lambda row: (row.point, row.operation))
    leading = [
        row
        for ranking in groups.values()
        for row in sorted(ranking[:count], key=lambda r: work_class_key(r.work_class))
    ]
    # Without ranks: too little is measured for them, and a tie would stand beside a ratio that looks proven.
    return Tables([board_table(board, ranked=False) for board in boards_of(leading)])


def board_table(board: Board, *, ranked: bool = True) -> Table:
    """A board with one section for each work class, and the cases that could not be measured."""
    sections = [(name, len(rows)) for name, rows in board.sections]
    title = board.title + _reference(board)
    return Table(title, _columns(board, ranked=ranked) if board.measured else [], sections, failures=board.failures)


def _reference(board: Board) -> str:
    """The reference with its time, if it does not stand in the first section, where it would be seen."""
    for number, (_, rows) in enumerate(board.sections):
        for row in rows:
            if row.reference:
                time = words.with_unit(row.time_ns or 0.0)
                return f" · reference {words.case_name(row, board.several)}, {time}" if number else ""
    return ""


def _columns(board: Board, *, ranked: bool) -> list[Column]:
    """All columns that the board's measured rows fill; in a terminal the time has a bar, and its ends are coloured."""
    rows, several = board.measured, board.several
    times = [row.time_ns or 0.0 for row in rows]
    marks = [words.BY_WALL if row.clock == "wall" else "" for row in rows]
    sizes = [words.NAMED_IN_BYTES if row.format == "pickle" else "" for row in rows]
    columns = [
        Column("#", [words.rank_label(row, section) for _, section in board.sections for row in section]),
        Column("case", [words.case_name(row, several) for row in rows], side="left"),
        _fitting("{}/op", "time/op", times, words.UNITS, marks, styles=_ends(board), bars=times),
        _fitting("{}/record", "time/record", [row.time_per_record_ns for row in rows], words.UNITS, spare=2),
        Column("ratio", [words.ratio_label(row) for row in rows]),
        Column("first", [words.first_label(row) for row in rows], spare=4),
        Column("MB/s", [words.number(row.mb_per_s, 1.0) for row in rows], spare=3),
        _fitting("{}", "size", [row.size_bytes for row in rows], words.BYTES, sizes, spare=1),
    ]
    useless = {"time/record", *(f"{name}/record" for _, name in words.UNITS)} if rows[0].records == 1 else set()
    useless |= {"first"} if all(len(section) < 2 for _, section in board.sections) else set()
    useless |= set() if ranked else {"#", "first"}
    return [column for column in columns if any(column.cells) and column.heading not in useless]


def _fitting(
    common: str,
    several: str,
    values: Sequence[float | None],
    units: Sequence[tuple[float, str]],
    marks: Sequence[str] = (),
    **look: Any,
) -> Column:
    """A column of figures, each with a mark behind it: in one unit, which the heading names, or each with its own if none fits."""
    known = [value for value in values if value is not None]
    unit, name = words.unit_of(known, units)
    fits = all(unit / 10 <= value < unit * 10_000 for value in known)
    cells = [
        "" if value is None else (words.amount(value, unit, units) if fits else words.with_unit(value, units)) + mark
        for value, mark in zip(values, marks or [""] * len(values), strict=True)
    ]
    return Column(common.format(name) if fits else several, cells, **look)


def _ends(board: Board) -> list[str]:
    """The style of each row's time: the fastest of a section, and the slowest of several."""
    styles = []
    for _, rows in board.sections:
        times = [row.time_ns or 0.0 for row in rows]
        best, worst = min(times), max(times)
        styles += ["green" if time == best else "red" if time == worst else "" for time in times]
    return styles
