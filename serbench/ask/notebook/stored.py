"""What is stored of a plan: the rows of one run, of this machine's or a published one, at the sizes that the plan asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

from serbench.ask.notebook.settings import is_selected
from serbench.judge.rows import Row, case_of
from serbench.keep.archive import Archive, Sheet, published_sources, resources, user_data_of
from serbench.keep.run import Run
from serbench.measure.plan import Plan, depths, named_workloads
from serbench.model.data.dataset import get
from serbench.results import YOURS

Point = tuple[str, int | None, int | None, str]
"""Workload, records and depth, None for whatever it is, and conditions; no workload for the user's own data."""
archive = cache(Archive)


def points(plan: Plan) -> set[Point]:
    """Return what a plan asks for: a workload's own size and depth if it asks for none."""
    own = plan.payload is not None or plan.model is not None
    asked: set[Point] = set()
    for name in [""] if own else named_workloads(plan):
        usual = (None, None) if own else (get(name).records, get(name).depth)
        sizes = product(plan.records or usual[:1], depths(plan) or usual[1:], plan.conditions)
        asked |= {(name, *size) for size in sizes}
    return asked


def stored_run(plan: Plan, store: str | Path | None) -> tuple[Run, bool] | None:
    """Return the rows of a plan that one run has, and whether it is a published one; None if none is stored.

    Of several runs that have as many of its sizes, this machine's come first, then those with most cases, then the newest.
    """
    known, asked, user_data = archive(store), points(plan), user_data_of(plan.as_data())
    if not user_data:
        for name, conditions in product(named_workloads(plan), plan.conditions):
            known.read_size_grid(name, conditions)
    while True:
        sheets = [*known.of(user_data), *(_of_sample(known, Path(plan.payload)) if plan.payload else ())]
        found = [(sheet, rows) for sheet in sheets if (rows := _rows(plan, asked, sheet))]
        best = max(found, key=lambda one: (_reached(one[1], asked), not one[0].published, _cases(one[1])), default=None)
        if best is not None and not best[0].published and _reached(best[1], asked) == len(asked):
            break
        if known.read_next(user_data) is None:
            break
    if best is None:
        return None
    sheet, rows = best
    if sheet.folder is not None:
        sheet = replace(sheet, sources=published_sources(sheet.folder))
    return Run.of_rows(sheet, rows, plan.as_data()), sheet.published


def _of_sample(known: Archive, path: Path) -> list[Sheet]:
    """The published results of a file that comes with the notebooks, which know it by its name."""
    sample = resources("notebooks") / path.name
    if not sample.is_file() or not path.is_file() or sample.read_bytes() != path.read_bytes():
        return []
    parts = (part for sheet in known if sheet.published for part in sheet.of_data.values())
    return [part for part in parts if part.rows[0].workload == path.name]


def lacking(plan: Plan, run: Run) -> set[Point]:
    """Return what a plan asks for and a stored run has not."""
    return {point for point in points(plan) if not any(_is_at(row, point) for row in run.rows)}


def _rows(plan: Plan, asked: Iterable[Point], sheet: Sheet) -> list[Row]:
    if sheet.gc != plan.gc:
        return []
    return [
        row
        for row in sheet.rows
        if row.measured
        and row.operation in plan.operations
        and row.seed == plan.seed
        and any(_is_at(row, point) for point in asked)
        and (row.library.startswith(YOURS) or is_selected(row, plan.libraries, ()))
        and is_selected(row, (), plan.formats)
    ]


def _is_at(row: Row, point: Point) -> bool:
    name, records, depth, conditions = point
    return (
        name in ("", row.workload)
        and records in (None, row.records)
        and depth in (None, row.depth)
        and row.conditions == conditions
    )


def _reached(rows: list[Row], asked: set[Point]) -> int:
    return sum(any(_is_at(row, point) for row in rows) for point in asked)


def _cases(rows: list[Row]) -> int:
    return len({case_of(row) for row in rows})
