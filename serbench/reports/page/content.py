"""The data of a page: rows by column, sources by line, and everything that does not depend on choices in the browser."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from typing import Any

from serbench.analysis import Row
from serbench.analysis.budget import why_apart
from serbench.analysis.growth import MOST_LINES, depth_limits
from serbench.analysis.leading import COMMON, kind_place
from serbench.analysis.packed import FIRST_SIGN, packed
from serbench.analysis.relation import row_key
from serbench.analysis.rows import COLUMNS, by_case, case_of, decoding_classes, phase_times, told_apart
from serbench.analysis.tradeoff import strictness_rank
from serbench.claims import Judged, Ledger
from serbench.display import overall_data, words
from serbench.display.matrices import MOST_CASES, OUTCOMES, case_title, one_for_each_library
from serbench.display.phases import PHASES
from serbench.display.style import library_mark
from serbench.recording.run import Run
from serbench.results import OPERATIONS, Behaviour, Finding, bracketed, grouped

Content = dict[str, Any]

DIGITS = 6


def content(
    runs: Sequence[Run], claims: Ledger, matrices: Sequence[Behaviour] = (), left_out: Sequence[str] = ()
) -> Content:
    """The runs, newest first, as JSON data for the page's script.

    Anything that a choice in the browser does not change is computed here, by the functions that the other outputs
    use: labels, ranks, intervals, phases, limits of depth.
    """
    rows = [row for run in runs for row in run.rows]
    groups = {_comparable(run): place for place, run in enumerate(runs[::-1])}
    return {
        "serbench": metadata.version("serbench"),
        "fields": COLUMNS,
        "rows": {name: _column(getattr(row, name) for row in rows) for name in COLUMNS} | _derived(runs),
        "runs": [_told(run, groups[_comparable(run)]) for run in runs],
        "start": _start(rows, runs),
        "limits": [limit for group in set(groups.values()) for limit in _limits(runs, groups, group)],
        "marks": {
            name: library_mark(name)
            for name in sorted({row.library for row in rows} | {one.library for one in matrices})
        },
        "most_lines": MOST_LINES,
        "phases": PHASES,
        "operations": OPERATIONS,
        "verbs": words.VERBS,
        "common": COMMON,
        "footnotes": words.FOOTNOTES,
        **_code(rows, {sha256: text for run in runs for sha256, text in run.sources.items()}),
        "claims": _claims(claims),
        "matrices": _matrices(matrices),
        "left_out": list(left_out),
    }


def _boards(run: Run) -> list[list[Row]]:
    """The rows of each point and operation."""
    return list(grouped(run.rows, lambda row: (row.point, row.operation)).values())


def _start(rows: Sequence[Row], runs: Sequence[Run]) -> int:
    """The place of a row of the board with most measured rows, which is shown first."""
    largest = max(
        (board for run in runs for board in _boards(run)), key=lambda board: sum(row.measured for row in board)
    )
    members = set(map(id, largest))
    return next(place for place, row in enumerate(rows) if id(row) in members)


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


def _derived(runs: Sequence[Run]) -> Content:
    """Columns beside those of `Row`: how a row is called, what its decoding checks, whether it stands for a phase."""
    found: dict[str, list[Any]] = defaultdict(list)
    for run in runs:
        apart = {id(row): told for board in _boards(run) for told in [told_apart(board)] for row in board}
        found["case"] += [_case_key(row) for row in run.rows]
        found["label"] += [words.library_label(row, apart[id(row)]) for row in run.rows]
        found["codec_label"] += [words.codec_label(row) for row in run.rows]
        found["name"] += [words.case_name(row) for row in run.rows]
        found["ratio_text"] += [words.ratio_label(row) if row.measured else "" for row in run.rows]
        found["first_text"] += [words.first_label(row) for row in run.rows]
        found["checks"] += decoding_classes(run.rows)
        found["why_apart"] += map(why_apart, run.rows)
        phases = _phases(run.rows)
        found["kind"] += map(kind_place, run.rows)
        found["strictness"] += [strictness_rank(row) for row in run.rows]
        found["stacked"] += [id(row) in phases for row in run.rows]
    return {name: _column(values) for name, values in found.items()}


def _phases(rows: Sequence[Row]) -> set[int]:
    """The ids of the rows that are pieces of their case's bar."""
    found: set[int] = set()
    for members in grouped(rows, lambda row: row.point).values():
        cases = by_case(members)
        found |= {id(cases[case_of(first)][name]) for first, times in phase_times(members) for name in times}
    return found


