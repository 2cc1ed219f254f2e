"""What names a class of the user's: an alias, a union or a container; a file of any name; and classes of the same name."""

from __future__ import annotations

import json
import os
import textwrap

import class_table
import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.measure.plan import datasets
from serbench.model.classes.documents import with_declared
from serbench.model.classes.read import from_class
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Set
from serbench.model.scalars import ANY, FLOAT, INT, STR
from serbench.render.user_class.find import load_model, locate

pytestmark = pytest.mark.drawn(part=4, of="roots of a user's classes")

FULL = pytest.mark.full
SHAPES = """
    class Circle(pydantic.BaseModel):
        type: Literal["circle", "disc"]
        radius: int
    class Square(pydantic.BaseModel):
        type: Literal["square"]
        side: int
    Shape = Annotated[Circle | Square, pydantic.Field(discriminator="type")]
    Shapes = list[Shape]
    """
PLAIN = """
    from dataclasses import dataclass
    @dataclass
    class Part:
        size: int
    @dataclass
    class Model:
        name: str
        part: Part
    """


@pytest.mark.parametrize("name", ["Shape", "Shapes"])
def test_a_payload_of_an_alias(name, model):
    """A document of an alias is measured with the user's own data."""
    payload = [{"type": "disc", "radius": 1}, {"type": "square", "side": 2}]
    asked = {"libraries": "msgspec", "formats": "pydantic/json,orjson"}
    cells = serbench.verify(model=model(SHAPES, name), payload=payload, **asked)

    assert {"ok"} == {cell.status for cell in cells if cell.library == "yours (pydantic)"}


@pytest.mark.parametrize(
    "name",
    ["json.py", *(pytest.param(n, marks=FULL) for n in ("my models.py", "3d-models.py", "class.py", "types.py"))],
)
def test_a_file_of_any_name(name, tmp_path):
    """A file is measured although no import statement can name it, or names a module of the standard library by it."""
    path = tmp_path / name
    path.write_text(textwrap.dedent(PLAIN), encoding="utf-8")

    assert "measured" == class_table.outcome(f"{path}:Model")
    assert "loads" in dir(json)


def test_a_file_of_a_package(tmp_path):
    """A file of a package is imported as a part of it, so that it may import its neighbours."""
    inner = tmp_path / "models_shop" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    (inner.parent / "base.py").write_text(textwrap.dedent(PLAIN), encoding="utf-8")
    (inner / "items.py").write_text(
        "from dataclasses import dataclass\nfrom ..base import Part\n@dataclass\nclass Model:\n    part: Part\n",
        encoding="utf-8",
    )

    assert f"{tmp_path}:models_shop.inner.items:Model" == locate(f"{inner / 'items.py'}:Model")
    assert "measured" == class_table.outcome(f"{inner / 'items.py'}:Model")


def test_a_file_of_any_name_is_read_again(tmp_path):
    """A file that no import statement can name is read anew after it was written again; its folder may have a colon."""
    path = tmp_path / "a:b" / "a b.py"
    path.parent.mkdir()
    for field in ("x", "longer"):
        path.write_text(f"import msgspec\nclass Model(msgspec.Struct):\n    {field}: int\n", encoding="utf-8")
        os.utime(path, (0, 0))  # a clock may not have moved meanwhile
        assert [field] == [f.name for f in load_model(locate(f"{path}:Model")).parsed.schema.record("Model").fields]


NAMESAKES = """
    class Input(pydantic.BaseModel):
        n: int
    class One(pydantic.BaseModel):
        class Input(pydantic.BaseModel):
            x: int
        input: Input
    class Model(pydantic.BaseModel):
        b: One.Input
        a: Input
        one: One = pydantic.Field(exclude=True)
    """


def test_namesakes(model):
    """Classes of the same name have a number, which is the same in both directions."""
    found = load_model(locate(model(NAMESAKES)))

    for parsed in (found.parsed, found.written):
        assert ["Model", "Input", "Input2", "One"][: len(parsed.schema.records)] == [
            r.name for r in parsed.schema.records
        ]
        assert ["x"] == [f.name for f in parsed.schema.record("Input").fields]
        assert ["n"] == [f.name for f in parsed.schema.record("Input2").fields]


