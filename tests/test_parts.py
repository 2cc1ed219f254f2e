"""Values made of parts: facts are given, read and written flat, and each stays in its part."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest

from serbench.judge.rows import Figures, Row
from serbench.render.codec import Calls, Codec, Limits
from serbench.results import CaseId, Cell, Outcome, Point, flat_facts

POINT = Point("client", 100, 2, 0)


def cell() -> Cell:
    """A cell of which nothing is known yet."""
    return Cell(1, POINT, CaseId("attrs", "default", "orjson", "json"), "decode")


def test_facts_find_their_parts():
    """A value of flat facts is the one that its parts make, and every fact can be read from it."""
    facts = {name: getattr(cell(), name) for name in flat_facts(Cell)}
    assert cell() == Cell.of(**facts)
    changed = cell().changed(library="cattrs", records=1, status="ok")
    assert (CaseId("cattrs", "default", "orjson", "json"), 1, Outcome("ok")) == (
        changed.case,
        changed.records,
        changed.outcome,
    )
    row = Row(**vars(cell())).changed(rank=2)
    assert (Figures(rank=2), 2, 100) == (row.figures, row.rank, row.records)


def test_a_fact_that_is_filled_in_stays_in_its_cell():
    """The part is replaced, so that a copy of the cell keeps its own; what identifies a case cannot be written."""
    one = cell()
    copy = one.changed(id=2)
    one.status, one.reason, one.loops = "failed", "why", 7
    assert (Outcome("failed", "why"), 7) == (one.outcome, one.timing.loops)
    assert (Outcome(), 0) == (copy.outcome, copy.loops)
    with pytest.raises(AttributeError, match="library can only be read: replace case"):
        one.library = "cattrs"


def test_an_unknown_fact_is_an_error():
    """A word that no part has is named."""
    for make in (cell().changed, Codec("json", "https://example.org").changed, Cell.of):
        with pytest.raises(TypeError, match="'lackz'"):
            make(lackz={})


@pytest.mark.parametrize(
    ("shape", "most"), [(Cell, 12), (Row, 16), (Codec, 13), (Figures, 16), (Calls, 10), (Limits, 7)]
)
def test_no_shape_is_wide(shape, most):
    """A reader of one of them has few fields to read, and no fact is in two of its parts."""
    assert len(fields(shape)) <= most
    parts = [one.default for one in fields(shape) if is_dataclass(one.default)]
    names = [one.name for part in parts for one in fields(part)]
    assert len(names) == len(set(names))
