"""The boards of runs as data, with the views of each: what the page and the app draw, in words that stand here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from shlex import join
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
)
from serbench.judge.compare import least_difference
from serbench.judge.leading import kind_key
from serbench.judge.rows import Row, by_case, case_of
from serbench.keep.archive import Sheet
from serbench.results import YOURS, grouped

Content = dict[str, Any]
USUAL = "client-rich"
"""The workload that every view opens on, if it has what the view shows."""
STRONG = 10.0
"""The ratio from which on the slowest library of a workload has the strongest colour; less is painted paler."""


def boards(runs: Sequence[Sheet]) -> list[Content]:
    """Each board of the runs as data. A row is its number among the rows of all runs.

    - `run`: the number of the run; `at`: workload, conditions, operation, records and depth.
    - `headline`, `where`, `cost`, `next`: the answer, what it is of, what it costs, and the command that goes on.
    - `leader`: its row; None if nothing was measured. `cases`: how many were measured.
    - `sections`: heading → row, rank, the time against that of the leader, and if the row stands for several cases,
      a label and the rows of the others.
    - `failures`: those without a time, with status and reason; `absent`: cases that the run measured at other sizes only.
    - `tradeoff`: title, and the rows that no other beats; `scaling`: title, and a row of each case whose line is drawn,
      None if the run has one size. `budgets`: "BITS_PER_S/CORES" → title, and each row with its messages a second.
    """
    return [told for run, numbers in _numbered(runs) for told in _boards_of(run, numbers, runs.index(run))]


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
        told = (board.setting, words.counted(len(board.measured), "case") + " measured", "" if least else trusted)
        yield {
            "run": place,
            "at": {name: getattr(first, name) for name in ("workload", "conditions", "operation", "records", "depth")},
            "headline": board.headline,
            "where": " · ".join(filter(None, told)),
            "cost": board.cost,
            "next": _next(run, board),
            "leader": None if board.lead is None else number(board.lead.first),
            "cases": len(board.measured),
            "sections": [[name, [_entry(board, row, rows, number) for row in rows]] for name, rows in board.sections],
            "failures": [
                {"cases": cases, "status": status, "reason": reason} for cases, status, reason in board.failures
            ],
            "absent": [words.case_name(row) for row in elsewhere.values()],
            "tradeoff": _view(tradeoff(board.measured, least), number),
            "scaling": _view(View(view.title, [line[0] for line in view.lines]), number) if view else None,
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
    first = board.lead.first if board.lead else None
    if first is None or not words.can_be_named(first) or first.library.startswith(YOURS):
        return ""
    plan = run.user_data or {"records": [first.records], "depth": [first.depth]}
    case = join(words.case_text(first, " ").split())
    return f"serbench adopt {case}{words.data_options(plan, first.point)} --output models.py"


def steps(runs: Sequence[Sheet]) -> list[Content]:
    """The phases of each point that has steps: a line for each case with the ns of each, and what the line says."""
    told = []
    for place, (run, numbers) in enumerate(_numbered(runs)):
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
                told.append({"run": place, "at": at, "title": view.title, "lines": lines})
    return told


def _direction(row: Row, times: Mapping[str, float], rows: Sequence[Row]) -> list[str]:
    """What stands beside the phases of a case: the share of the models, or the direction that it lacks, with the reason."""
    lacking = missing(times).removeprefix(" · no ")
    if not lacking:
        has_steps = {"dump", "load"} & set(times)
        return [f"{model_share(times):.0%} models".replace("%", " %") if has_steps else "in one step", ""]
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
    """Operation → workloads with the number of their board, and libraries with a cell for each workload.

    A workload's board is that of its default size: the one with most cases. A cell is the library's fastest case of its
    best kind as a ratio to the fastest of the same work class, its share of the way to the slowest for a colour, and the
    words of that class; None if it was not measured.
    """
    rows = [row for run in runs for row in run.rows]
    usual = [
        number
        for number, board in enumerate(told)
        if board["at"]["conditions"] == "varied" and board["leader"] is not None
    ]
    tables = {}
    for operation in ("decode", "encode"):
        best: dict[str, int] = {}
        for number in usual:
            board = told[number]
            name = board["at"]["workload"]
            if board["at"]["operation"] == operation and (
                name not in best or board["cases"] > told[best[name]]["cases"]
            ):
                best[name] = number
        cells = {
            name: _cells([[rows[entry[0]] for entry in entries] for _, entries in told[number]["sections"]])
            for name, number in best.items()
        }
        libraries = sorted(
            {library for column in cells.values() for library in column},
            key=lambda library: (-sum(library in column for column in cells.values()), _mean(library, cells.values())),
        )
        if len(best) > 1:
            tables[operation] = {
                "workloads": [[name, number] for name, number in best.items()],
                "libraries": [[name, [column.get(name) for column in cells.values()]] for name in libraries],
            }
    return tables


def _cells(sections: Sequence[Sequence[Row]]) -> dict[str, list[Any]]:
    """Library → ratio in words, share of a colour, and work class of its fastest case of the best kind."""
    found: dict[str, tuple[int, float, Row, float]] = {}
    for members in sections:
        ranked = [row for row in members if row.rank is not None] or list(members)
        fastest = ranked[0].time_ns or 1.0
        for row in ranked:
            time = row.time_ns or 0.0
            known = (kind_key(row), time, row, max(time / fastest, 1.0))
            if (row.variant, row.environment) == ("default", "main") and known[:2] < found.get(
                row.library, (1 << 30, 0.0)
            )[:2]:
                found[row.library] = known
    most = max(math.log(STRONG), *(math.log(one[3]) for one in found.values())) if found else 1.0
    return {
        library: [words.factor_text(ratio), round(math.log(ratio) / most, 2), words.class_words(row.work_class)]
        for library, (_, _, row, ratio) in found.items()
    }


def _mean(library: str, columns: Iterable[Mapping[str, Sequence[Any]]]) -> float:
    shares = [column[library][1] for column in columns if library in column]
    return math.fsum(shares) / len(shares)


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
