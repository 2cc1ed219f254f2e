"""A document that a class accepts has the values that it makes of it; values are drawn where a class refuses others."""

from __future__ import annotations

import json
import textwrap
import typing
from itertools import pairwise

import class_table
import marshmallow
import msgspec
import pydantic
import pydantic.v1
import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.errors import PlanError, WorkloadError
from serbench.measure.plan import datasets
from serbench.render.user_class import values
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.values import refused_paths

SOURCES = {
    "pydantic": "class Model(pydantic.BaseModel):\n    x: int\n    tags: list[str] = []\n",
    "attrs": "@attrs.define\nclass Model:\n    x: int\n    tags: list[str] = attrs.Factory(list)\n",
    "dataclass": "@dataclass\nclass Model:\n    x: int\n    tags: list[str] = dataclasses.field(default_factory=list)\n",
}
READS = [
    ({"x": "5", "tags": ["a"]}, {"x": 5, "tags": ["a"]}, '[0].x is "5", and becomes 5'),
    ({"x": "5", "tags": [], "more": 1}, {"x": 5, "tags": []}, '[0].x is "5", and becomes 5'),
    ({"x": "5"}, {"x": 5, "tags": []}, '[0].x is "5", and becomes 5'),
]


def read(model, tmp_path, source, document):
    """The records of a payload as the class takes it, and what is said of it."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    name = model("import dataclasses\n" + source)
    (found, *_) = datasets(make_plan(model=name, payload=path))
    return found.value, load_model(locate(name)).differences


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize(("given", "made", "said"), READS)
def test_a_document_that_the_class_changes(kind, given, made, said, model, tmp_path):
    """A document that a class converts, completes or reads in part has the values that it makes of it, and a line says where."""
    value, differences = read(model, tmp_path, SOURCES[kind], [given])

    assert [made] == value
    assert [f"the class makes something else of the document: {said}"] == differences


def test_an_attribute_may_name_its_type_in_a_call(model):
    """`attr.ib(type=int)` says the type as an annotation does."""
    source = "import attr\n@attr.s\nclass Model:\n    x = attr.ib(type=int)\n    tags = attr.ib(type=list[str])\n"
    (found,) = datasets(make_plan(model=model(source), records=3))
    assert {(int, list)} == {(type(one["x"]), type(one["tags"])) for one in found.value}


def test_drawn_documents_are_what_the_class_makes(model):
    """A class that changes what it is called with has documents of what it makes, beside values that JSON has as texts and lists."""
    source = """
        @dataclass
        class Model:
            at: datetime
            pair: tuple[float, float]
            degrees: float
            def __post_init__(self):
                self.at, self.pair = self.at.replace(microsecond=0), tuple(map(float, self.pair))
                self.degrees = min(self.degrees, 5.0)
    """
    (found,) = datasets(make_plan(model=model(source), records=9))
    assert max(one["degrees"] for one in found.value) <= 5.0
    assert {0} == {one["at"].microsecond for one in found.value}


def test_a_class_that_refuses_several_is_asked_about_fewer(model, monkeypatch):
    """Each refusal of several halves how many it is asked about; what is refused together is asked about one by one."""
    asked = list[tuple[int, bool]]()

    class Noting(values._Asking):
        def __call__(self, records):
            asked.append((len(records), False))
            made = super().__call__(records)
            asked[-1] = (len(records), True)
            return made

    monkeypatch.setattr(values, "_Asking", Noting)
    validator = "    def __post_init__(self):\n        if self.x % 5 == 0:\n            raise ValueError('of five')\n"
    list(datasets(make_plan(model=model(f"@dataclass\nclass Model:\n    x: int\n{validator}"), records=100)))
    several = [each for each in asked if each[0] > 1]

    assert {True, False} == {accepted for _, accepted in several}
    assert all(after <= max(count // 2, 2) for (count, accepted), (after, _) in pairwise(several) if not accepted)


def test_a_single_record(model, tmp_path):
    """A document may be one record."""
    value, _ = read(model, tmp_path, SOURCES["pydantic"], {"x": "5"})

    assert {"x": 5, "tags": []} == value


def test_a_document_as_it_is_described(model, tmp_path):
    """Nothing is said of a document that the class's fields describe."""
    assert ([{"x": 5, "tags": ["a"]}], []) == read(model, tmp_path, SOURCES["pydantic"], [{"x": 5, "tags": ["a"]}])


