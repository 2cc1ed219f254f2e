"""Cases whose operation is the very same code, and libraries without a part in an operation, among the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
import synthetic

from serbench.display import words
from serbench.display.board import boards_of
from serbench.display.result_table import board_table
from serbench.judge.rows import rows as rows_of


@pytest.fixture
def cells():
    """A reference, two more cases, a copy of the second, and a case whose library takes no part."""
    found = [synthetic.cell(id_, name, codec="orjson") for id_, name in enumerate(("msgspec", "dataclasses", "attrs"))]
    copy = replace(found[1], id=3, library="dacite", same_as="dataclasses", loops=0)
    bystander = replace(found[2], id=4, library="jsons", takes_part=False)
    return [replace(found[0], reference=True), *found[1:], copy, bystander]


@pytest.fixture
def rows(cells):
    """Their rows, of which the copy has no sample."""
    times = {0: 1000.0, 1: 1500.0, 2: 3000.0, 4: 2000.0}
    samples = synthetic.measure([(cell, times[cell.id]) for cell in cells if cell.id in times], waves=8)
    return {row.library: row for row in rows_of(cells, samples)}


def test_a_copy_has_the_figures_of_what_was_measured(rows):
    """Its row has the time, the interval and the rank of the other, under its own name."""
    one, other = rows["dataclasses"], rows["dacite"]
    assert (one.time_ns, one.ratio_low, one.rank, one.loops) == (
        other.time_ns,
        other.ratio_low,
        other.rank,
        other.loops,
    )
    assert (one.same_as, other.same_as) == (None, "dataclasses")


def test_the_same_code_counts_once(rows):
    """The next row's rank counts the two as one; a case whose library takes no part is not counted and has no rank."""
    assert {name: row.rank for name, row in rows.items()} == {
        "msgspec": 1,
        "dataclasses": 2,
        "dacite": 2,
        "attrs": 3,
        "jsons": None,
    }


def test_one_line_has_all_names(rows):
    """A board has one line for the two, with both names, and a dash for the rank of the bystander, at the end."""
    [board] = boards_of(rows.values())
    lines = {column.heading: column.cells for column in board_table(board).columns}
    assert [name.partition(" via ")[0] for name in lines["library + format"]] == [
        "msgspec",
        "dataclasses, dacite",
        "attrs",
        "jsons",
    ]
    assert list(lines["#"]) == ["1", "2", "3", "–"]
    assert any(note.startswith("– not ranked") for note in words.footnotes(list(rows.values())))


def test_a_copy_of_what_failed(cells):
    """If the other was not measured, the copy says so."""
    cells[1] = replace(cells[1], status="crashed", reason="SIGSEGV")
    samples = synthetic.measure([(cells[0], 1000.0)], waves=4)
    [copy] = [row for row in rows_of(cells, samples) if row.library == "dacite"]
    assert (copy.measured, copy.status, copy.reason) == (False, "crashed", "its code is that of dataclasses: SIGSEGV")
