"""Rows as columns."""

from __future__ import annotations

import json
from dataclasses import replace

from synthetic import cell, measure

from serbench.judge.rows import as_data, by_column, from_columns
from serbench.judge.rows import rows as rows_of
from serbench.results import Point

GRID = [(records, depth) for records in (10, 100) for depth in (2, 4)]


def rows(time_of, points=GRID, names=("msgspec", "pydantic"), seed=0):
    """The rows of a run in which a case takes `time_of(number of the case, records, depth)` ns."""
    cells = [
        (cell(0, name, point=Point("client", *at, 0), reference=number == 0), time_of(number, *at))
        for at in points
        for number, name in enumerate(names)
    ]
    for number, (one, _) in enumerate(cells):
        one.id = number
    return rows_of([one for one, _ in cells], measure(cells, process_sd=0.002, round_sd=0.002, seed=seed))


def test_rows_come_back_from_their_columns():
    """The rows are those that were packed, with floats to six digits; a failed one keeps its reason."""
    table = rows(lambda case, *_: 1e5 * (case + 1), points=[(10, 2)])
    table.append(replace(table[0], library="gone", status="failed", reason="told so", time_ns=None, rank=None))
    back = from_columns(json.loads(json.dumps(by_column(table))))
    assert [as_data(row) for row in table] == [as_data(row) for row in back]
