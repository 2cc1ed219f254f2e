"""The leader of all cases at a size: over all published runs and random subsets of them it never loses where it counts."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import log
from random import Random

import pytest
from synthetic import cell, measure

from serbench.judge.compare import relation
from serbench.judge.leading import field, kind_key
from serbench.judge.rows import rows as rows_of
from serbench.keep.archive import published, read_size_grid, resources
from serbench.results import Point

SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 50, 99, 100, 300, 500, 700, 1_000, 5_000, 100_000)


@lru_cache(1)
def sheets():
    """The rows of every published run, newest first."""
    grids = [read_size_grid(path) for path in sorted(resources("data").rglob("rows.json.gz"))]
    found = [*published(), *(one for one in grids if one is not None)]
    return [one.rows for one in sorted(found, key=lambda sheet: sheet.info.started, reverse=True)]


def data_of(row):
    """What rows have in common that may be held together."""
    return (row.workload, row.conditions, row.seed, row.operation)


def case_of(row):
    """A case, whatever its version."""
    return (row.library, row.variant, row.environment, row.codec, row.format)


def lost_to(runs, winner, records, depth):
    """The cases of the winner's kind that beat it where both were measured nearest; by hand."""
    beaten = []
    known = [[row for row in rows if row.measured] for rows in runs]
    ranked = {case_of(row) for rows in known for row in rows if row.rank is not None}
    for other in {case_of(row) for rows in known for row in rows if kind_key(row) == kind_key(winner)} & ranked:
        pairs = [
            (abs(log(one.records / records)) + 3 * abs(log(one.depth / depth)), number, one, two)
            for number, rows in enumerate(known)
            for one in rows
            if case_of(one) == case_of(winner)
            for two in rows
            if case_of(two) == other and (two.records, two.depth) == (one.records, one.depth)
        ]
        if pairs and other != case_of(winner):
            _, _, one, two = min(pairs, key=lambda pair: pair[:2])
            found = relation(one, two)
            beaten += [other] if found.low is not None and found.low > 1 else []
    return beaten


@pytest.mark.drawn(count=1)
@pytest.mark.parametrize("seed", range(8))
def test_no_false_winner(seed):
    """Of all published runs and of random ones of them, the named winner loses to none where both were measured nearest."""
    random, every = Random(seed), sheets()
    kept = every if not seed else random.sample(every, random.randint(1, len(every)))
    data = sorted({data_of(row) for rows in kept for row in rows if row.measured})
    for wanted in random.sample(data, min(len(data), 6)):
        runs = [[row for row in rows if data_of(row) == wanted] for rows in kept]
        formats = random.choice([None, ("json",), ("json", "msgpack")])
        runs = [[row for row in rows if not formats or row.format in formats] for rows in runs]
        for records in random.sample(SIZES, 5):
            depth = random.choice((1, 2, 3, 6))
            found = field(runs, records, depth)
            if found.winner is not None and case_of(found.winner) in {case_of(row) for row in found.contest}:
                assert [] == lost_to(runs, found.winner, records, depth), (wanted, records, depth, found.winner)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_each_case_stands_once(seed):
    """Whatever runs there are, each case is shown, joined, between or elsewhere, and once; none is left out."""
    random = Random(seed)
    runs = [
        [row for row in rows if data_of(row) == ("client", "varied", 0, "decode")]
        for rows in random.sample(sheets(), 6)
    ]
    for records in SIZES:
        found = field(runs, records, 2)
        standing = [case_of(one) for row in (*found.timed, *found.elsewhere) for one in (row, *row.also)]
        assert sorted(set(standing)) == sorted(standing)
        assert {case_of(row) for rows in runs for row in rows if row.measured} == set(standing)


def run(times, records, seed):
    """The rows of a run of some cases at one size."""
    cells = [
        (cell(number, name, point=Point("client", records, 2, 0), reference=not number), time * records)
        for number, (name, time) in enumerate(times.items())
    ]
    return rows_of([one for one, _ in cells], measure(cells, process_sd=0.002, round_sd=0.002, seed=seed))


def test_a_faster_case_that_is_missing_here_is_not_beaten():
    """A run of the slower cases at a size does not make one of them the winner: the faster is greyed, and leads."""
    both, slower = run({"msgspec": 100, "pydantic": 300}, 10, 0), run({"pydantic": 300, "cattrs": 900}, 1000, 1)
    found = field([slower, both], 1000, 2, slower)
    assert ("msgspec", ["msgspec"]) == (found.winner.library, [row.library for row in found.elsewhere])
    assert ["msgspec", "pydantic", "cattrs"] == [
        row.library for row in sorted((*found.timed, *found.elsewhere), key=found.guess)
    ]
    turned = field([slower, [replace(row, rank=None) for row in both]], 1000, 2, slower)
    assert "pydantic" == turned.winner.library  # what takes no part is not ranked, and leads nowhere


def test_cases_of_several_runs_are_interpolated_together():
    """Each case lies between its own measured points, which may be of several runs."""
    small, large = run({"msgspec": 100, "pydantic": 300}, 1, 0), run({"pydantic": 300, "msgspec": 100}, 100, 1)
    third = run({"cattrs": 900, "msgspec": 100}, 20, 2)
    found = field([small, large, third], 10, 2)
    assert {"msgspec", "pydantic"} == {row.library for row in found.bands}
    assert ("cattrs", "msgspec") == (found.elsewhere[0].library, found.winner.library)
