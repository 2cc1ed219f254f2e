"""What a class says of itself and of its values decides what is drawn for it, and what is said of it."""

from __future__ import annotations

import json
from random import Random

import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.measure.plan import datasets
from serbench.model.classes.read import from_class
from serbench.model.records import Ref
from serbench.render.user_class import accepted as own_accepted
from serbench.render.user_class.drawing import UserDrawing
from serbench.render.user_class.find import class_of, load_model, locate


def test_fields_that_are_not_tried_are_named(model, monkeypatch):
    """If a class has more optional fields than are tried one by one, a line names those that are left out untried."""

    def ask(record):
        assert record["seal"] is None, "only the harbour master has it"

    fields = [f"    {name}: int | None = None\n" for name in ("deck", "seal", "hold", "mast")]
    found = load_model(locate(model(f"class Model(pydantic.BaseModel):\n    name: str\n{''.join(fields)}")))
    drawing = UserDrawing(from_class(class_of(found), drawing=True), Random(0), 1)
    monkeypatch.setattr(own_accepted, "_MOST_TRIED", 2)
    own_accepted._leave_out(ask, drawing, Ref("Model"))
    own_accepted._tell(found, drawing)
    why = "as the class refuses what is drawn"

    assert {"name", "deck"} == {key for key, value in drawing.item(Ref("Model")).items() if value is not None}
    assert [
        f"not in the drawn values, {why} for it: Model.seal",
        f"not in the drawn values, {why}, and no more than 2 fields are tried one by one: Model.hold, Model.mast",
    ] == found.differences


def test_a_path_that_a_message_quotes(model):
    """The value at a path that a class's own message quotes is drawn anew, also where the class writes keys in another spelling."""
    source = """
        class Edition:
            pass
        @dataclass
        class Crate:
            net_weight: int
            seal: str | None = None
        @dataclass
        class Model:
            list_version: Edition
            crates: list[Crate]
            def to_dict(self):
                crates = [{"net-weight": one.net_weight, "seal": one.seal} for one in self.crates]
                return {"list-version": self.list_version, "crates": crates}
            @classmethod
            def from_dict(cls, given):
                if not isinstance(given["list-version"], str):
                    raise ValueError("expected str in 'list-version'")
                if not given["list-version"].startswith("1."):
                    raise ValueError("no version in 'list-version'")
                for index, one in enumerate(given["crates"]):
                    if not 3 <= one["net-weight"] <= 9:
                        raise ValueError(f"must be at least 3 and at most 9 in 'crates[{index}].net-weight'")
                    if one["seal"]:
                        raise ValueError(f"broken in 'crates[{index}].seal'")
                return cls(given["list-version"], [Crate(one["net-weight"], one["seal"]) for one in given["crates"]])
        """
    (found,) = datasets(make_plan(model=model(source), records=20))

    assert {"1."} == {one["list-version"][:2] for one in found.value}
    assert {3, 4, 5, 6, 7, 8, 9} >= {crate["net-weight"] for one in found.value for crate in one["crates"]} > set()


KEYED = """
    class Model(pydantic.BaseModel):
        name: str
        size: int
        def __init__(self, name: str, given: dict[str, Any]):
            super().__init__(name=name, size=given["s"])
    """


@pytest.mark.slow
def test_a_model_made_of_other_arguments(model, cli, tmp_path):
    """What a model's own `__init__` takes is what it reads: a document of that is measured, and an example has it."""
    name = model(KEYED)
    (record,) = json.loads(cli("show", name, "--as", "example")[1])
    document = tmp_path / "document.json"
    document.write_text('{"name": "amber", "given": {"s": 5}}')
    reads, writes = datasets(make_plan(model=name, payload=str(document)))

    assert {"name", "given"} == set(record)
    assert ({"name": "amber", "given": {"s": 5}}, {"name": "amber", "size": 5}) == (reads.value, writes.value)


def test_a_model_that_pydantic_reads_only_as_parsed(model, tmp_path):
    """If pydantic refuses JSON text and takes what a codec has parsed, that is measured, and a line says so."""
    source = """
        from pathlib import Path
        class Model(pydantic.BaseModel):
            folder: Path
            @pydantic.field_validator("folder", mode="before")
            @classmethod
            def known(cls, folder):
                return Path(folder)
        """
    name = model(source)
    cells = serbench.verify(model=name, records=3, libraries="msgspec", formats="json/json")

    assert {"ok"} == {one.status for one in cells if one.library.startswith("yours")}
    (line,) = load_model(locate(name)).differences
    assert line.startswith("pydantic reads such documents only as parsed, not as JSON: Model.folder: Input is not a")
