"""The tables of a weighing: one for each metric and workload point, a line for each case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from serbench.display import words
from serbench.display.table import Column, Table
from serbench.judge.weights import WeightRow
from serbench.results import bracketed, grouped

MEMORY_OF_START = "start memory"
TITLES = {
    "memory": "memory: what one call needs at most, and what each decoded document keeps",
    "start": "start: CPU time in a fresh process",
    MEMORY_OF_START: "start: by how much a fresh process is larger afterwards, in resident memory",
    "installed": "installed: library and codec with everything that they require",
    "gc": "gc: time with the garbage collector on, over time with it off",
    "threads": "threads: how many times as much as one thread gets done",
    "leak": "leak: by how much each call makes the process larger, if no answer is kept",
}
_CASE = attrgetter("library", "variant", "environment", "codec", "format")
UNITS = {"bytes": words.BYTES, "ns": words.UNITS}


def weight_tables(rows: Sequence[WeightRow]) -> list[Table]:
    """A table for each workload point and metric, its cases ordered by their first quantity; `start` has one of memory too."""
    return [_table(group) for group in grouped(rows, lambda row: (row.point, _kind(row))).values()]


def _kind(row: WeightRow) -> str:
    return MEMORY_OF_START if row.metric == "start" and row.unit == "bytes" else row.metric


def _table(rows: Sequence[WeightRow]) -> Table:
    cases = [{row.quantity: row for row in members} for members in grouped(rows, _CASE).values()]
    quantities = list(dict.fromkeys(row.quantity for row in rows if row.value is not None))

    def sort_key(case: Mapping[str, WeightRow]) -> float:
        value = case[quantities[0]].value if quantities[0] in case else None
        return math.inf if value is None else value

    shown = sorted((case for case in cases if any(row.value is not None for row in case.values())), key=sort_key)
    firsts = [next(iter(case.values())) for case in shown]
    columns = [Column("library", [_library(row) for row in firsts], "left")]
    if rows[0].codec:
        columns.append(Column("codec", [words.codec_label(row) for row in firsts], "left"))
    else:
        columns = [replace(columns[0], heading="module")]
    for name in quantities:
        unit, unit_name = _scale([row for row in rows if row.quantity == name])
        heading = " ".join(part for part in (name.replace("_", " "), unit_name) if part)
        columns.append(Column(heading, [_figure(case.get(name), unit) for case in shown]))
        if name == "decode_retained":
            each = [case[name].per_record if name in case else None for case in shown]
            unit, unit_name = words.unit_of([value for value in each if value is not None], words.BYTES)
            columns.append(Column(f"{unit_name}/record", [words.number(value, unit) for value in each]))
    title = TITLES.get(_kind(rows[0]), rows[0].metric)
    title = f"{title} — {words.data_words(rows[0].point)}" if rows[0].codec else title
    return Table(title, columns, notes=[*_leaks(rows), *_reasons(rows)])


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


def _leaks(rows: Sequence[WeightRow]) -> list[str]:
    """Say which operations are proven to leak."""
    known = (row for row in rows if row.leaks is not None)
    judged = grouped(known, lambda row: (_case_name(row), row.quantity.rpartition("_")[0]))
    leaking = {key: [row for row in members if row.leaks] for key, members in judged.items()}
    leaking = {key: members for key, members in leaking.items() if members}
    if rows[0].metric == "leak" and not judged and any(row.value is not None for row in rows):
        return ["whether this is a leak is judged by an interval, which needs at least 6 processes"]
    lines = [f"no leak is proven in {words.counted(len(judged), 'operation')}"] if judged and not leaking else []
    for (name, operation), members in leaking.items():
        much = ", ".join(f"{_figure(row, 1.0)} {row.quantity.rpartition('_')[2]}" for row in members)
        lines.append(f"{name} leaks in {operation}: {much} per call")
    return lines


def _case_name(row: WeightRow) -> str:
    return words.case_words(_library(row), row.library, row.codec, row.format) if row.codec else _library(row)


def _reasons(rows: Sequence[WeightRow]) -> list[str]:
    lines = []
    failed = grouped((row for row in rows if row.reason), lambda row: (row.quantity, " ".join(str(row.reason).split())))
    for (quantity, reason), members in failed.items():
        names = dict.fromkeys(map(_case_name, members))
        lines.append(": ".join(filter(None, (", ".join(names), quantity.replace("_", " "), reason))))
    return lines
