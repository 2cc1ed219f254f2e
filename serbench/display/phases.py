"""The phases of a case: their colours, and tables of all operations side by side."""

from __future__ import annotations

from collections.abc import Sequence

from serbench.display import words
from serbench.display.table import Column, Table
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import Row, by_case, case_of, decoding_classes, differing_facts, work_class_key
from serbench.results import grouped

PHASES = {
    "build": ("#CC79A7", "values → objects"),
    "dump": ("#0072B2", "objects → builtins"),
    "dumps": ("#56B4E9", "builtins → bytes"),
    "encode": ("#5A7D9A", "objects → bytes in one step"),
    "loads": ("#E69F00", "bytes → builtins"),
    "load": ("#D55E00", "builtins → objects"),
    "decode": ("#A8763E", "bytes → objects in one step"),
    "read": ("#009E73", "touch every field"),
}
"""The colour and meaning of each phase."""
WHOLE = ("encode", "decode", "read")
"""The operations that follow each other when data is sent; lines are sorted by their sum."""
_PACKED = {"gzip": "gunzip", "zstd": "unzstd"}
_UNSURE, _BEYOND = "?", 0.05
"""A time is marked if its 95 % interval reaches farther than this part of it."""


def side_by_side(rows: Sequence[Row]) -> list[Table]:
    """A table for each workload point that has several formats and more than two operations; boards say the rest.

    Sections separate kinds of result, and lossy cases. Within a section the least sum of encode, decode and read
    comes first; cases that lack one of these come last.
    """
    classes = dict(zip(map(id, rows), decoding_classes(rows), strict=True))
    points = grouped((row for row in rows if row.measured), lambda row: row.point)
    return [
        _table(members, [classes[id(row)] for row in members])
        for members in points.values()
        if len({row.format for row in members}) > 1 and len({row.operation for row in members}) > 2
    ]


def _table(rows: list[Row], classes: list[str]) -> Table:
    cases = by_case(rows)
    checks = {case_of(row): work_class for row, work_class in zip(rows, classes, strict=True)}
    operations = list(dict.fromkeys(row.operation for row in rows))
    wanted = [name for name in WHOLE if name in operations] or operations
    ordered = sorted(cases, key=lambda key: (work_class_key(_holder(checks[key])), _whole(cases[key], wanted)))
    sections = grouped(ordered, lambda key: _holder(checks[key]))
    order = [key for keys in sections.values() for key in keys]
    title = f"{words.point_words(rows[0].point)}: all operations, the least of {' + '.join(wanted)} first"
    columns = _columns([cases[key] for key in order], [_checked(checks[key]) for key in order], operations)
    marked = any(cell.endswith(_UNSURE) for column in columns for cell in column.cells)
    notes = [f"{_UNSURE} the 95 % interval is wider than ± {_BEYOND * 100:.0f} %"] if marked else []
    return Table(title, columns, [(words.class_words(name), len(keys)) for name, keys in sections.items()], notes=notes)


def _holder(work_class: str) -> str:
    """The work class without how input is checked: "objects, lossy (at: offset)"."""
    holder, _, left_out, lossy = WorkClass.parse(work_class)
    return ", ".join(filter(None, (holder, left_out, lossy)))


def _checked(work_class: str) -> str:
    checks = WorkClass.parse(work_class).checks.partition(" (")[0]
    return words.CHECKS.get(checks, checks)


def _whole(case: dict[str, Row], wanted: Sequence[str]) -> tuple[int, float]:
    """The number of wanted operations that a case lacks, and the sum of the others in ns."""
    times = [case[name].time_ns or 0.0 for name in wanted if name in case]
    return len(wanted) - len(times), sum(times)


def _columns(cases: list[dict[str, Row]], checks: list[str], operations: Sequence[str]) -> list[Column]:
    firsts = [next(iter(case.values())) for case in cases]
    several = differing_facts(firsts)
    unit, name = words.unit_of(row.time_ns for case in cases for row in case.values() if row.time_ns is not None)
    sizes = [row.size_bytes for row in firsts if row.size_bytes is not None]
    size_unit, size_name = words.unit_of([min(sizes, default=1)], words.BYTES)

    def packed(key: str, unit: float) -> list[str]:
        return [words.number(getattr(row, key), unit) for row in firsts]

    columns = [
        Column("case", [words.case_name(row, several) for row in firsts], side="left"),
        Column("checks", checks, spare=5),
        *(
            Column(f"{operation} {name}", [_time(case.get(operation), unit) for case in cases])
            for operation in operations
        ),
        Column(size_name, [words.size_label(row, size_unit) for row in firsts]),
        *(Column(one, packed(f"size_{one}_bytes", size_unit)) for one in _PACKED),
        *(Column(f"{way} {name}", packed(f"{way}_ns", unit), spare=6) for pair in _PACKED.items() for way in pair),
    ]
    return [column for column in columns if any(column.cells)]


def _time(row: Row | None, unit: float) -> str:
    if row is None:
        return "–"
    ends = (row.time_ns_low, row.time_ns, row.time_ns_high)
    low, time, high = (value or 0.0 for value in ends)
    return words.time_label(row, unit) + (_UNSURE if high - low > 2 * _BEYOND * time else "")
