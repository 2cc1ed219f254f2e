"""Classes as people write them: each of the table has the outcome that stands beside it."""

from __future__ import annotations

import json

import class_table
import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.measure.plan import block_count, datasets
from serbench.model.records import Set
from serbench.model.scalars import INT, STR
from serbench.render.user_class import values as user_values
from serbench.render.user_class.find import load_model, locate

SECTIONS = {section.id: section for section in class_table.sections()}
BY_DEFAULT = ("msgspec: integer tags", "pydantic: excluded with default")


FEW = [pytest.mark.full, pytest.mark.drawn(part=10)]


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in BY_DEFAULT else FEW) for name in SECTIONS])
def test_the_outcome_of_a_class(name, model):
    """A class is measured, or measured by direction, or refused in a line that says why; no row of it fails."""
    section = SECTIONS[name]
    if section.kind == "djangorestframework":
        pytest.importorskip("rest_framework")
    text = model(section.source, section.given)
    found = class_table.outcome(text, **({} if section.payload is None else {"payload": section.payload}))

    if section.expected.startswith("refused "):
        assert found.startswith("refused ")
        assert section.expected.removeprefix("refused ") in found
    else:
        assert section.expected == found
    for said, line in zip(section.said, load_model(locate(text)).differences if section.said else (), strict=True):
        assert line.startswith(said)


READ = [section for section in SECTIONS.values() if section.shown]


@pytest.mark.parametrize("section", READ, ids=lambda section: section.id)
def test_what_is_read_of_a_class(section, model, cli):
    """`serbench show` prints the types that the table has beside a class, and what only the class knows."""
    if section.kind == "djangorestframework":
        pytest.importorskip("rest_framework")
    code, out, err = cli("show", model(section.source, section.given))
    assert (0, list(section.shown)) == (code, [*err.splitlines(), *out.splitlines()])


OWN_WAY = ("msgspec: array", "msgspec: raw", "pydantic: alias as the model", "pydantic: writes without nulls")
"""A plain script reads these by another call than the others."""
PLAIN = [
    pytest.param(section, id=section.id, marks=() if section.id in BY_DEFAULT else FEW)
    for section in SECTIONS.values()
    if section.kind in ("pydantic", "msgspec") and section.expected in ("measured", "by direction")
    if not section.id.startswith(OWN_WAY)
]


@pytest.mark.parametrize("section", PLAIN)
def test_a_row_writes_what_a_plain_script_writes(section, model):
    """The bytes of a row are those of a few lines with the class's own library, without any code of serbench."""
    text = model(section.source, section.given)
    assert [] == list(class_table.plain_differences(text, section.kind))


BY_BYTES = (
    "pydantic: strict, with texts that only its JSON takes",  # pickle has no adapter of it
    "dataclass: enum of texts and integers",  # which no decoder of msgspec takes
    "attrs: fields of the usual types",  # integers are keys
)
MEASURED = [name for name, section in SECTIONS.items() if section.expected == "measured"]


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in BY_BYTES else FEW) for name in MEASURED])
def test_no_row_of_a_class_is_lost_by_code_of_serbench(name, model):
    """Codecs that know classes, beside those of JSON, fail with none, nor with one that is rewritten."""
    section = SECTIONS[name]
    if section.kind == "djangorestframework":
        pytest.importorskip("rest_framework")
    given = {} if section.payload is None else {"payload": section.payload}
    formats = ("msgspec/json", "msgspec/msgpack", "pickle/pickle")
    text = model(section.source, section.given)
    cells = serbench.verify(model=text, libraries="yours,dataclasses", formats=formats, records=5, **given)

    lost = [cell for cell in cells if cell.status == "failed" or "NameError" in (cell.reason or "")]
    assert [] == sorted({f"{cell.library} via {cell.codec}: {cell.reason}" for cell in lost})


AS_JSON = ("serializer for JSON alone", "models without a tag that have times", "set of models")


@pytest.mark.parametrize("name", [pytest.param(name, marks=FEW) for name in AS_JSON])
def test_what_is_written_as_its_json_goes_with_every_codec(name, model):
    """A codec is given what the class writes as JSON, where its Python values would be another document."""
    section = SECTIONS[f"pydantic: {name}"]
    text = model(section.source, section.given)
    cells = serbench.verify(model=text, libraries="yours", formats=class_table.FORMATS, records=5)

    assert {("ok", None)} == {(cell.status, cell.reason) for cell in cells}


def test_most_classes_are_measured():
    """The table has at least 100 classes of all kinds, of which at most one in nine is refused."""
    refused = [section for section in SECTIONS.values() if section.expected.startswith("refused ")]

    assert 100 <= len(SECTIONS)
    assert len(refused) * 9 <= len(SECTIONS)
    assert 9 == len({section.kind for section in SECTIONS.values()})


