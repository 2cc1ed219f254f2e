"""The boards of runs as JSON, with their views and wording: all that the page and the app draw."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from serbench.display import words
from serbench.display.board import Board, boards_of
from serbench.display.closing import WHOLE
from serbench.display.views import (
    BANDWIDTHS,
    BITS,
    CORES,
    View,
    budget,
    missing,
    model_share,
    packed,
    phases,
    scaling,
    tradeoff,
    unranked_notes,
)
from serbench.judge.compare import least_difference
from serbench.judge.rows import Row, by_case, case_of, work_class_key
from serbench.results import YOURS, grouped
from serbench.store.archive import Sheet

Content = dict[str, Any]
USUAL = "client-rich"
"""The workload that every view opens on, if it has what the view shows."""
STRONG = 10.0
"""The ratio from which on the slowest library of a workload has the strongest colour; less is painted paler."""


def boards(runs: Sequence[Sheet]) -> list[Content]:
    """Each board of the runs as data. A row is its number among the rows of all runs.

    - `run`: the number of the run; `at`: workload, conditions, operation, records and depth.
    - `headline`, `where`, `cost`, `next`: the answer, of a run in progress with "so far", what it is of, what it costs, and
      the command that goes on.
    - `leader`: its row; None if nothing was measured. `cases`: how many were measured.
    - `sections`: heading → row, rank, the time against that of the leader, and if the row stands for several cases,
      a label and the rows of the others.
    - `failures`: those without a time, with status, reason and rows; `absent`: a row and the name of each case measured at other sizes only.
    - `tradeoff`: title, and the rows that no other beats; `scaling`: title, and a row of each case whose line is drawn,
      None if the run has one size, and then `grow`: the command that measures more. `budgets`: "BITS_PER_S/CORES" → title, and each row with its messages a second.
    """
    return [
        _called(told, labels)
        for place, (run, numbers) in enumerate(_numbered(runs))
        for labels in [class_labels(run)]
        for told in _boards_of(run, numbers, place)
    ]


def class_labels(run: Sheet) -> dict[str, str]:
    """What the rows of the user's classes are called on the page, by the names of their libraries."""
    return words.class_labels(str(run.user_data.get("model", "")), {row.library for row in run.rows})


def headline(board: Board, run: Sheet) -> str:
    """The headline of a board, which of a run in progress is one so far."""
    return board.headline if run.undecided is None else f"So far: {board.headline}"


def _called(told: Any, labels: Mapping[str, str]) -> Any:
    """Data in which each text calls the user's classes by these labels."""
    if isinstance(told, str):
        for name in sorted(labels, key=len, reverse=True):
            told = told.replace(name, labels[name])
        return told
    if isinstance(told, list):
        return [_called(one, labels) for one in told] if labels else told
    if isinstance(told, dict):
        return {name: _called(one, labels) for name, one in told.items()} if labels else told
    return told


def _numbered(runs: Sequence[Sheet]) -> Iterator[tuple[Sheet, dict[int, int]]]:
    """Each run, with the number of each of its rows by the row's id."""
    first = 0
    for run in runs:
        yield run, {id(row): number for number, row in enumerate(run.rows, first)}
        first += len(run.rows)


def _boards_of(run: Sheet, numbers: Mapping[int, int], place: int) -> Iterator[Content]:
    least, trusted = least_difference(run.control), words.trusted_words(run.control)
    grown = grouped(run.rows, lambda row: (row.workload, row.seed, row.conditions, row.operation))
    by_identity = {row.identity: numbers[id(row)] for row in run.rows}

    def number(row: Row) -> int:
        return by_identity[row.identity]

    for board in boards_of(run.rows, least):
        members = [*board.measured, *board.failed]
        first = members[0]
        sizes = grown[first.workload, first.seed, first.conditions, first.operation]
        here = {case_of(row) for row in members}
        elsewhere = {case_of(row): row for row in sizes if row.measured and case_of(row) not in here}
        shown = [row for row in sizes if row.measured]
        is_sized = len({(row.records, row.depth) for row in shown}) > 1
        view = scaling(shown, first.records, first.depth, least) if is_sized else None
        told = (
            board.setting,
            words.counted(len(board.measured), "combination") + " measured",
            words.open_words(*run.undecided) if run.undecided else "",
            "" if least else trusted,
        )
        yield {
            "run": place,
            "at": {name: getattr(first, name) for name in ("workload", "conditions", "operation", "records", "depth")},
            "headline": headline(board, run),
            "where": " · ".join(filter(None, told)),
            "cost": board.cost,
            "next": _next(run, board),
            "leader": None if board.lead is None else number(board.lead.first),
            "cases": len(board.measured),
            "sections": [[name, [_entry(board, row, rows, number) for row in rows]] for name, rows in board.sections],
            "unranked": "".join(unranked_notes(board.measured)),
            "failures": [
                {"cases": cases, "status": status, "reason": reason, "rows": list(map(number, failed))}
                for (cases, status, reason), failed in board.failed_alike
            ],
            "absent": [[number(row), words.case_name(row)] for row in elsewhere.values()],
            "tradeoff": _view(tradeoff(board.measured, least), number),
            "scaling": _view(View(view.title, [line[0] for line in view.lines]), number) if view else None,
            "grow": "" if is_sized else _grow(run, first),
            "budgets": _budgets(board, number) if first.operation in WHOLE else None,
        }


