"""A document that a class accepts is accepted, and has the values that the class makes of it."""

from __future__ import annotations

import json
import textwrap

import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.errors import WorkloadError
from serbench.measure.plan import datasets
from serbench.render.user_class import values as user_values
from serbench.render.user_class.find import load_model, locate

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


def test_keys_that_the_class_keeps_beside_its_fields(model, tmp_path):
    """Keys that a class keeps but declares no field for are left out, which a line says."""
    source = "class Model(pydantic.BaseModel, extra='allow'):\n    x: int\n"
    value, differences = read(model, tmp_path, source, [{"x": 5, "more": 1}])

    assert [{"x": 5}] == value
    assert ["the class makes something else of the document: [0].more is left out"] == differences


@pytest.mark.slow
def test_a_document_that_the_fields_do_not_describe(model, tmp_path):
    """A document that the class takes, though its fields describe neither it nor what is written, has inferred types."""
    source = """
        class Model(pydantic.BaseModel):
            at: datetime
            name: str
            @pydantic.field_serializer("at")
            def seconds(self, at: datetime) -> int:
                return int(at.timestamp())
        """
    name, path = model(source), tmp_path / "data.json"
    path.write_text(json.dumps({"at": 1741569952, "name": "Ada"}), encoding="utf-8")
    cells = serbench.verify(model=name, payload=path, libraries="msgspec", formats="orjson,pydantic/json")

    assert {"ok"} == {cell.status for cell in cells}
    assert {"Model"} == {record.name for schema, _ in load_model(locate(name)).inferred for record in schema.records}
    (said,) = load_model(locate(name)).differences
    assert said.startswith(
        "the types of the document are inferred, since the class's fields do not say all: Model.at: "
    )


def test_a_document_of_a_class_that_no_library_reads(model, tmp_path):
    """If no library reads a class because of its types, the line about a document names the field."""
    sides = "".join(f"class {name}(TypedDict):\n    {name.lower()}: int\n" for name in ("Left", "Right"))
    source = f"{sides}class Model(TypedDict):\n    name: str\n    sides: list[Left | Right]\n"
    with pytest.raises(WorkloadError, match=r"data.json: Model.name: the schema requires this key"):
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


def test_a_flag_of_no_bit(model, tmp_path):
    """A flag that sets no bit is a value of its enum as the others are, for the class and for every library."""
    source = """
import dataclasses, enum
class Built(enum.IntFlag):
    NOTHING = 0
    RADIO = 1
    LIGHT = 2
@dataclass
class Model:
    built: Built
"""
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"built": 0}, {"built": 2}]), encoding="utf-8")

    cells = serbench.verify(model=model(source), payload=path, libraries="msgspec,dataclasses", formats="orjson/json")

    assert {"ok"} == {one.status for one in cells}, [one.reason for one in cells]
    assert {"yours (dataclass)", "msgspec", "dataclasses"} == {one.library for one in cells}


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
def test_a_null_that_a_class_loses(kind, document, model, tmp_path, monkeypatch):
    """It reads a default in the place of a null that it leaves out: a line says so, whichever document has the null."""
    monkeypatch.setattr(user_values, "_made", lambda *_: None)
    name = model("import marshmallow\n" + textwrap.dedent(LOSING_NULL[kind]))
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    asked = [{"records": 1, "seed": seed} for seed in range(3)] if document is None else [{"payload": path}]
    default = "" if kind == "marshmallow" else ", the default,"
    lost = f"timeout=None is lost: Model leaves null out when it writes, and reads 5{default} in its place"

    assert {2} == {len(list(datasets(make_plan(model=name, **one)))) for one in asked}
    assert {f"{lost}; so what it reads and what it writes are measured as two documents"} == set(
        load_model(locate(name)).differences
    )