def test_namesakes_of_two_modules(model, tmp_path):
    """Classes of the same name that are imported from two modules are measured, with an import for each."""
    for name, type_ in (("models_one", "int"), ("models_two", "str")):
        source = f"from dataclasses import dataclass\n@dataclass\nclass Input:\n    x: {type_}\n"
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    source = """
        import models_one, models_two
        @dataclass
        class Model:
            one: models_one.Input
            two: list[models_two.Input]
        """
    text = model(source)

    assert "measured" == class_table.outcome(text)
    (data,) = datasets(make_plan(model=text, records=1))
    assert [INT, STR] == [data.schema.record(name).fields[0].type for name in ("Input", "Input2")]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("tags: list[str] = []", []),
        ("tags: dict[str, int] = {}", {}),
        pytest.param("tags: set[int] = {2}", [2], marks=FULL),
        ("tags: list[int] = pydantic.Field(default_factory=lambda: [1, 2])", [1, 2]),
        pytest.param("tags: Part = Part()", {"x": 3}, marks=FULL),
        pytest.param("tags: Decimal = Decimal('1.5')", "1.5", marks=FULL),
        pytest.param("tags: Level = Level.LOW", "low", marks=FULL),
    ],
)
def test_a_document_may_lack_what_has_a_default(source, expected, model):
    """A key that the class gives a default of any kind may be absent; the data set then has what the class has."""
    documents = [[{"name": "a"}], [{"name": "a", "tags": expected}]]
    head = "class Part(pydantic.BaseModel):\n    x: int = 3\nclass Model(pydantic.BaseModel):\n    name: str\n    "
    found = []
    for document in documents:
        text = model(head + source + "\n")
        (data,) = datasets(make_plan(model=text, payload=document))
        found.append(data.value)
        cells = serbench.verify(model=text, payload=document, libraries="msgspec", formats="json/json,pydantic/json")
        assert {"ok"} == {cell.status for cell in cells}

    assert found[0] == found[1]


WRITING = """
    class Model(pydantic.BaseModel):
        name: str
        note: str | None = None
        def {0}(self, **options):
            return super().{0}(exclude_none=True, **options)
        def to_dict(self):
            return {{}}
    """


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("model_dump_json", {"pydantic": '[{"name":"a"}]', "orjson": None}),
        ("model_dump", {"pydantic": '[{"name":"a","note":null}]', "orjson": '[{"name":"a"}]'}),
    ],
)
def test_a_class_that_overrides_its_writing(method, expected, model):
    """The bytes are those of the method that the class overrides; a codec that does not call it is unsupported."""
    text = model(WRITING.format(method))
    cells = serbench.verify(model=text, payload=[{"name": "a"}], libraries="msgspec", formats="pydantic/json,orjson")
    own = {cell.codec: cell for cell in cells if cell.library == "yours (pydantic)" and cell.operation == "encode"}

    assert {name: text and len(text) for name, text in expected.items()} == {
        name: cell.size_bytes for name, cell in own.items()
    }
    assert {"unsupported" if text is None else "ok" for text in expected.values()} == {
        one.status for one in own.values()
    }
    assert "Model.to_dict (not measured)" in load_model(locate(text)).parsed.notes


def test_only_one_direction_is_asked_for(model, cli):
    """A class with a document for each direction is verified in the operations that are asked for."""
    text = model("class Model(pydantic.BaseModel):\n    a: int\n    b: int = pydantic.Field(1, exclude=True)\n")
    for operations in ("encode", "encode,dump", "load"):
        code, out, _ = cli("verify", "--model", text, "-n", 2, "-l", "msgspec", "-f", "json/json", "-o", operations)
        assert (0, True) == (code, "ok" in out)


def test_names_are_read_once():
    """A class that is read again keeps the names of the first reading."""
    import msgspec

    inner = msgspec.defstruct("Model", [("x", int)])
    outer = msgspec.defstruct("Model", [("inner", inner)])
    first = from_class(outer)
    again = from_class(inner, like=first)

    assert ["Model", "Model2"] == [record.name for record in first.user_schema.records]
    assert ["Model2"] == [record.name for record in again.user_schema.records]


def test_sets_of_records_within_records_stay_sets():
    """An inferred record that stands for several classes, one within the other, keeps the sets of each."""
    own = Schema(
        Ref("Outer"),
        (
            Record("Outer", (Field("inner", Optional(Ref("Inner"))), Field("names", List(STR)))),
            Record("Inner", (Field("names", Set(STR)),)),
        ),
    )
    node = Record("Node", (Field("inner", Optional(Ref("Node"))), Field("names", List(STR))))

    assert Set(STR) == with_declared(Schema(Ref("Node"), (node,)), own).record("Node").fields[1].type
    assert Map(Set(STR)) == with_declared(Schema(Map(List(STR)), ()), Schema(Ref("Inner"), own.records)).root


def test_any_json_stays_any_json():
    """Objects that a class holds as any JSON, or in a map of it, are no records, however alike the first ones are."""
    own = Schema(Ref("Outer"), (Record("Outer", (Field("one", ANY), Field("more", Optional(Map(ANY))))),))
    guess = Record("Guess", (Field("price", FLOAT),))
    outer = Record("Outer", (Field("one", List(Ref("Guess"))), Field("more", Optional(Ref("Guess")))))

    assert own.records[0].fields == with_declared(Schema(Ref("Outer"), (outer, guess)), own).record("Outer").fields
    assert ["Outer"] == [record.name for record in with_declared(Schema(Ref("Outer"), (outer, guess)), own).records]
