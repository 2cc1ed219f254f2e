"""Quantities of rows from their samples."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from serbench.claims.entry import PublishedFigure
from serbench.claims.quantities import states_of
from serbench.measure.functions import POINT
from serbench.results import CALL, CaseId, Cell, Sample


def cell(number, name, **facts):
    found = Cell(id=number, **vars(POINT), **vars(CaseId(name, "default", "", "")), operation=CALL)
    found.status, found.loops, found.reference = "ok", facts.pop("loops", 1), number == 0
    for key, value in facts.items():
        setattr(found, key, value)
    return found


def samples(number, *times):
    return [Sample(number, 1, 1, turn, time, time, time, 0) for turn, time in enumerate(times)]


def two_states(ratios, rounds=32):
    """Rounds of which the second half is slowed: b twice as long, a by what its ratio becomes."""
    first = [samples(0, *[ratios[turn * 2 // rounds] * (turn * 2 // rounds + 1) * 100 for turn in range(rounds)])]
    second = [samples(1, *[(turn * 2 // rounds + 1) * 1000 for turn in range(rounds)])]
    return [*first[0], *second[0]]


def test_states_of_a_machine():
    """A ratio is told in the rounds in which the core was fast, and in those in which somebody slowed it."""
    cells = {"a": cell(0, "a"), "b": cell(1, "b", loops=10)}
    figure = PublishedFigure("a", "b", sense="more")
    measured = two_states((9 / 10, 13 / 10))

    assert (math.log(0.9), math.log(1.3)) == pytest.approx(states_of(figure, cells, measured))
    assert states_of(figure, cells, [one for one in measured if one.round < 10]) is None
    assert states_of(PublishedFigure("a", quantity="busy"), cells, measured) is None
    assert (math.log(0.9), math.log(1.3)) == pytest.approx(states_of(replace(figure, quantity="wall"), cells, measured))


def test_an_effect_against_another_has_states():
    """The ratio of two ratios has the states of all its rows."""
    cells = {"a": cell(0, "a"), "b": cell(1, "b", loops=10), "c": cell(2, "c", loops=10)}
    measured = two_states((2, 4))
    measured += [one._replace(cell=2) for one in measured if one.cell == 1]
    figure = PublishedFigure("a", "b", against=("c", "b"))

    assert (math.log(2), math.log(4)) == pytest.approx(states_of(figure, cells, measured))
