"""The rows as a table that can be sorted, filtered and compared with one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.display import words
from serbench.judge.recommend import CaseKey, key
from serbench.judge.relation import Relation, relation, row_key
from serbench.judge.rows import Row
from serbench.results import Point, bracketed, grouped


@dataclass(frozen=True)
class GridColumn:
    """A column: its key, its heading, its sort key, and its text for a row."""

    key: str
    heading: str
    value: Callable[[Row], Any]
    text: Callable[[Row], str]
    number: bool = True


def _figure(name: str, *, time: bool = False) -> tuple[Callable[[Row], Any], Callable[[Row], str]]:
    def value(row: Row) -> Any:
        return getattr(row, name)

    def text(row: Row) -> str:
        shown = value(row)
        if shown is None:
            return ""
        if not time:
            return f"{shown:,}"
        unit, unit_name = words.unit_of([shown])
        return f"{words.three_digits(shown / unit)} {unit_name}"

    return value, text


def _text(get: Callable[[Row], str | None]) -> tuple[Callable[[Row], Any], Callable[[Row], str]]:
    return get, lambda row: get(row) or ""


COLUMNS = (
    GridColumn("rank", "#", *_figure("rank")),
    GridColumn("library", "library", *_text(words.library_label), number=False),
    GridColumn("version", "version", *_text(lambda row: row.version), number=False),
    GridColumn("codec", "codec", *_text(words.codec_label), number=False),
    GridColumn("records", "records", *_figure("records")),
    GridColumn("depth", "depth", *_figure("depth")),
    GridColumn("time", "time", *_figure("time_ns", time=True)),
    GridColumn("time_per_record", "per record", *_figure("time_per_record_ns", time=True)),
    GridColumn("ratio", "ratio", lambda row: row.ratio, words.ratio_label),
    GridColumn("size_bytes", "bytes", *_figure("size_bytes")),
    GridColumn("work_class", "work class", *_text(lambda row: words.class_words(row.work_class)), number=False),
    GridColumn("status", "status", *_text(lambda row: "" if row.measured else row.status), number=False),
)


def grid(
    rows: Sequence[Row],
    *,
    contains: str = "",
    sort: str = "time",
    descending: bool = False,
    present: CaseKey | None = None,
    most: int = 100,
) -> dict[str, Any]:
    """A page of the rows: those whose cells hold all words of `contains`, sorted, at most so many.

    Each row is compared with the case `present` at its own point. Rows that lack the sorted value come last. Gives
    `columns` (key, heading, number), `lines` (key, case, cells, failed, reason), `total` and `found`.
    """
    columns = [replace(one, text=_rank_text(rows)) if one.key == "rank" else one for one in COLUMNS]
    anchors = {(row.point, row.operation): row for row in rows if key(row) == present}
    if anchors:
        columns.insert([one.key for one in columns].index("ratio") + 1, _against(anchors))
    words = contains.lower().split()
    texts = [column.text for column in columns if not column.number]

    def holds(row: Row) -> bool:
        line = " ".join([*(text(row) for text in texts), row.reason or ""]).lower()
        return all(word in line for word in words)

    shown = [row for row in rows if holds(row)] if words else list(rows)
    by = next((column for column in columns if column.key == sort), _column("time"))
    known = [row for row in shown if by.value(row) is not None]
    known.sort(key=by.value, reverse=descending)
    ordered = known + [row for row in shown if by.value(row) is None]
    return {
        "columns": [{"key": c.key, "heading": c.heading, "number": c.number} for c in columns],
        "lines": [
            {
                "key": row_key(row),
                "case": present_text(row),
                "cells": [column.text(row) for column in columns],
                "present": key(row) == present,
                "failed": not row.measured,
                "reason": row.reason if not row.measured else None,
            }
            for row in ordered[:most]
        ],
        "total": len(rows),
        "found": len(shown),
    }


def relation_label(compared: Relation) -> str:
    """A relation with its interval: "1.32× (1.30 to 1.35)", or "about 1.3×" if it has none; words if nothing is proven."""
    ratio = f"{words.three_digits(compared.ratio)}×"
    if compared.low is None or compared.high is None:
        return f"about {ratio}"
    if compared.low <= 1 <= compared.high and compared.low < compared.high:
        return words.NO_DIFFERENCE
    return f"{ratio} ({words.three_digits(compared.low)} to {words.three_digits(compared.high)})"


def _column(key: str) -> GridColumn:
    return next(column for column in COLUMNS if column.key == key)


def _against(anchors: Mapping[tuple[Point, str], Row]) -> GridColumn:
    def to_anchor(row: Row) -> Relation | None:
        anchor = anchors.get((row.point, row.operation))
        return None if anchor is None else relation(row, anchor)

    def value(row: Row) -> float | None:
        against = to_anchor(row)
        return None if against is None else against.ratio

    def text(row: Row) -> str:
        against = to_anchor(row)
        return "" if against is None else relation_label(against)

    return GridColumn("against", f"against {words.case_name(next(iter(anchors.values())))}", value, text)


def _rank_text(rows: Sequence[Row]) -> Callable[[Row], str]:
    """Return the text of a rank, marked as in every other table if several rows of a ranking share it."""
    rankings = grouped(rows, _ranking)
    return lambda row: words.rank_label(row, rankings[_ranking(row)]) if row.measured else ""


def _ranking(row: Row) -> tuple[Point, str, str | None]:
    return row.point, row.operation, row.work_class


def present_text(row: Row) -> str:
    """A case as `serbench recommend --present` takes it: "msgspec[gc=False]/orjson/json"."""
    return f"{row.library}{bracketed(row.variant)}/{row.codec}/{row.format}"