def test_two_documents(model):
    """A field that a class does not write is in the document that it reads, and only there."""
    source = "class Model(pydantic.BaseModel):\n    name: str\n    token: str = pydantic.Field(exclude=True)\n"
    reads, writes = datasets(make_plan(model=model(source), records=3))

    assert ({"name", "token"}, {"name"}) == (set(reads.value[0]), set(writes.value[0]))
    assert [{"name": one["name"]} for one in reads.value] == writes.value
    assert ("Model (reads)", "Model (writes)") == (reads.name, writes.name)


@pytest.mark.slow
def test_each_document_is_measured_in_its_direction(model):
    """Every library decodes what the class reads and encodes what it writes; what is not asked for has no rows."""
    source = "class Model(pydantic.BaseModel):\n    name: str\n    token: str = pydantic.Field(exclude=True)\n"
    given = {"model": model(source), "records": 2, "libraries": "msgspec", "formats": "orjson"}
    both = {(cell.library, cell.workload, cell.operation) for cell in serbench.verify(**given)}
    reading = {cell.workload for cell in serbench.verify(**given, operations="decode")}

    names = ("msgspec", "yours (pydantic)")
    assert both == {
        (name, f"Model ({way}s)", f"{what}code") for name in names for way, what in (("read", "de"), ("write", "en"))
    }
    assert {"Model (reads)"} == reading
    plans = [make_plan(model=given["model"], operations=asked) for asked in ("encode,decode", "decode", "dump")]
    assert [2, 1, 1] == [block_count(plan, next(iter(datasets(plan)))) for plan in plans]


def test_the_documents_of_a_direction_differ(model):
    """Further documents are drawn for each direction, and what the class writes is made of what it reads."""
    source = "class Model(pydantic.BaseModel):\n    name: str\n    token: str = pydantic.Field(exclude=True)\n"
    reads, writes = datasets(make_plan(model=model(source), records=3))
    drawn = [reads.draw(number) for number in range(1, 5)]

    assert 5 == len({json.dumps(document) for document in [reads.value, *drawn]})
    assert [[{"name": one["name"]} for one in document] for document in drawn] == [writes.draw(n) for n in range(1, 5)]
    assert [(reads.value, []), (drawn[0], [])] == [writes.reads(0), writes.reads(1)]


def test_a_class_refuses_some_documents(model):
    """A further document that the class refuses is drawn again."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            token: str = pydantic.Field(exclude=True)
            @pydantic.model_validator(mode="after")
            def belongs(self):
                assert (self.name, self.token) in (("ab", "x"), ("cd", "y"))
                return self
        """
    payload = [{"name": "ab", "token": "x"}, {"name": "cd", "token": "y"}]
    reads, writes = datasets(make_plan(model=model(source), payload=payload, records=1))
    drawn = [reads.draw(number)[0] for number in range(1, 20)]

    assert {("ab", "x"), ("cd", "y")} == {(one["name"], one["token"]) for one in drawn}
    assert [{"name": one["name"]} for one in drawn] == [writes.draw(number)[0] for number in range(1, 20)]


@pytest.mark.parametrize(("rare", "usual"), [("str(number)", "float(number)"), ('{"of": number}', "str(number)")])
def test_a_document_that_the_schema_does_not_describe_is_drawn_again(model, monkeypatch, rare, usual):
    """If a written document has what no other before it had, another takes its place, with what its objects are made of."""
    source = f"""
        import typing
        class Model(pydantic.BaseModel):
            number: int
            @pydantic.field_serializer("number")
            def rare(self, number) -> typing.Any:
                return {rare} if number == 5 else {usual}
        """
    monkeypatch.setattr(user_values, "_DESCRIBED", 3)
    payload = [{"number": number} for number in (1, 2, 3, 4, 5, 6)]
    _, writes = datasets(make_plan(model=model(source), payload=payload, records=1))

    drawn = [writes.draw(number)[0]["number"] for number in range(1, 12)]
    assert {type(eval(usual, {"number": 1}))} == set(map(type, drawn))
    assert list(map(float, drawn)) == [float(writes.reads(number)[0][0]["number"]) for number in range(1, 12)]
    assert max(map(float, drawn)) < 7


@pytest.mark.slow
def test_the_objects_of_a_document_are_those_that_were_made_of_it(model, monkeypatch):
    """A class that has had enough values gets earlier ones again, so a number drawn twice would be two documents."""
    source = """
        class Model(pydantic.BaseModel):
            number: int = pydantic.Field(serialization_alias="no")
        """
    monkeypatch.setattr(user_values, "_DESCRIBED", 3)
    monkeypatch.setattr(user_values, "_MOST_VALUES", 600)
    _, writes = datasets(make_plan(model=model(source), records=1))

    drawn = [writes.draw(number)[0]["no"] for number in range(1, 900)]
    assert drawn == [writes.reads(number)[0][0]["number"] for number in range(1, 900)]


