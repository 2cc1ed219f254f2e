"""The tables of a weighing: one for each metric and workload point, a line for each case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter

from serbench.display import words
from serbench.display.table import Column, Table
from serbench.judge.weights import WeightRow
from serbench.results import bracketed, grouped

TITLES = {
    "memory": "memory: what one call needs at most, and what each decoded document keeps",
    "start": "start: CPU time in a fresh process",
    "installed": "installed: library and codec with everything that they require",
    "gc": "gc: time with the garbage collector on, over time with it off",
    "threads": "threads: how many times as much as one thread gets done",
}
_CASE = attrgetter("library", "variant", "environment", "codec", "format")
UNITS = {"bytes": words.BYTES, "ns": words.UNITS}


def weight_tables(rows: Sequence[WeightRow]) -> list[Table]:
    """A table for each workload point and metric, its cases ordered by their first quantity."""
    return [_table(group) for group in grouped(rows, lambda row: (row.point, row.metric)).values()]


def _table(rows: Sequence[WeightRow]) -> Table:
    cases = [{row.quantity: row for row in members} for members in grouped(rows, _CASE).values()]
    quantities = list(dict.fromkeys(row.quantity for row in rows if row.value is not None))

    def sort_key(case: Mapping[str, WeightRow]) -> float:
        value = case[quantities[0]].value if quantities[0] in case else None
        return math.inf if value is None else value

    shown = sorted((case for case in cases if any(row.value is not None for row in case.values())), key=sort_key)
    firsts = [next(iter(case.values())) for case in shown]
    columns = [
        Column("library", [_library(row) for row in firsts], "left"),
        Column("codec", [words.codec_label(row) for row in firsts], "left"),
    ]
    for name in quantities:
        unit, unit_name = _scale([row for row in rows if row.quantity == name])
        heading = " ".join(part for part in (name.replace("_", " "), unit_name) if part)
        columns.append(Column(heading, [_figure(case.get(name), unit) for case in shown]))
        if name == "decode_retained":
            each = [case[name].per_record if name in case else None for case in shown]
            unit, unit_name = words.unit_of([value for value in each if value is not None], words.BYTES)
            columns.append(Column(f"{unit_name}/record", [words.number(value, unit) for value in each]))
    title = f"{TITLES.get(rows[0].metric, rows[0].metric)} — {words.data_words(rows[0].point)}"
    return Table(title, columns, notes=_reasons(rows))


def _scale(rows: Sequence[WeightRow]) -> tuple[float, str]:
    unit = rows[0].unit
    values = [row.value for row in rows if row.value is not None]
    return words.unit_of(values, UNITS[unit]) if unit in UNITS else (1.0, unit)


def _library(row: WeightRow) -> str:
    where = "" if row.environment == "main" else f"({row.environment})"
    return " ".join(part for part in (row.library, bracketed(row.variant), where) if part)


def _figure(row: WeightRow | None, scale: float) -> str:
    """A median with the interval behind it: "1.32 (1.30–1.35)"."""
    if row is None or row.value is None:
        return ""
    if row.unit == "":
        return f"{row.value:,.0f}"
    text = words.three_digits(row.value / scale)
    if row.low is None or row.high is None:
        return text
    ends = [words.three_digits(end / scale) for end in (row.low, row.high)]
    return text if set(ends) == {text} else f"{text} ({ends[0]}–{ends[1]})"


def _reasons(rows: Sequence[WeightRow]) -> list[str]:
    lines = []
    failed = grouped((row for row in rows if row.reason), lambda row: (row.quantity, " ".join(str(row.reason).split())))
    for (quantity, reason), members in failed.items():
        names = dict.fromkeys(words.case_words(_library(row), row.library, row.codec, row.format) for row in members)
        lines.append(": ".join(filter(None, (", ".join(names), quantity.replace("_", " "), reason))))
    return lines