def test_a_document_that_the_class_refuses(model, tmp_path):
    """If the class refuses a document, the line has its words."""
    with pytest.raises(
        WorkloadError, match=r"data.json: the class refuses it: Model.x: Input should be a valid integer"
    ):
        read(model, tmp_path, SOURCES["pydantic"], [{"x": "many"}])


@pytest.mark.slow
def test_a_document_that_the_fields_do_not_describe(model):
    """A document that the class takes, though its fields describe neither it nor what is written, has inferred types."""
    source = """
        class Model(pydantic.BaseModel):
            at: datetime
            name: str
            @pydantic.field_serializer("at")
            def seconds(self, at: datetime) -> int:
                return int(at.timestamp())
        """
    name, document = model(source), {"at": 1741569952, "name": "Ada"}
    cells = serbench.verify(model=name, payload=document, libraries="msgspec", formats="orjson,pydantic/json")

    assert {"ok"} == {cell.status for cell in cells}
    (said,) = load_model(locate(name)).differences
    assert said.startswith(
        "the types of the document are inferred, since the class's fields do not say all: Model.at: "
    )
    for found in datasets(make_plan(model=name, payload=document)):
        assert found.inferred is not None
        assert ["Model"] == [record.name for record in found.inferred.records]


def test_a_document_of_a_class_that_no_library_reads(model, tmp_path):
    """If no library reads a class because of its types, the line about a document names the field; from 3.12 on pydantic does."""
    sides = "".join(f"class {name}(TypedDict):\n    {name.lower()}: int\n" for name in ("Left", "Right"))
    source = f"{sides}class Model(TypedDict):\n    name: str\n    sides: list[Left | Right]\n"
    with pytest.raises(WorkloadError, match=r"data.json: .*Model.name: (the schema requires this key|Field required)"):
        read(model, tmp_path, source, [{"sides": []}])


SLOW = """
class Model(pydantic.BaseModel):
    x: int
    @pydantic.field_validator("x")
    @classmethod
    def slow(cls, x):
        began = time.process_time()
        while time.process_time() - began < {seconds}:
            pass
        return x
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "asked", "records", "documents"),
    [(0.002, None, 10, (16, 32)), (0.0005, None, 100, (16,)), (0.002, 20, 20, (16,)), (0, None, 100, (None,))],
)
def test_a_class_that_is_slow(seconds, asked, records, documents, model):
    """Of a class that is slow there are fewer and smaller documents, and a line says so; a number that is asked for stays."""
    name = model("import time\n" + SLOW.format(seconds=seconds))

    (found,) = datasets(make_plan(model=name, records=asked))

    assert records == found.records == len(found.value) == len(found.draw(1))
    assert found.enough in documents
    said = load_model(locate(name)).differences
    if found.enough is None:
        assert [] == said
    else:
        (line,) = said
        assert line.startswith("Model takes ")
        assert f"at most {found.enough} different ones; --conditions documents=N+fresh+kept" in line


@pytest.mark.slow
def test_a_class_that_writes_other_fields_each_time(model):
    """If hardly two documents that a class writes have the same fields, the first ones are measured again and again."""
    source = """
class Model(pydantic.BaseModel):
    x: int
    @pydantic.model_serializer
    def written(self):
        return {"x": self.x, f"kept_{self.x}": (self.x, "a", [1], {"y": 1})[self.x % 4]}
"""
    name = model(source)
    (reads, writes) = datasets(make_plan(model=name, records=20))

    assert "writes" == writes.direction
    for number in (900, 901):
        document = writes.draw(number)
        assert writes.draw(number % 50) == document
        assert reads.draw(number % 50) == writes.reads(number)[0]
    (said,) = load_model(locate(name)).differences
    assert "Model writes other fields in nearly every document, so 50 of them are repeated" == said


LOSING_NULL = {
    "dataclass": """
        @dataclass
        class Model:
            host: str
            timeout: int | None = 5
            @classmethod
            def from_dict(cls, data):
                return cls(**data)
            def to_dict(self):
                return {key: item for key, item in vars(self).items() if item is not None}
        """,
    "pydantic": """
        class Model(pydantic.BaseModel):
            host: str
            timeout: int | None = 5
            @pydantic.model_serializer(mode="wrap")
            def less(self, dump):
                return {key: item for key, item in dump(self).items() if item is not None}
        """,
    "marshmallow": """
        class Model(Schema):
            host = fields.String(required=True)
            timeout = fields.Integer(allow_none=True, load_default=5)
            @marshmallow.post_dump
            def less(self, data, **_):
                return {key: item for key, item in data.items() if item is not None}
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOSING_NULL)
@pytest.mark.parametrize("document", [[{"host": "a", "timeout": None}], None])
def test_a_null_that_a_class_loses(kind, document, model):
    """It reads a default in the place of a null that it leaves out: a line says so, whichever document has the null."""
    name = model("import marshmallow\n" + textwrap.dedent(LOSING_NULL[kind]))
    asked = [{"records": 1, "seed": seed} for seed in range(3)] if document is None else [{"payload": document}]
    lost = "Model reads what it writes as something else: value[0].timeout: expected None of type NoneType, got 5 of type int"

    assert {2} == {len(list(datasets(make_plan(model=name, **one)))) for one in asked}
    assert {f"{lost}; so what it reads and what it writes are measured as two documents"} == set(
        load_model(locate(name)).differences
    )


