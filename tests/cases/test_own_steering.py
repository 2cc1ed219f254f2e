"""What a class says of itself and of its values decides what is drawn for it, and what is said of it."""

from __future__ import annotations

from random import Random

import pytest

from serbench.cases import own_accepted
from serbench.cases.own_class import class_of, load_model, locate
from serbench.cases.own_drawing import OwnDrawing
from serbench.errors import PlanError
from serbench.schema import Ref
from serbench.schema.from_class import from_class


def test_fields_that_are_not_tried_are_named(model, monkeypatch):
    """If a class has more optional fields than are tried one by one, a line names those that are left out untried."""

    def ask(record):
        assert record["seal"] is None, "only the harbour master has it"

    fields = [f"    {name}: int | None = None\n" for name in ("deck", "seal", "hold", "mast")]
    found = load_model(locate(model(f"class Model(pydantic.BaseModel):\n    name: str\n{''.join(fields)}")))
    drawing = OwnDrawing(from_class(class_of(found), drawing=True), Random(0), 1)
    monkeypatch.setattr(own_accepted, "_MOST_TRIED", 2)
    own_accepted._leave_out(ask, drawing, Ref("Model"))
    own_accepted._tell(found, drawing)
    why = "as the class refuses what is drawn"

    assert {"name", "deck"} == {key for key, value in drawing.item(Ref("Model")).items() if value is not None}
    assert [
        f"not in the drawn values, {why} for it: Model.seal",
        f"not in the drawn values, {why}, and no more than 2 fields are tried one by one: Model.hold, Model.mast",
    ] == found.differences


def test_a_struct_that_msgspec_refuses(model):
    """The line says that msgspec itself cannot read the class, if it names what its module lacks."""
    name = model("class Model(msgspec.Struct):\n    name: 'list[Absent]'\n")
    with pytest.raises(PlanError, match="msgspec itself refuses Model: NameError: name 'Absent' is not defined"):
        load_model(locate(name))