def _entry(board: Board, row: Row, section: Sequence[Row], number: Callable[[Row], int]) -> list[Any]:
    several = [words.library_label(row, board.several), list(map(number, row.also))] if row.also else []
    return [number(row), words.rank_label(row, section), board.against(row), *several]


def _view(view: View[Row], number: Callable[[Row], int]) -> Content:
    return {"title": view.title, "lines": list(map(number, view.lines))}


def _budgets(board: Board, number: Callable[[Row], int]) -> Content:
    """The budgets of a board: of each row the messages a second, and what limits them."""
    views = {
        f"{bits:.0f}/{cores}": budget(board.measured, bits, cores, board.least)
        for bits in BANDWIDTHS
        for cores in CORES
    }
    return {
        choice: {
            "title": view.title,
            "lines": [[number(one.row), float(f"{one.per_s:.3g}"), one.bottleneck + packed(one)] for one in view.lines],
        }
        for choice, view in views.items()
    }


def bandwidths() -> list[list[Any]]:
    """The bits per second to choose from, each with its words."""
    units = [(bits, *words.unit_of([bits], BITS)) for bits in BANDWIDTHS]
    return [[f"{bits:.0f}", f"{bits / unit:,.0f} {name}"] for bits, unit, name in units]


def _next(run: Sheet, board: Board) -> str:
    """The command that writes the leader's module for a project; none for what no command can name."""
    command = board.lead and command_on(run, "adopt", board.lead.first)
    return f"{command} --output models.py" if command else ""


def command_on(run: Sheet, name: str, row: Row) -> str:
    """A command on a row's case and data; none for what no command can name."""
    if not words.can_be_named(row) or row.library.startswith(YOURS) or words.is_gone(run.user_data):
        return ""
    data = run.user_data or {"records": [row.records], "depth": [row.depth]}
    options = words.data_options({**data, "seed": row.seed}, row.point)
    return f"serbench {name} {words.case_arguments(row)}{options}"


def _grow(run: Sheet, row: Row) -> str:
    """The command that measures more sizes of a row's data."""
    if words.is_gone(run.user_data):
        return ""
    data = run.user_data or {"workloads": [row.workload]}
    sizes = {"records": [1, 10, 100, 1000], "depth": [row.depth], "seed": row.seed}
    return f"serbench run{words.data_options({**data, **sizes})}"


def steps(runs: Sequence[Sheet]) -> list[Content]:
    """The phases of each point that has steps: a line for each case with the ns of each, and what the line says."""
    told = []
    for place, (run, numbers) in enumerate(_numbered(runs)):
        labels = class_labels(run)
        for rows in grouped(run.rows, lambda row: row.point).values():
            view = phases(rows, least_difference(run.control))
            cases = by_case(rows)
            point = rows[0].point
            at = {name: getattr(point, name) for name in ("workload", "conditions", "records", "depth")}
            if view.lines:
                lines = [
                    [
                        numbers[id(next(iter(cases[case_of(row)].values())))],
                        list(times.items()),
                        *_direction(row, times, rows),
                    ]
                    for row, times in view.lines
                ]
                title = _called(view.title, labels)
                told.append({"run": place, "at": at, "title": title, "lines": lines})
    return told


