"""The rows as a table that can be sorted, filtered and held against one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.analysis import display
from serbench.analysis.rows import Row


@dataclass(frozen=True)
class Column:
    """A column: its key, its heading, what of a row it sorts by, and how that reads."""

    key: str
    heading: str
    value: Callable[[Row], Any]
    text: Callable[[Row], str]
    number: bool = True


def _figure(name: str, *, time: bool = False) -> tuple[Callable[[Row], Any], Callable[[Row], str]]:
    def value(row: Row) -> Any:
        return getattr(row, name)

    def text(row: Row) -> str:
        found = value(row)
        if found is None:
            return ""
        if not time:
            return f"{found:,}"
        unit, unit_name = display.unit_of([found])
        return f"{display.three_digits(found / unit)} {unit_name}"

    return value, text


def _text(get: Callable[[Row], str | None]) -> tuple[Callable[[Row], Any], Callable[[Row], str]]:
    return get, lambda row: get(row) or ""


COLUMNS = (
    Column("rank", "#", *_figure("rank")),
    Column("library", "library", *_text(display.library_label), number=False),
    Column("version", "version", *_text(lambda row: row.version), number=False),
    Column("codec", "codec", *_text(display.codec_label), number=False),
    Column("records", "records", *_figure("records")),
    Column("depth", "depth", *_figure("depth")),
    Column("time", "time", *_figure("time_ns", time=True)),
    Column("time_per_record", "per record", *_figure("time_per_record_ns", time=True)),
    Column("ratio", "ratio", lambda row: row.ratio, display.ratio_label),
    Column("size_bytes", "bytes", *_figure("size_bytes")),
    Column("work_class", "work class", *_text(lambda row: row.work_class), number=False),
    Column("status", "status", *_text(lambda row: "" if row.measured else row.status), number=False),
)


@dataclass(frozen=True)
class Relation:
    """How a row's time compares with another's: `ratio` with its interval, or without one across runs."""

    ratio: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        ratio = f"{display.three_digits(self.ratio)}×"
        if self.low is None or self.high is None:
            return f"about {ratio}"
        return f"{ratio} ({display.three_digits(self.low)} to {display.three_digits(self.high)})"


def relation(row: Row, base: Row) -> Relation | None:
    """The time of a row over that of another; None where one was not measured.

    Rows of the same point and operation have ratios to one reference: the quotient of those has an interval,
    which is on the safe side because the reference's own luck is counted twice. Others are compared by
    their times, without one.
    """
    if row.time_ns is None or base.time_ns is None:
        return None
    same = all(getattr(row, n) == getattr(base, n) for n in ("workload", "records", "depth", "seed", "operation"))
    ratios = (row.ratio, row.ratio_low, row.ratio_high, base.ratio, base.ratio_low, base.ratio_high)
    if not same or any(value is None or value <= 0 for value in ratios):
        return Relation(row.time_ns / base.time_ns)
    one, one_low, one_high, other, other_low, other_high = (math.log(value or 1) for value in ratios)
    half = math.hypot((one_high - one_low) / 2, (other_high - other_low) / 2)
    if row == base:
        half = 0.0
    return Relation(math.exp(one - other), math.exp(one - other - half), math.exp(one - other + half))


def row_key(row: Row) -> str:
    """What names a row among others: its data, case and operation."""
    parts = (row.workload, row.records, row.depth, row.seed, row.library, row.variant, row.environment, row.version)
    return "/".join(map(str, (*parts, row.codec, row.format, row.operation)))


def grid(
    rows: Sequence[Row],
    *,
    contains: str = "",
    sort: str = "time",
    descending: bool = False,
    base: str | None = None,
    most: int = 200,
) -> dict[str, Any]:
    """A page of the rows: those whose cells hold all words of `contains`, sorted, at most so many.

    `base` is the `row_key` of the row that the others are held against. Rows without the value that is
    sorted by come last. Gives `columns` (key, heading, number), `lines` (key, cells, failed, reason),
    `total` and `found`.
    """
    columns = list(COLUMNS)
    anchor = next((row for row in rows if row_key(row) == base), None) if base else None
    if anchor is not None:
        columns.insert(columns.index(_column("ratio")) + 1, _against(anchor))
    words = contains.lower().split()
    texts = [column.text for column in columns if not column.number]

    def holds(row: Row) -> bool:
        line = " ".join([*(text(row) for text in texts), row.reason or ""]).lower()
        return all(word in line for word in words)

    found = [row for row in rows if holds(row)] if words else list(rows)
    by = next((column for column in columns if column.key == sort), _column("time"))
    known = [row for row in found if by.value(row) is not None]
    known.sort(key=by.value, reverse=descending)
    ordered = known + [row for row in found if by.value(row) is None]
    return {
        "columns": [{"key": c.key, "heading": c.heading, "number": c.number} for c in columns],
        "lines": [
            {
                "key": row_key(row),
                "cells": [column.text(row) for column in columns],
                "failed": not row.measured,
                "reason": row.reason if not row.measured else None,
            }
            for row in ordered[:most]
        ],
        "total": len(rows),
        "found": len(found),
    }


def _column(key: str) -> Column:
    return next(column for column in COLUMNS if column.key == key)


def _against(anchor: Row) -> Column:
    def value(row: Row) -> float | None:
        found = relation(row, anchor)
        return None if found is None else found.ratio

    def text(row: Row) -> str:
        found = relation(row, anchor)
        return "" if found is None else str(found)

    return Column("against", f"against {display.case_name(anchor)}", value, text)