ACCEPTING = [
    *(section for section in class_table.sections() if section.name.startswith("accepts ")),
    *(
        section
        for section in class_table.sections()
        if section.name in ("a person with a role", "other keys than its fields")
    ),
]


@pytest.mark.parametrize("section", ACCEPTING, ids=lambda section: section.id)
def test_values_that_a_class_accepts(section, model):
    """A class that accepts few values is asked field by field until it accepts a record; each of the records is accepted."""
    (found, *_) = datasets(make_plan(model=model(section.source), records=20))

    assert 20 == len(found.value)
    assert 1 < len({json.dumps(one, default=str, sort_keys=True) for one in found.value})


LEFT_OUT = {
    "refused": """
            @pydantic.field_validator("seal")
            @classmethod
            def never(cls, seal):
                assert seal is None, "only the harbour master has it"
                return seal
        """,
    "not written": """
            @pydantic.field_serializer("seal")
            def broken(self, seal):
                assert seal is None
                return seal
        """,
}


@pytest.mark.slow
@pytest.mark.parametrize("why", LEFT_OUT)
def test_a_field_that_the_class_never_takes(why, model):
    """An optional field is left out if the class refuses what is drawn for it; all are if it cannot write them; a line names them."""
    source = f"""
        class Part(pydantic.BaseModel):
            seal: str | None = None
            note: str | None = None
{LEFT_OUT[why]}
        class Model(pydantic.BaseModel):
            parts: list[Part] = pydantic.Field(min_length=12)
        """
    name = model(source)
    (found,) = datasets(make_plan(model=name, records=20))
    parts = [part for one in found.value for part in one["parts"]]

    assert ({None}, why == "refused") == ({part["seal"] for part in parts}, any(part["note"] for part in parts))
    (said,) = load_model(locate(name)).differences
    assert said.startswith("left out of the drawn values, because the class refuses them: Part.seal")


def test_an_optional_text_of_a_form(model):
    """An optional text is tried in all forms before it is absent."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            day: str | None = None
            @pydantic.field_validator("day")
            @classmethod
            def readable(cls, day):
                assert day is None or date.fromisoformat(day[:10]), "unreadable"
                return day
        """
    (found,) = datasets(make_plan(model=model(source), records=20))

    assert any(one["day"] for one in found.value)


@pytest.mark.slow
def test_a_mark_for_what_is_not_given(model):
    """Beside a mark that only the class knows, the other types of a field are drawn, in further documents too."""
    source = """
        class Mark:
            pass
        @attrs.define
        class Model:
            crate_id: str
            label: Mark | str = Mark()
            size: Mark | int | None = None
            @classmethod
            def from_dict(cls, given):
                return cls(crate_id=given["crateID"], label=given["label"], size=given["size"])
            def to_dict(self):
                return {"crateID": self.crate_id, "label": self.label, "size": self.size}
        """
    (found,) = datasets(make_plan(model=model(source), records=2))
    drawn = [one for number in range(1, 50) for one in found.draw(number)]

    assert ({str}, {int, type(None)}) == ({type(one["label"]) for one in drawn}, {type(one["size"]) for one in drawn})
    assert {"crateID", "label", "size"} == set(found.value[0])


@pytest.mark.slow
def test_a_class_that_cannot_write(model):
    """A class that writes no value is measured as it reads, and a line says why it does not write."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            @pydantic.field_serializer("name")
            def broken(self, name):
                raise RuntimeError("out of ink")
        """
    name = model(source)
    cells = serbench.verify(model=name, records=3, libraries="msgspec", formats="pydantic,orjson/json")

    assert {("decode", "ok")} == {(one.operation, one.status) for one in cells}
    (said,) = load_model(locate(name)).differences
    assert said.startswith("what Model writes is not measured: writing a document raised ")
    assert "out of ink" in said


