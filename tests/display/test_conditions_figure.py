"""Cases under `hot` and `varied` stand side by side, each with its factor and its ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from synthetic import CLIENT, cell, measure, run

from serbench.display.figures import conditions_figure
from serbench.display.result_table import conditions_table
from serbench.display.views import conditions
from serbench.judge.rows import rows as rows_of
from serbench.results import Origin

HOT, VARIED = (replace(CLIENT, conditions=name) for name in ("hot", "varied"))
TRUE_NS = [
    ("remembers", HOT, 1e3),
    ("plain", HOT, 2e3),
    ("remembers", VARIED, 6e3),
    ("plain", VARIED, 3e3),
    ("lone", HOT, 4e3),
]


@pytest.fixture(scope="module")
def rows():
    """A library that remembers its last document, one that does not, and one without a row under `varied`."""
    pairs = [(cell(number, name, point=point), ns) for number, (name, point, ns) in enumerate(TRUE_NS)]
    cells = [one for one, _ in pairs]
    known = run("known", cells, measure(pairs, waves=6, seed=1), {})
    return rows_of(known.cells, known.samples)


def test_a_library_that_remembers_falls_behind(rows):
    """Factors are the true ones, and so are ranks; what was not measured under both is left out."""
    shown = dict(zip(*(column.cells for column in conditions_table(rows).columns[::3]), strict=True))
    assert {name: pytest.approx(float(text.partition("×")[0]), abs=0.2) for name, text in shown.items()} == {
        "plain via msgspec": 1.5,
        "remembers via msgspec": 6.0,
    }
    ranks = conditions_table(rows).columns[-1].cells
    assert ranks == ("2 → 1", "1 → 2")
    text = "remembers via msgspec needs 6× the time, plain via msgspec needs 1.5× the time; 2 of 2 combinations are proven to change order"
    assert text in conditions(rows).title


def test_no_difference_is_claimed_that_is_not_proven(rows):
    """A factor whose interval holds 1, or that is below the noise of the run, is no proven difference."""
    wide = [replace(row, time_ns_low=row.time_ns / 20, time_ns_high=row.time_ns * 20) for row in rows]
    assert 2 == conditions(wide).title.count("shows no proven difference")
    text = conditions(rows, 0.6).title
    assert text.endswith("; ignore differences below 60.0% (noise)")
    assert "needs 6× the time, plain via msgspec shows no proven difference; 2 of 2 combinations are" in text


def test_the_figure_has_two_dots_for_each_case(rows):
    """They are the times of the table, and the text beside them its factor."""
    *dots, texts = conditions_figure(rows, Origin("known", "", "", {}, {}))["data"]
    assert [2, 2] == [len(trace["x"]) for trace in dots]
    assert all(text.strip().partition("×")[2].startswith(" ± ") for text in texts["text"])


def test_without_pairs_there_is_no_axis(rows):
    """A run that was cancelled before it came to the other conditions is a sentence, with no empty axis beneath it."""
    figure = conditions_figure([row for row in rows if row.conditions == "hot"], Origin("known", "", "", {}, {}))
    assert "Nothing was measured under both conditions" in figure["layout"]["title"]["text"]
    assert ([], False, False) == (
        figure["data"],
        figure["layout"]["xaxis"]["visible"],
        figure["layout"]["yaxis"]["visible"],
    )
