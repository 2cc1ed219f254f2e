"""What each case costs in all: its operations beside each other, with its bytes as they are and compressed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.analysis import display
from serbench.analysis.rows import Row, case_of, class_place, decoding_classes
from serbench.analysis.sheet import Column, Sheet

WHOLE = ("encode", "decode", "read")
"""The operations that follow each other when data travels: a line's place is by their sum."""
_PACKED = {"gzip": "gunzip", "zstd": "unzstd"}


def side_by_side(rows: Sequence[Row]) -> list[Sheet]:
    """A table for each workload point that has several formats and more than two operations; boards say the rest.

    Sections tell apart what a user ends up with, and what does not give the data back as it was. Within
    one the least sum of encode, decode and read stands first; a case that lacks one of these stands last.
    """
    classes = dict(zip(map(id, rows), decoding_classes(rows), strict=True))
    points: dict[Any, list[Row]] = {}
    for row in rows:
        if row.measured:
            points.setdefault((row.workload, row.records, row.depth, row.seed), []).append(row)
    return [
        _sheet(found, [classes[id(row)] for row in found])
        for found in points.values()
        if len({row.format for row in found}) > 1 and len({row.operation for row in found}) > 2
    ]


def _sheet(rows: list[Row], classes: list[str]) -> Sheet:
    cases: dict[Any, dict[str, Row]] = {}
    checks: dict[Any, str] = {}
    for row, work_class in zip(rows, classes, strict=True):
        key = case_of(row)
        cases.setdefault(key, {})[row.operation] = row
        checks[key] = work_class
    operations = list(dict.fromkeys(row.operation for row in rows))
    wanted = [name for name in WHOLE if name in operations] or operations
    sections: dict[str, list[Any]] = {}
    for key in sorted(cases, key=lambda key: (class_place(_holder(checks[key])), _whole(cases[key], wanted))):
        sections.setdefault(_holder(checks[key]), []).append(key)
    order = [key for keys in sections.values() for key in keys]
    title = f"{display.point_title(rows[0])}: all operations, the least of {' + '.join(wanted)} first"
    columns = _columns([cases[key] for key in order], [_checked(checks[key]) for key in order], operations)
    return Sheet(title, columns, [(name, len(keys)) for name, keys in sections.items()])


def _holder(work_class: str) -> str:
    """The work class without how input is checked: "objects, lossy (at: offset)"."""
    kept, lossy, lost = work_class.partition(", lossy")
    return f"{kept.partition(', ')[0]}{lossy}{lost}" or "work class not measured"


def _checked(work_class: str) -> str:
    return work_class.partition(", lossy")[0].partition(", ")[2].partition(" (")[0]


def _whole(case: dict[str, Row], wanted: Sequence[str]) -> tuple[int, float]:
    """How many of the wanted operations a case lacks, and the sum of the others in ns."""
    times = [case[name].time_ns or 0.0 for name in wanted if name in case]
    return len(wanted) - len(times), sum(times)


def _columns(cases: list[dict[str, Row]], checks: list[str], operations: Sequence[str]) -> list[Column]:
    firsts = [next(iter(case.values())) for case in cases]
    several = display.told_apart(firsts)
    unit, name = display.unit_of(row.time_ns for case in cases for row in case.values() if row.time_ns is not None)
    sizes = [row.size_bytes for row in firsts if row.size_bytes is not None]
    size_unit, size_name = display.unit_of([min(sizes, default=1)], display.BYTES)

    def packed(key: str, unit: float) -> list[str]:
        return [display.number(getattr(row, key), unit) for row in firsts]

    columns = [
        Column("library", [display.library_label(row, several) for row in firsts], name=True),
        Column("codec", [display.codec_label(row) for row in firsts], name=True),
        Column("checks", checks, spare=5),
        *(Column(f"{one} {name}", [_time(case.get(one), unit) for case in cases]) for one in operations),
        Column(size_name, [display.size_label(row, size_unit) for row in firsts]),
        *(Column(one, packed(f"size_{one}_bytes", size_unit)) for one in _PACKED),
        *(Column(f"{way} {name}", packed(f"{way}_ns", unit), spare=6) for pair in _PACKED.items() for way in pair),
    ]
    return [column for column in columns if any(column.cells)]


def _time(row: Row | None, unit: float) -> str:
    if row is None:
        return "–"
    return display.time_label(row, unit) + (display.UNRESOLVED if row.status == "unresolved" else "")