def test_no_value_is_accepted(model):
    """If a class accepts nothing, the line names the field, its refusal, and the command that writes a document to fill in."""
    source = """
        class Model(pydantic.BaseModel):
            name: str
            seal: str
            @pydantic.field_validator("seal")
            @classmethod
            def never(cls, seal):
                raise ValueError("only the harbour master has it")
        """
    name = model(source)
    line = (
        rf"Model.seal: Value error, only the harbour master has it; give a payload: `serbench show {name} --as example`"
    )

    with pytest.raises(PlanError, match=line):
        next(datasets(make_plan(model=name)))


def test_an_example_to_fill_in(model, cli):
    """An example has all fields of a class, those of records in it too, and the class accepts it if it accepts any such."""
    source = """
        class Line(pydantic.BaseModel):
            sku: str
            note: str | None = None
        class Model(pydantic.BaseModel):
            at: pydantic.FutureDatetime
            lines: list[Line]
            total: Decimal | None = None
        """
    (record,) = json.loads(cli("show", model(source), "--as", "example")[1])

    assert [{"at", "lines", "total"}, {"sku", "note"}] == [set(record), set(record["lines"][0])]
    assert None not in (record["total"], record["lines"][0]["note"])
    assert record["at"].startswith("2095-")


def test_an_example_of_a_file(tmp_path, cli):
    """A payload has an example too, of its inferred types."""
    path = tmp_path / "orders.json"
    path.write_text('[{"id": 1, "tags": ["a"]}]', encoding="utf-8")
    (record,) = json.loads(cli("show", path, "--as", "example")[1])

    assert [int, list] == [type(record["id"]), type(record["tags"])]


class Line(pydantic.BaseModel):
    """A record in a list."""

    sku: str = pydantic.Field(pattern="^[A-Z]+$", max_length=3)


class Order(pydantic.BaseModel):
    """A record with a list."""

    lines: list[Line]
    size: int = pydantic.Field(le=9)


class Row(msgspec.Struct):
    """A struct with a limit."""

    sizes: list[typing.Annotated[int, msgspec.Meta(le=9)]]


class Rows(marshmallow.Schema):
    """A schema with a limit."""

    rows = marshmallow.fields.List(marshmallow.fields.Integer(validate=marshmallow.validate.Range(max=9)))


class OldLine(pydantic.v1.BaseModel):
    sku: str


class Old(pydantic.v1.BaseModel):
    lines: list[OldLine]


REFUSED = {
    "pydantic": (
        lambda record: pydantic.TypeAdapter(list[Order]).validate_python([record]),
        {"lines": [{"sku": "A"}, {"sku": "no"}], "size": 12},
        [("lines", 1, "sku"), ("size",)],
    ),
    "pydantic 1": (Old.parse_obj, {"lines": [{"sku": "A"}, {"sku": []}]}, [("lines", 1, "sku")]),
    "msgspec": (lambda record: msgspec.convert([record], list[Row]), {"sizes": [1, 12]}, [("sizes", 1)]),
    "marshmallow": (lambda record: Rows(many=True).load([record]), {"rows": [1, 12]}, [("rows", 1)]),
    "no place": (lambda record: int(record["name"]), {"name": "east"}, [()]),
}


@pytest.mark.parametrize("library", REFUSED)
def test_what_a_refusal_names(library):
    """A refusal names the places of the record that it is about."""
    read, record, expected = REFUSED[library]

    with pytest.raises(Exception) as raised:
        read(record)
    assert expected == refused_paths(raised.value, record)


KEYED = """
    class Model(pydantic.BaseModel):
        name: str
        size: int
        def __init__(self, name: str, given: dict[str, Any]):
            super().__init__(name=name, size=given["s"])
    """


@pytest.mark.slow
def test_a_model_made_of_other_arguments(model, cli):
    """What a model's own `__init__` takes is what it reads: a document of that is measured, and an example has it."""
    name = model(KEYED)
    (record,) = json.loads(cli("show", name, "--as", "example")[1])
    reads, writes = datasets(make_plan(model=name, payload={"name": "amber", "given": {"s": 5}}))

    assert {"name", "given"} == set(record)
    assert ({"name": "amber", "given": {"s": 5}}, {"name": "amber", "size": 5}) == (reads.value, writes.value)


def test_a_model_that_pydantic_reads_only_as_parsed(model):
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

    assert {"ok"} == {cell.status for cell in cells if cell.library.startswith("yours")}
    (line,) = load_model(locate(name)).differences
    assert line.startswith("pydantic reads such documents only as parsed, not as JSON: Model.folder: Input is not a")