@pytest.mark.slow
def test_sets_in_what_a_class_writes(model):
    """A set is one in the schema that is inferred of what a class writes too, in records, maps, lists and unions."""
    source = """
        class Part(pydantic.BaseModel):
            names: frozenset[str]
            inner: Part | None = None
        class Model(pydantic.BaseModel):
            price: Decimal
            parts: dict[str, list[Part | int]]
            by_key: dict[str, set[str]]
            rows: list[set[int]] | None
            @pydantic.field_serializer("price")
            def rounded(self, price) -> Any:
                return {"amount": f"{price:.2f} EUR"}
        """
    _, writes = datasets(make_plan(model=model(source), records=40))
    kinds = {str(type_) for type_ in writes.schema.types() if isinstance(type_, Set)}

    assert {str(Set(STR)), str(Set(INT))} == kinds


def test_sets_in_any_json(model):
    """Where a set is a list in any JSON, whose order varies from process to process, it is drawn with one item at most."""
    source = """
        class Part(pydantic.BaseModel):
            names: set[str]
        class Other(pydantic.BaseModel):
            size: int
        class Model(pydantic.BaseModel):
            parts: list[Part | Other]
            shown: set[str]
        """
    (found,) = datasets(make_plan(model=model(source), records=40))
    parts = [part for one in found.value for part in one["parts"] if "names" in part]

    assert {0, 1} == {len(part["names"]) for part in parts}
    assert 1 < max(len(one["shown"]) for one in found.value)


@pytest.mark.slow
def test_a_class_that_decodes_something_else_fails(model, tmp_path):
    """Objects that differ from those that the class makes of the document are a failure."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"x": 1}]), encoding="utf-8")
    source = """
        class Model(pydantic.BaseModel):
            x: int
            calls: int = pydantic.Field(default=0, exclude=True)
            @pydantic.model_validator(mode="before")
            @classmethod
            def counted(cls, data):
                counts.append(1)
                return {**data, "calls": len(counts)}
        counts = []
        """
    cells = serbench.verify(model=model(source), payload=path, libraries="msgspec", formats="orjson")
    own = [cell for cell in cells if cell.library == "yours (pydantic)" and cell.operation == "decode"]

    assert {"failed"} == {cell.status for cell in own}
    assert all("a plain script ends with AssertionError: it reads " in cell.reason for cell in own)


@pytest.mark.slow
def test_a_class_that_only_writes_leaves_out_nothing_but_nulls(model):
    """A row of a class that writes another document than it reads fails if its bytes lack a value of the document."""
    source = """
        import sys
        class Model(pydantic.BaseModel):
            x: int
            secret: str = pydantic.Field(exclude=True)
            @pydantic.model_serializer(mode="wrap")
            def less(self, dump):
                return dump(self) if "serbench" in sys.modules else {}
        """
    cells = serbench.verify(model=model(source), records=2, libraries="msgspec", formats="orjson")
    (own,) = [
        cell
        for cell in cells
        if (cell.library, cell.workload, cell.operation) == ("yours (pydantic)", "Model (writes)", "encode")
    ]

    assert ("failed", True) == (own.status, "'x'" in own.reason)


def test_a_class_that_has_changed_is_read_again(model, tmp_path):
    """A class is read anew after its file was written again."""
    text = model("@dataclass\nclass Model:\n    x: int\n")
    assert ["x"] == [f.name for f in load_model(locate(text)).parsed.schema.record("Model").fields]
    path = tmp_path / f"{text.partition(':')[0]}.py"
    path.write_text(path.read_text(encoding="utf-8").replace("x: int", "longer: int"), encoding="utf-8")

    assert ["longer"] == [f.name for f in load_model(locate(text)).parsed.schema.record("Model").fields]


@pytest.mark.parametrize(
    "source", ["Model = typing.Union['Cat', 'Dog']", "Model = dict[str, typing.Union['Cat', 'Dog']]"]
)
def test_a_text_in_an_alias_names_what_its_own_module_has(model, source):
    """Of two modules with one alias of texts, which typing makes once, each has its own classes."""
    for field in ("lives", "name"):
        cats = f"@dataclass\nclass Cat:\n    {field}: int\n@dataclass\nclass Dog:\n    size: int\n"
        loaded = load_model(locate(model(f"import typing\n{cats}{source}\n")))
        assert field == loaded.parsed.schema.record("Cat").fields[0].name


def test_a_class_that_its_package_re_exports(model, tmp_path):
    """The classes inside one that a package re-exports are found in the module that defines them."""
    name = model("@dataclass\nclass Money:\n    amount: int\n@dataclass\nclass Model:\n    price: Money\n").partition(
        ":"
    )[0]
    package = tmp_path / f"{name}_package"
    package.mkdir()
    (tmp_path / f"{name}.py").rename(package / "models.py")
    (package / "__init__.py").write_text("from .models import Model as Model\n", encoding="utf-8")

    assert "measured" == class_table.outcome(f"{package.name}:Model")


@pytest.mark.full
def test_the_models_of_an_application():
    """The class that a page shows is measured as it is."""
    name = str(class_table.FOLDER.parent / "models" / "web_api.py:Edition")
    assert class_table.outcome(name) in ("measured", "by direction")
