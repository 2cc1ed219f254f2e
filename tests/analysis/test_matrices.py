"""The matrices are shown whole: as a heat map with what was found on hover, as JSON and as Markdown."""

from __future__ import annotations

import json

import plotly.graph_objects as go

from serbench.analysis.matrices import (
    OUTCOMES,
    behaviours_data,
    matrices_markdown,
    matrix_figure,
    matrix_finding,
    tally,
)
from serbench.engine.results import Behaviour, Finding


def behaviour(library, codec, **facts):
    """A made-up case in JSON."""
    return Behaviour(library, "default", "1.0", "main", "3.11", codec, "json", **facts)


EXACT = Finding("exact")
CASES = [
    behaviour(
        "careful",
        "json",
        work_class="objects, strict",
        fidelity={"a": EXACT, "b": EXACT},
        strictness={"x": Finding("rejected", "ValueError: <b>no</b>", names=False), "y": Finding("ignored")},
    ),
    behaviour(
        "careless",
        "json",
        work_class="objects, unchecked",
        fidelity={"a": Finding("changed", "expected 1, got 2", "{}"), "b": Finding("crashed", "SIGSEGV")},
        strictness={"x": Finding("let through", "becomes 12"), "y": Finding("unprobed", "cannot be made")},
    ),
    behaviour("absent", "other", reason="other is not installed"),
]


def test_the_heat_map_has_every_cell():
    """Each measured case is a line and each probe a column; the hover text holds what was found, as text."""
    for matrix in ("fidelity", "strictness"):
        figure = matrix_figure(CASES, matrix)
        (heat,) = go.Figure(figure).to_dict()["data"]
        assert ["careful + json", "careless + json"] == list(heat["y"])
        scale = list(OUTCOMES[matrix])
        outcomes = [[getattr(one, matrix)[name].outcome for name in heat["x"]] for one in CASES[:2]]
        assert outcomes == [[scale[number] for number in line] for line in heat["z"]]
    hover = matrix_figure(CASES, "strictness")["data"][0]["customdata"]
    assert "rejected<br>names the field: no<br>ValueError: &lt;b&gt;no&lt;/b&gt;" == hover[0][0]


def test_the_finding_counts():
    """The title says how many cases change a value, and how many are of which class."""
    assert "1 of 2 cases change a value without saying so; 1 crash, hang or run out of memory" == matrix_finding(
        CASES, "fidelity"
    )
    assert "Of 2 cases 1 are strict, 1 are unchecked" == matrix_finding(CASES, "strictness")
    assert "Nothing has been probed yet" == matrix_finding([], "fidelity")


def test_the_data_is_json():
    """The cases are JSON data with every outcome, and nothing that is not known."""
    data = json.loads(json.dumps(behaviours_data(CASES), allow_nan=False))
    assert {"outcome": "changed", "detail": "expected 1, got 2", "written": "{}"} == data[1]["fidelity"]["a"]
    assert ("other is not installed", {}) == (data[2]["reason"], data[2]["fidelity"])


def test_the_tables_are_markdown():
    """The tables name what is changed or lost of each codec and library, and the letters of each wrong input."""
    text = matrices_markdown(CASES, "serbench verify --all")
    assert "| careless | 0 | a | – | b: crashed |" in text
    assert "| careful | json | objects, strict | R' | i |" in text
    assert "| careless | json | objects, unchecked | **L** | – |" in text


def test_a_case_in_one_line():
    """The tally counts each outcome, and how many refusals name the field."""
    assert {"exact": 2, "rejected": 1, "named": "0/1"}.items() <= tally(CASES[0]).items()
    assert {"changed": 1, "lost": 1, "let_through": 1, "named": None}.items() <= tally(CASES[1]).items()
