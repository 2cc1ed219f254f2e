"""Classes that leave out what is absent: a work class of their own, with the other libraries that can."""

from __future__ import annotations

import json

import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.judge.outcomes import WorkClass
from serbench.measure.plan import datasets
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema
from serbench.model.scalars import INT, STR
from serbench.render.left_out import LeftOut

SOURCES = {
    "typeddict": """
        class Part(TypedDict, total=False):
            size: int
        class Model(TypedDict):
            name: str
            note: NotRequired[str]
            parts: list[Part]
        """,
    "msgspec": """
        class Part(msgspec.Struct):
            size: int | msgspec.UnsetType = msgspec.UNSET
        class Model(msgspec.Struct):
            name: str
            parts: list[Part]
            note: str | msgspec.UnsetType = msgspec.UNSET
        """,
    "pydantic": """
        class Lean(pydantic.BaseModel):
            @pydantic.model_serializer(mode="wrap")
            def lean(self, handler):
                return {key: value for key, value in handler(self).items() if value is not None}
        class Part(Lean):
            size: int | None = None
        class Model(Lean):
            name: str
            parts: list[Part]
            note: str | None = None
        """,
}
DEFAULTS = """
    class Model(msgspec.Struct, omit_defaults=True):
        name: str
        note: str | None = None
        count: int = 1
    """
DATA = [{"name": "a", "parts": [{"size": 3}, {}]}, {"name": "b", "note": "c", "parts": []}]


def verified(model: str, **options: object) -> dict[str, serbench.Cell]:
    """Library, variant and operation → the cell, with orjson or msgspec's or pydantic's own JSON."""
    choice = {"libraries": ("msgspec", "pydantic", "mashumaro", "cattrs"), "formats": "orjson"} | options
    return {f"{cell.name} {cell.operation}": cell for cell in serbench.verify(model=model, **choice)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_absent_is_left_out(kind, model, tmp_path):
    """A class that leaves out what is absent is ranked with the equivalents that do, apart from those that write nulls."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps(DATA), encoding="utf-8")
    cells = verified(model(SOURCES[kind]), payload=path)

    own = cells[f"yours ({kind}) encode"]
    assert ("ok", "absent left out") == (own.status, WorkClass.parse(own.work_class).left_out), own.reason
    same = {name for name, cell in cells.items() if WorkClass.parse(cell.work_class).left_out == "absent left out"}
    variants = ("msgspec[omit_defaults=True]", "pydantic[exclude_none]", "mashumaro[omit_none]")
    assert same >= {
        f"{name} {step}" for name in (*variants, "cattrs[omit_if_default=True]") for step in ("encode", "decode")
    }
    assert len({cells[name].size_bytes for name in same}) == 1
    plain = cells["msgspec encode"]
    assert ("ok", "") == (plain.status, WorkClass.parse(plain.work_class).left_out)
    assert plain.size_bytes > own.size_bytes


@pytest.mark.slow
def test_what_has_its_default_is_left_out(model, tmp_path):
    """A class that leaves out defaults is ranked with the equivalents that do, and not with those that leave out nulls."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"name": "a", "count": 1, "note": None}, {"name": "b", "count": 2}]), encoding="utf-8")
    cells = verified(model(DEFAULTS), payload=path, libraries=("msgspec", "pydantic", "mashumaro"))
    found = {name: WorkClass.parse(cell.work_class).left_out for name, cell in cells.items() if "encode" in name}

    assert {
        "yours (msgspec) encode": "defaults left out",
        "msgspec encode": "",
        "msgspec[omit_defaults=True] encode": "defaults left out",
        "pydantic encode": "",
        "pydantic[exclude_defaults] encode": "defaults left out",
        "mashumaro encode": "",
        "mashumaro[omit_default] encode": "defaults left out",
    } == found


@pytest.mark.parametrize("kind", SOURCES)
def test_values_that_are_drawn_are_absent_at_times(kind, model):
    """If no payload is given, some of what may be absent is absent, and the data says that it is left out."""
    (dataset,) = datasets(make_plan(model=model(SOURCES[kind]), records=20))

    assert "absent left out" == dataset.left_out
    assert {str, type(None)} == {type(one["note"]) for one in dataset.value}


@pytest.mark.slow
def test_a_library_that_says_nothing_may_leave_nothing_out(model):
    """A class that writes all that it has gets no variants beside it, and no such work class."""
    cells = verified(model("class Model(msgspec.Struct):\n    name: str\n    note: str | None = None\n"))

    assert {"yours (msgspec)", "msgspec", "pydantic", "mashumaro", "cattrs"} == {cell.name for cell in cells.values()}
    assert {""} == {WorkClass.parse(cell.work_class).left_out for cell in cells.values()}


def test_keys_of_maps_and_required_keys():
    """A map that lacks a key has lost it; a key that a record lacks is told, and so is a null that is written."""
    row = Record("Row", (Field("m", Map(INT)), Field("b", Optional(STR)), Field("a", Optional(STR), default=None)))
    schema, found = Schema(List(Ref("Row")), (row,)), LeftOut()
    value = [{"m": {"x": 1, "y": 2}, "a": None, "b": None}]

    assert [{"m": {"x": 1}, "a": None, "b": None}] == found.fill(schema, value, [{"m": {"x": 1}, "b": None}])
    assert "absent left out (but b)" == found.words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("objects, strict", ("objects", "strict", "", "")),
        ("dicts, coercing, absent left out (but a, b)", ("dicts", "coercing", "absent left out (but a, b)", "")),
        ("objects, defaults left out, lossy (at: offset)", ("objects", "", "defaults left out", "lossy (at: offset)")),
        (None, ("", "", "", "")),
    ],
)
def test_the_parts_of_a_work_class(text, parts):
    """A work class has four parts, each of which may be empty."""
    assert parts == WorkClass.parse(text)


