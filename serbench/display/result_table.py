"""The tables of a run: ties as ties, work classes apart, failures with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from serbench.display import words
from serbench.display.overall import overall_tables
from serbench.display.side_by_side import side_by_side
from serbench.display.table import Column, Table, Tables
from serbench.display.words import Board
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
    boards = map(board_table, words.boards(rows, across_classes=across_classes))
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
    return Tables([board_table(board) for board in words.boards(leading)])


def board_table(board: Board) -> Table:
    """A board with one section for each work class, and the cases that could not be measured."""
    sections = [(name, len(rows)) for name, rows in board.sections]
    title = board.title + _reference(board)
    return Table(title, _columns(board) if board.measured else [], sections, failures=board.failures)


def _reference(board: Board) -> str:
    """The reference with its time, if it does not stand in the first section, where it would be seen."""
    for number, (_, rows) in enumerate(board.sections):
        for row in rows:
            if row.reference:
                unit, name = words.unit_of([row.time_ns or 1.0])
                time = f"{words.time_label(row, unit)} {name}"
                return f" · reference {words.case_name(row, board.several)}, {time}" if number else ""
    return ""


def _columns(board: Board) -> list[Column]:
    """All columns that the board's measured rows fill."""
    rows = board.measured
    several = board.several
    times = [row.time_ns for row in rows if row.time_ns is not None]
    each = [row.time_per_record_ns for row in rows if row.time_per_record_ns is not None]
    sizes = [float(row.size_bytes) for row in rows if row.size_bytes is not None]
    unit, unit_name = words.unit_of(times)
    each_unit, each_name = words.unit_of(each)
    size_unit, size_name = words.unit_of([min(sizes, default=1.0)], words.BYTES)
    columns = [
        Column("#", [words.rank_label(row, section) for _, section in board.sections for row in section]),
        Column("library", [words.library_label(row, several) for row in rows], side="left"),
        Column("codec", [words.codec_label(row) for row in rows], side="left"),
        Column(f"{unit_name}/op", [words.time_label(row, unit) for row in rows]),
        Column(f"{each_name}/record", [words.number(row.time_per_record_ns, each_unit) for row in rows], spare=2),
        Column("ratio", [words.ratio_label(row) for row in rows]),
        Column("first", [words.first_label(row) for row in rows], spare=4),
        Column("MB/s", [words.number(row.mb_per_s, 1.0) for row in rows], spare=3),
        Column(size_name, [words.size_label(row, size_unit) for row in rows], spare=1),
    ]
    useless = {f"{each_name}/record"} if times == each else set()
    useless |= {"first"} if all(len(section) < 2 for _, section in board.sections) else set()
    return [column for column in columns if any(column.cells) and column.heading not in useless]
