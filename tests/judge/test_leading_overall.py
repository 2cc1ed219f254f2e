"""Geometric means over all data: over what all cases have, with the interval of a quotient, by work class."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from synthetic import cell, measure

from serbench.display.result_table import overall_data, table
from serbench.display.table import as_text
from serbench.judge.leading import overall
from serbench.judge.rows import rows as rows_of
from serbench.results import Point

POINTS = [Point("client", 100, 2, 0), Point("rows", 100, 1, 0), Point("rows", 1000, 1, 0)]


def measured(times, **kinds):
    """Rows of libraries that take so many ns at each point; None where there is no such cell."""
    pairs = []
    for library, each in times.items():
        for point, time in zip(POINTS, each, strict=True):
            if time is not None:
                kind = {"work_class": kinds.get(library, "objects, strict")}
                pairs.append((cell(len(pairs), library, point=point, reference=library == "a", **kind), time))
    samples = measure(pairs)
    return rows_of([one for one, _ in pairs], samples)


def test_the_mean_is_geometric_and_over_what_all_have():
    """A case that lacks a point takes the point out for all, and the points that count are named."""
    found = overall(measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 8e4, 9e9), "c": (3e4, 3e4, None)}))
    assert ["a", "c", "b"] == [one.library for one in found]
    assert [1.0, pytest.approx(3, rel=0.05), pytest.approx(4, rel=0.05)] == [one.ratio for one in found]
    assert {2} == {len(one.points) for one in found}
    assert all(one.ratio_low < one.ratio < one.ratio_high for one in found[1:])


def test_the_interval_is_that_of_two_independent_means():
    """Its half-width in logarithms is the root of the sum of all squares, divided by the number of points."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 2e4, 2e4)})
    (_, second) = overall(rows)
    halves = [math.log(row.ratio_high / row.ratio_low) / 2 for row in rows if row.library == "b"]
    assert pytest.approx(math.sqrt(sum(half**2 for half in halves)) / 3) == math.log(second.ratio_high / second.ratio)


def test_cases_stand_in_the_weakest_of_their_classes():
    """What checks nothing at one point is ranked with what checks nothing; classes do not meet."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 2e4, 2e4), "c": (1e4, 1e4, 1e4)}, c="objects, unchecked")
    rows = [
        replace(row, work_class="objects, unchecked") if (row.library, row.workload) == ("b", "client") else row
        for row in rows
    ]
    found = {one.library: (one.work_class, one.ratio) for one in overall(rows)}
    assert ("objects, strict", 1.0) == found["a"]
    assert ("objects, unchecked", pytest.approx(2, rel=0.05)) == found["b"]
    assert ("objects, unchecked", 1.0) == found["c"]


def test_what_takes_no_part_in_a_ranking_is_in_no_mean():
    """It is measured beside the others, and shown without a rank."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 2e4, 2e4), "c": (5e3, 5e3, 5e3)})
    for workload in {row.workload for row in rows}:  # no rank at some data is none in the mean, whose data stay
        found = overall([replace(r, rank=None) if (r.library, r.workload) == ("c", workload) else r for r in rows])
        assert [("a", 3), ("b", 3)] == [(one.library, len(one.points)) for one in found]


@pytest.mark.parametrize(("copied", "told"), [(1, ["a", "b", "c"]), (3, ["a, c", "b"])])
def test_a_copy_at_some_data_has_a_mean_of_its_own(copied, told):
    """Code that is another's at all data stands in its line; else no data is taken out of the means."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 2e4, 2e4), "c": (1e4, 1e4, 1e4)})
    of_c = [row for row in rows if row.library == "c"][:copied]
    rows = [replace(row, same_as="a") if row in of_c else row for row in rows]
    (((section, lines),),) = (board["sections"] for board in overall_data(rows))
    assert sorted(told) == sorted(library for library, *_ in lines)
    assert 3 == section.count("records")


def test_one_point_has_no_mean():
    """Where there is nothing to take a mean over there is none, in the table as well."""
    rows = [row for row in measured({"a": (1e4,) * 3, "b": (2e4,) * 3}) if row.workload == "client"]
    assert [] == overall(rows)


def test_every_output_has_the_same_means():
    """Terminal, Markdown and HTML show each case's mean, the data that it is over, and who is probably first; one point has none."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 2e4, 2e4)})
    info = type("Info", (), {"id": "x", "started": "2026", "command": "c", "machine": {}, "versions": {}})
    (board,) = overall_data(rows)
    ((section, lines),) = board["sections"]
    told = [table(rows, {}, [], info).to_markdown(), table(rows, {}, [], info).to_html()]
    for text in (*told, as_text(table(rows, {}, [], info))):
        assert "decode, geometric mean over all data" == board["title"]
        assert board["title"] in text
        assert "100%" in text
        words = " ".join(text.split())  # a terminal folds long lines
        assert all(word in words for word in (section, *(mean for *_, mean in lines)))
    assert (
        "over client · 100 records · depth 2 · one document repeated; rows · 100 records · depth 1 · one document repeated"
        in section
    )
    assert {row.library: row.first_probability for row in rows} == {"a": 1.0, "b": 0.0}
    assert "geometric" not in table([row for row in rows if row.workload == "client"], {}, [], info).to_markdown()


def test_conditions_are_not_mixed():
    """Each conditions have means of their own; data under one condition alone has none."""
    rows = measured({"a": (1e4, 1e4, 1e4), "b": (2e4, 8e4, 9e4)})
    mixed = [*rows, *(replace(row, conditions="varied") for row in rows)]
    assert [*overall(rows), *overall(rows)] == [
        replace(one, points=tuple(replace(point, conditions="hot") for point in one.points)) for one in overall(mixed)
    ]
    assert [("hot", 2), ("varied", 2)] == [
        (name, sum(one.conditions == name for one in overall(mixed))) for name in ("hot", "varied")
    ]
    alone = [row for row in rows if row.workload == "client"]
    assert [] == overall([*alone, *(replace(row, conditions="varied") for row in alone)])