def test_a_codec_that_only_writes_has_a_reason():
    """What leaves keys out is proven by decoding alone, so with a codec that has none the row is unsupported and not failed."""
    pytest.importorskip("yyjson")
    cells = serbench.verify("sparse", libraries="pydantic[exclude_none]", formats="yyjson", records=2)
    assert {"unsupported"} == {cell.status for cell in cells}
    assert all(cell.reason.startswith("only decoding proves a document that lacks keys") for cell in cells)


NEVER_NULL = {
    "converted by hand": """
        class Part(TypedDict, total=False):
            at: datetime
            level: Level
            size: int
        class Model(TypedDict):
            part: Part
            seen: NotRequired[date]
        """,
    "of a document that is only read": """
        import typing_extensions
        class Part(typing_extensions.TypedDict, total=False):
            size: int
            width: int
        class Model(pydantic.BaseModel):
            token: str = pydantic.Field(exclude=True)
            part: Part
        """,
    "in any JSON": """
        import typing_extensions
        class Part(typing_extensions.TypedDict, total=False):
            size: int | None
            width: int
        class Text(pydantic.BaseModel):
            body: str
            part: Part
        class Picture(pydantic.BaseModel):
            pixels: int
            part: Part
        class Model(pydantic.BaseModel):
            token: str = pydantic.Field(exclude=True)
            held: list[Text | Picture]
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NEVER_NULL)
def test_a_key_that_a_dict_lacks_stays_absent(kind, model):
    """A key of a TypedDict that is absent and never null is in no document that the class reads, whatever writes it."""
    cells = serbench.verify(
        model=model(NEVER_NULL[kind]), records=20, libraries="msgspec", formats="json/json,orjson,pydantic/json"
    )
    own = [cell for cell in cells if cell.library.startswith("yours")]

    assert [] == [(cell.codec, cell.reason) for cell in own if cell.status != "ok"]
    assert {"decode", "encode"} <= {cell.operation for cell in own}
