"""What a page holds: rows by column and sources by line, with all that is decided before a browser sees them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import metadata
from typing import Any

from serbench.analysis import Row, depth_limits, display
from serbench.analysis.grid import row_key
from serbench.analysis.phases import PHASES, phase_times
from serbench.analysis.rows import decoding_classes
from serbench.analysis.style import library_mark
from serbench.analysis.tradeoff import STRICTNESS, strictness
from serbench.archive import Sheet
from serbench.claims import Judged, Ledger
from serbench.engine.results import OPERATIONS

Content = dict[str, Any]
Sources = Callable[[Row], str | None]
"""The module that a row measured, or None where its text is not kept."""

FIELDS = tuple(field.name for field in fields(Row))
DIGITS = 6


def content(sheets: Sequence[Sheet], sources: Sources, claims: Ledger, left_out: Sequence[str] = ()) -> Content:
    """The sheets as JSON data for the page's script.

    What a choice in the browser does not change is worked out here, by the functions that the other outputs use:
    labels, ranks, intervals, which operations stand for a case's phases, limits of depth.
    """
    rows = [row for sheet in sheets for row in sheet.rows]
    groups = {_comparable(sheet): place for place, sheet in enumerate(sheets[::-1])}
    return {
        "serbench": metadata.version("serbench"),
        "fields": FIELDS,
        "rows": {name: _column(getattr(row, name) for row in rows) for name in FIELDS} | _derived(sheets),
        "runs": [_run(sheet, groups[_comparable(sheet)]) for sheet in sheets],
        "limits": [limit for group in set(groups.values()) for limit in _limits(sheets, groups, group)],
        "marks": {name: library_mark(name) for name in sorted({row.library for row in rows})},
        "phases": PHASES,
        "operations": OPERATIONS,
        "strictness": STRICTNESS,
        "verbs": display.VERBS,
        "footnotes": display.FOOTNOTES,
        **_code(rows, sources),
        "claims": _claims(claims),
        "left_out": list(left_out),
    }


def _column(values: Iterable[Any]) -> Any:
    """Numbers as they are, to six digits; texts by their place in a list of different ones."""
    column = list(values)
    if not any(isinstance(value, str) for value in column):
        return [_number(value) for value in column]
    places = {value: place for place, value in enumerate(dict.fromkeys(column))}
    return {"values": list(places), "at": [places[value] for value in column]}


def _number(value: float | None) -> float | None:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return None if value is None else int(value)


def _derived(sheets: Sequence[Sheet]) -> Content:
    """Columns beside those of `Row`: how a row is called, what its decoding checks, whether it stands for a phase."""
    found: dict[str, list[Any]] = {
        name: [] for name in ("case", "label", "codec_label", "name", "ratio_text", "checks")
    }
    numbers: dict[str, list[int]] = {"strictness": [], "stacked": []}
    for sheet in sheets:
        apart = {
            id(row): board.apart for board in display.boards(sheet.rows) for row in (*board.measured, *board.failed)
        }
        found["case"] += [_case_key(row) for row in sheet.rows]
        found["label"] += [display.library_label(row, apart[id(row)]) for row in sheet.rows]
        found["codec_label"] += [display.codec_label(row) for row in sheet.rows]
        found["name"] += [display.case_name(row) for row in sheet.rows]
        found["ratio_text"] += [display.ratio_label(row) if row.measured else "" for row in sheet.rows]
        found["checks"] += decoding_classes(sheet.rows)
        phases = _phases(sheet.rows)
        numbers["strictness"] += [strictness(row) for row in sheet.rows]
        numbers["stacked"] += [id(row) in phases for row in sheet.rows]
    return {name: _column(values) for name, values in (found | numbers).items()}


def _phases(rows: Sequence[Row]) -> set[int]:
    """The ids of the rows that are pieces of their case's bar."""
    points: dict[Any, list[Row]] = {}
    for row in (row for row in rows if row.measured):
        points.setdefault((row.workload, row.records, row.depth, row.seed), []).append(row)
    found: set[int] = set()
    for members in points.values():
        cases: dict[Any, dict[str, Row]] = {}
        for row in members:
            cases.setdefault(_case(row), {})[row.operation] = row
        found |= {id(cases[_case(first)][name]) for first, times in phase_times(members) for name in times}
    return found


def _case(row: Row) -> tuple[Any, ...]:
    return (row.library, row.variant, row.environment, row.version, row.codec, row.format)


def _case_key(row: Row) -> str:
    """What names a case in the page's address: "msgspec[gc=False]@pydantic==1.10 json/json"."""
    variant = "" if row.variant == "default" else f"[{row.variant}]"
    where = "" if row.environment == "main" else f"@{row.environment}"
    return f"{row.library}{variant}{where} {row.codec}/{row.format}"


def _comparable(sheet: Sheet) -> tuple[Any, ...]:
    """Times of one group may stand in one figure: the same processor, system, Python, collector and seed."""
    machine = (sheet.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))
    return (*machine, sheet.gc, sheet.rows[0].seed if sheet.rows else 0)


def _run(sheet: Sheet, group: int) -> Content:
    info = sheet.info
    return {
        "id": info.id,
        "date": info.started,
        "command": info.command,
        "machine": display.machine_line(info.machine),
        "versions": display.versions_line(info.versions),
        "accuracy": display.control_line(sheet.control),
        "warnings": list(sheet.warnings),
        "published": sheet.published,
        "group": group,
        "rows": len(sheet.rows),
    }


def _limits(sheets: Sequence[Sheet], groups: Mapping[Any, int], group: int) -> list[Content]:
    """How deep each library went with each workload and operation, of the newest run that has each row."""
    newest: dict[str, Row] = {}
    for sheet in sheets:
        if groups[_comparable(sheet)] == group:
            for row in sheet.rows:
                newest.setdefault(row_key(row), row)
    boards: dict[tuple[str, str], list[Row]] = {}
    for row in newest.values():
        boards.setdefault((row.workload, row.operation), []).append(row)
    return [
        {
            "group": group,
            "workload": workload,
            "operation": operation,
            "library": limit.library,
            "deepest": limit.deepest,
            "failed_at": limit.failed_at,
            "reason": limit.reason,
        }
        for (workload, operation), rows in boards.items()
        if len({row.depth for row in rows}) > 1
        for limit in depth_limits(rows)
    ]


def _code(rows: Sequence[Row], sources: Sources) -> Content:
    """The different lines of all sources, and each source as their places: modules have most lines in common."""
    lines: dict[str, int] = {}
    found: dict[str, list[int] | None] = {}
    for row in rows:
        if row.source_sha256 and row.source_sha256 not in found:
            text = sources(row)
            places = None if text is None else [lines.setdefault(line, len(lines)) for line in text.split("\n")]
            found[row.source_sha256] = places
    return {"lines": list(lines), "sources": {sha256: places for sha256, places in found.items() if places}}


def _claims(ledger: Ledger) -> list[Content]:
    """The outcomes of claims as their ledger puts them into words, with what the page draws and tells of each."""
    return [
        row
        | {name: getattr(outcome, name) for name in ("source", "compared", "fair", "date", "effort")}
        | {"machine": display.machine_line(outcome.machine), "figures": [_figure(one) for one in outcome.figures]}
        for row, outcome in zip(ledger.rows(), ledger.outcomes, strict=True)
    ]


def _figure(figure: Judged) -> Content:
    numbers = ("published_low", "published_high", "measured", "low", "high")
    return {name: _number(getattr(figure, name)) for name in numbers} | {
        "versions": figure.versions,
        "verdict": figure.verdict,
    }