def _direction(row: Row, times: Mapping[str, float], rows: Sequence[Row]) -> list[str]:
    """What stands beside the phases of a case: the share of the models, or the direction that it lacks, with the reason."""
    lacking = missing(times).removeprefix(" · no ")
    if not lacking:
        has_steps = {"dump", "load"} & set(times)
        return [f"{model_share(times):.0%} models" if has_steps else "in one step", ""]
    failed = next(
        (
            one
            for one in rows
            if case_of(one)[:3] + case_of(one)[4:] == case_of(row)[:3] + case_of(row)[4:] and one.operation == lacking
        ),
        None,
    )
    if failed is None or failed.measured:
        return [f"no {lacking}: not asked for", ""]
    return [f"no {lacking}: {failed.status}", failed.reason or ""]


def overview(runs: Sequence[Sheet], told: Sequence[Content]) -> Content:
    """Operation → workloads with the number of their board, and for each work class its libraries with a cell for each workload.

    A workload's board is that of its default size: the one with most cases. A library stands in the class of its best
    kind, strictest first. A cell is its fastest case there as a ratio to the fastest of that class, and the share of the
    way to the slowest for a colour; None if it was not measured.
    """
    rows = [row for run in runs for row in run.rows]
    tables = {}
    for operation in ("decode", "encode"):
        best: dict[str, int] = {}
        for number, board in enumerate(told):
            at, most = board["at"], best.get(board["at"]["workload"])
            is_usual = (at["conditions"], at["operation"]) == ("varied", operation) and board["leader"] is not None
            if is_usual and (most is None or board["cases"] > told[most]["cases"]):
                best[at["workload"]] = number
        groups: dict[str, dict[str, dict[str, list[Any]]]] = {}
        for name, number in best.items():
            sections = [[rows[entry[0]] for entry in entries] for _, entries in told[number]["sections"]]
            for row, cell in _cells(sections):
                groups.setdefault(row.work_class or "", {}).setdefault(row.library, {})[name] = cell
        if len(best) > 1:
            tables[operation] = {
                "workloads": [[name, number] for name, number in best.items()],
                "groups": [
                    [words.class_words(work_class), _lines(groups[work_class], list(best))]
                    for work_class in sorted(groups, key=work_class_key)
                ],
            }
    return tables


def _cells(sections: Sequence[Sequence[Row]]) -> Iterator[tuple[Row, list[Any]]]:
    """Of each library the fastest row of its best kind and strictest class, with its cell."""
    found: dict[str, tuple[tuple[Any, ...], float, Row, float]] = {}
    for members in sections:
        ranked = [row for row in members if row.rank is not None] or list(members)
        fastest = ranked[0].time_ns or 1.0
        for row in ranked:
            known = (work_class_key(row.work_class), row.time_ns or 0.0, row, max((row.time_ns or 0.0) / fastest, 1.0))
            is_usual = (row.variant, row.environment) == ("default", "main")
            if is_usual and (row.library not in found or known[:2] < found[row.library][:2]):
                found[row.library] = known
    most = math.log(max([STRONG, *(ratio for *_, ratio in found.values())]))
    for _, _, row, ratio in found.values():
        yield row, [words.factor_text(ratio), round(math.log(ratio) / most, 2)]


def _lines(libraries: Mapping[str, Mapping[str, Sequence[Any]]], names: Sequence[str]) -> list[list[Any]]:
    """The libraries of a class with their cells: those of most workloads first, and of these the fastest."""

    def key(library: str) -> tuple[int, float]:
        cells = libraries[library].values()
        return -len(cells), math.fsum(share for _, share in cells) / len(cells)

    return [[library, [libraries[library].get(name) for name in names]] for library in sorted(libraries, key=key)]


def starts(told: Sequence[Content]) -> dict[str, int]:
    """View → the number of the board that it opens on: that of most cases, or of most sizes, of `USUAL` if there is one."""

    def series(board: Content) -> tuple[Any, ...]:
        return board["run"], *(board["at"][name] for name in ("workload", "conditions", "operation"))

    sizes = Counter(map(series, told))

    def score(number: int, of_sizes: bool) -> tuple[Any, ...]:
        board, at = told[number], told[number]["at"]
        first = (at["workload"] == USUAL, at["conditions"] == "varied", sizes[series(board)] if of_sizes else 0)
        return *first, board["cases"], at["operation"] == "decode"

    numbers = range(len(told))
    return {
        view: max(numbers, key=lambda number: score(number, of_sizes=view == "scaling"), default=0)
        for view in ("ranking", "scaling")
    }
