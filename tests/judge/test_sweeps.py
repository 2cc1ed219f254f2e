"""Rows between measured points, and as columns."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from synthetic import cell, measure

from serbench.judge.growth import between, corners
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


@pytest.mark.parametrize(
    "time_of",
    [
        lambda case, records, depth: (case + 1) * (5_000 + 200 * records) * (1 + depth),
        lambda case, records, depth: (case + 1) * 300 * records**1.1 * 2.0**depth,
        lambda case, records, depth: (case + 1) * 900 * records**0.9 * 1.5**depth,
    ],
    ids=["straight", "steeper than in proportion", "flatter than in proportion"],
)
def test_what_lies_between_holds_the_truth(time_of):
    """The band holds the true time of data whose time grows in a line, by a power or by a factor for each level."""
    found = between(rows(time_of), 30, 3)
    assert ["msgspec", "pydantic"] == sorted(row.library for row in found)
    for row in found:
        truth = time_of(("msgspec", "pydantic").index(row.library), 30, 3)
        assert row.time_ns_low <= truth <= row.time_ns_high
        assert row.time_ns_low <= row.time_ns <= row.time_ns_high < 2 * row.time_ns_low
        assert (True, None, None, 30, 3) == (row.interpolated, row.rank, row.ratio, row.records, row.depth)


def test_only_what_has_neighbours_lies_between():
    """A measured point, one outside of all others, and one whose neighbour is missing have no corners."""
    assert GRID == corners(GRID, 30, 3)
    assert [(10, 2), (100, 2)] == corners(GRID, 30, 2)
    for known, at in ((GRID, (10, 2)), (GRID, (1, 2)), (GRID, (200, 3)), (GRID[:3], (30, 3)), ([], (1, 1))):
        assert [] == corners(known, *at)
    table = [row for row in rows(lambda *_: 1e5) if (row.library, row.records) != ("pydantic", 100)]
    assert ["msgspec"] == [row.library for row in between(table, 30, 3)]


def test_rows_come_back_from_their_columns():
    """The rows are those that were packed, with floats to six digits; a failed one keeps its reason."""
    table = rows(lambda case, *_: 1e5 * (case + 1), points=[(10, 2)])
    table.append(replace(table[0], library="gone", status="failed", reason="told so", time_ns=None, rank=None))
    back = from_columns(json.loads(json.dumps(by_column(table))))
    assert [as_data(row) for row in table] == [as_data(row) for row in back]
