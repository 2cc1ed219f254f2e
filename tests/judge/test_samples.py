"""The samples of a run in memory."""

from __future__ import annotations

from serbench.judge.waves import SampleTable
from serbench.results import Sample


def samples(cell: int, count: int) -> list[Sample]:
    """That many samples of a cell, a visit each."""
    return [Sample(cell, 1, visit, 0, 10 * visit, 11 * visit, 12 * visit, 0) for visit in range(count)]


def test_samples_are_held_once():
    """What is added is in one array, whose earlier views stay as they were and share its memory."""
    table = SampleTable(samples(3, 2))
    before = table.array()
    for _ in range(700):
        table.add(samples(4, 2))
    assert [(3, 1, 0, 0, 0, 0, 0, 0), (3, 1, 1, 0, 10, 11, 12, 0)] == before.tolist()
    assert samples(3, 2) + 700 * samples(4, 2) == [Sample(*row) for row in table.array().tolist()]
    assert ([0, 1], 1402) == (table.places({3}).tolist(), len(table))
    assert table.array().base is not None
    assert SampleTable(table.array()).array().tolist() == table.array().tolist()


def test_no_samples():
    """Nothing added is an array of no samples."""
    assert (0, [], []) == (len(SampleTable()), SampleTable().array().tolist(), SampleTable(()).places({1}).tolist())