def _case_key(row: Row) -> str:
    """A case in the page's address: "msgspec[gc=False]@pydantic==1.10 json/json"."""
    where = "" if row.environment == "main" else f"@{row.environment}"
    return f"{row.library}{bracketed(row.variant)}{where} {row.codec}/{row.format}"


def _comparable(run: Run) -> tuple[Any, ...]:
    """Times of one group may stand in one figure: the same processor, system, Python, collector and seed."""
    machine = (run.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))
    return (*machine, run.info.plan.get("gc"), run.rows[0].seed)


def _told(run: Run, group: int) -> Content:
    info = run.info
    return {
        "id": info.id,
        "date": info.started,
        "command": info.command,
        "machine": words.machine_line(info.machine),
        "versions": words.versions_line(info.versions),
        "accuracy": words.control_line(run.control),
        "warnings": run.warnings,
        "group": group,
        "rows": len(run.rows),
        "overall": overall_data(run.rows),
    }


def _limits(runs: Sequence[Run], groups: Mapping[Any, int], group: int) -> list[Content]:
    """The depth that each library reached with each workload and operation, by the newest run that has each row."""
    newest: dict[str, Row] = {}
    for run in runs:
        if groups[_comparable(run)] == group:
            for row in run.rows:
                newest.setdefault(row_key(row), row)
    boards = grouped(newest.values(), lambda row: (row.workload, row.conditions, row.operation))
    return [
        {
            "group": group,
            "workload": workload,
            "conditions": conditions,
            "operation": operation,
            "library": limit.row.library,
            "deepest": limit.deepest,
            "failed_at": limit.failed_at,
            "reason": limit.reason,
        }
        for (workload, conditions, operation), rows in boards.items()
        if len({row.depth for row in rows}) > 1
        for limit in depth_limits(rows)
    ]


def _code(rows: Sequence[Row], sources: Mapping[str, str]) -> Content:
    """The different lines of all sources, and each source as their places: modules have most lines in common."""
    lines: dict[str, int] = {}
    needed = dict.fromkeys(row.source_sha256 or "" for row in rows)
    found = {
        sha256: [lines.setdefault(line, len(lines)) for line in sources[sha256].split("\n")]
        for sha256 in needed
        if sha256 in sources
    }
    return {"lines": list(lines), "sources": found}


def _claims(ledger: Ledger) -> list[Content]:
    """The outcomes of claims as their ledger puts them into words, with what the page draws and tells of each."""
    return [
        row
        | {name: getattr(outcome, name) for name in ("source", "compared", "fair", "date", "effort")}
        | {"machine": words.machine_line(outcome.machine), "figures": [_figure(one) for one in outcome.figures]}
        for row, outcome in zip(ledger.rows(), ledger.outcomes, strict=True)
    ]


def _matrices(behaviours: Sequence[Behaviour]) -> Content:
    """The cases with their outcomes, as `packed` gives them, without what only a table tells."""
    probed = [one for one in behaviours if one.fidelity or one.strictness]
    usual = {one.case for one in one_for_each_library(probed)}
    found = packed(
        replace(one, fidelity=_undeclared(one.fidelity), strictness=_undeclared(one.strictness)) for one in probed
    )
    shown = ("library", "codec", "format", "version", "work_class", "date", *OUTCOMES)
    cases = [
        {name: case[name] for name in shown} | {"name": case_title(one), "usual": one.case in usual}
        for one, case in zip(probed, found["cases"], strict=True)
    ]
    return found | {
        "cases": cases,
        "most": MOST_CASES,
        "first_sign": FIRST_SIGN,
        "outcomes": OUTCOMES,
        "machines": sorted({one.machine for one in probed if one.machine}),
    }


def _undeclared(findings: Mapping[str, Finding]) -> dict[str, Finding]:
    return {probe: replace(finding, declared=None) for probe, finding in findings.items()}


def _figure(figure: Judged) -> Content:
    numbers = ("published_low", "published_high", "measured", "low", "high")
    return {name: _number(getattr(figure, name)) for name in numbers} | {
        "versions": figure.versions,
        "verdict": figure.verdict,
    }
