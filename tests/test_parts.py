"""A cell has the fields of its point and case; a codec's facts are given flat, and each stays in its part."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest

from serbench.judge.outcomes import Weight
from serbench.judge.rows import Row
from serbench.render.codec import Calls, Codec, Limits, Objects
from serbench.results import CaseId, Cell, Point

CODEC = Codec("json", "https://example.org", calls=Calls("json.dumps({})", "json.loads({})"))


@pytest.mark.parametrize(
    ("shape", "facts"), [(Cell, {"id": 1, "operation": "decode"}), (Row, {"id": 1, "operation": "decode"})]
)
def test_a_cell_is_of_its_point_and_case(shape, facts):
    """It is made of the fields of both, and gives both back."""
    point = Point("client", 100, 2, 7, "varied")
    case = CaseId("attrs", "fast", "orjson", "json", "old", "1.0", "3.11")
    cell = shape(**vars(point), **vars(case), **facts)
    assert (point, case, case.name) == (cell.point, cell.case, cell.name)


@pytest.mark.parametrize("shape", [Cell, Weight])
def test_no_field_of_a_point_or_case_is_missing(shape):
    """What is measured of a case has each with the same type and default."""
    own = {field.name: (field.type, field.default) for field in fields(shape)}
    assert {
        field.name: (field.type, field.default) for part in (Point, CaseId) for field in fields(part)
    }.items() <= own.items()


def test_facts_of_a_codec_find_their_parts():
    """A fact of a part replaces that part, and the others stay."""
    changed = CODEC.changed(loads="orjson.loads({})", takes=frozenset({"dict"}), name="orjson")
    assert ("orjson", Calls("json.dumps({})", "orjson.loads({})")) == (changed.name, changed.calls)
    assert (Objects(frozenset({"dict"})), CODEC.limits) == (changed.objects, changed.limits)


def test_an_unknown_fact_is_an_error():
    """A word that no part has is named."""
    with pytest.raises(TypeError, match="'lackz'"):
        CODEC.changed(lackz={})


@pytest.mark.parametrize(("shape", "most"), [(Codec, 13), (Calls, 10), (Limits, 7)])
def test_no_shape_is_wide(shape, most):
    """A reader of one of them has few fields to read, and no fact is in two of its parts."""
    assert len(fields(shape)) <= most
    parts = [field.default for field in fields(shape) if is_dataclass(field.default)]
    names = [field.name for part in parts for field in fields(part)]
    assert len(names) == len(set(names))
