"""A class or a JSON Schema with some of the fields of a payload is measured as a reader of a part, which is a work of its own."""

from __future__ import annotations

import json

import pytest

import serbench
from serbench.api.calling import make_plan
from serbench.errors import PlanError, SchemaError, WorkloadError
from serbench.judge.outcomes import REST_IGNORED, WorkClass
from serbench.measure.conduct import conduct
from serbench.measure.plan import Block, datasets
from serbench.model.normalise import apply_schema, with_ignored, without_ignored
from serbench.model.records import Field, List, Optional, Record, Ref, Schema, Union
from serbench.model.scalars import ANY, INT, STR
from serbench.render.case import render
from serbench.render.codec import codec_named
from serbench.render.library import libraries
from serbench.render.user_class.find import load_model, locate
from serbench.results import Point
from serbench.store.recorder import Recorder

ORDERS = [
    {"id": n, "note": None if n % 2 else "late", "lines": [{"sku": "a", "price": 1.5, "tags": ["x"]}], "of": {"n": n}}
    for n in range(3)
]
CLASSES = {
    "dataclass": "@dataclass\nclass Line:\n    sku: str\n@dataclass\nclass Order:\n    id: int\n    lines: list[Line]\n",
    "pydantic": "class Line(pydantic.BaseModel):\n    sku: str\nclass Order(pydantic.BaseModel):\n    id: int\n    lines: list[Line]\n",
    "msgspec": "class Line(msgspec.Struct):\n    sku: str\nclass Order(msgspec.Struct):\n    id: int\n    lines: list[Line]\n",
    "attrs": "@attrs.define\nclass Line:\n    sku: str\n@attrs.define\nclass Order:\n    id: int\n    lines: list[Line]\n",
    "typeddict": "class Line(TypedDict):\n    sku: str\nclass Order(TypedDict):\n    id: int\n    lines: list[Line]\n",
    "marshmallow": "class Line(Schema):\n    sku = fields.Str()\n    class Meta:\n        unknown = 'exclude'\n"
    "class Order(Schema):\n    id = fields.Int()\n    lines = fields.List(fields.Nested(Line))\n    class Meta:\n        unknown = 'exclude'\n",
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "array",
    "items": {"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
}


@pytest.fixture
def orders(tmp_path):
    """A payload."""
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(ORDERS), encoding="utf-8")
    return path


@pytest.mark.parametrize("function", [serbench.run, serbench.verify])
def test_what_a_reader_of_a_part_cannot_do_is_one_line(function, model, orders, tmp_path):
    """It names what can be done."""
    options = {"store": tmp_path / "runs.sqlite"} if function is serbench.run else {}
    line = r"^reject or loads cannot be done with this data; name decode, read, load, encode, dump or dumps with --operation$"
    with pytest.raises(PlanError, match=line):
        function(
            payload=orders,
            model=model(CLASSES["dataclass"], "Order"),
            operations=("reject", "loads"),
            formats="orjson",
            **options,
        )
    assert not (tmp_path / "runs.sqlite").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSES)
def test_a_class_with_some_of_the_fields(kind, model, orders):
    """It decodes the whole documents, which its work class and a line say; it encodes its own fields."""
    located = model(CLASSES[kind], "Order")
    found = serbench.verify(
        payload=orders, model=located, libraries=("yours", "msgspec"), formats=("orjson", "msgpack")
    )
    assert {"ok"} == {cell.status for cell in found}, [cell.reason for cell in found]
    reads = [cell for cell in found if cell.operation == "decode"]
    assert {"orders.json (reads)"} == {cell.workload for cell in reads}
    ours = {c.codec: WorkClass.parse(c.work_class).left_out for c in reads if c.library.startswith("yours")}
    everything = (
        {"orjson", "msgpack", "ormsgpack"} if kind == "typeddict" else set()
    )  # plain dicts of a codec have every key
    assert {codec: "" if codec in everything else REST_IGNORED for codec in ours} == ours
    assert {REST_IGNORED} == {WorkClass.parse(cell.work_class).left_out for cell in reads if cell.library == "msgspec"}
    whole = len(json.dumps(ORDERS, separators=(",", ":")))
    assert {whole} == {cell.size_bytes for cell in reads if cell.codec == "orjson"}
    writes = [cell for cell in found if cell.operation == "encode"]
    assert {"orders.json (writes)"} == {cell.workload for cell in writes}
    assert all(cell.size_bytes < whole / 2 for cell in writes)
    assert not any(REST_IGNORED in (cell.work_class or "") for cell in writes)
    (line,) = load_model(locate(located)).differences
    assert "Order reads 2 of 4 fields of Order, 1 of 3 fields of Line; the rest of the document is ignored" == line


def test_a_json_schema_with_some_of_the_fields(orders, tmp_path):
    """It is read so if it allows further keys; what refuses or lacks the names of keys is unsupported, with the reason."""
    path = tmp_path / "part.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    chosen = {"libraries": ("dataclasses", "marshmallow"), "formats": ("json/json", "avro"), "operations": "decode"}
    found = {(c.library, c.variant, c.format): c for c in serbench.verify(payload=orders, schema=path, **chosen)}
    assert found["dataclasses", "default", "json"].work_class == "objects, unchecked, rest ignored"
    refusing, excluding = (found["marshmallow", variant, "json"] for variant in ("default", "unknown=EXCLUDE"))
    assert ("unsupported", "ok") == (refusing.status, excluding.status)
    assert "does not read a part of the fields that documents have" in refusing.reason
    assert (
        "avro can only be read with the schema of the whole document" == found["dataclasses", "default", "avro"].reason
    )
    path.write_text(json.dumps({**SCHEMA, "items": {**SCHEMA["items"], "additionalProperties": False}}), "utf-8")
    with pytest.raises(WorkloadError, match="no field for the key 'note'"):
        serbench.verify(payload=orders, schema=path, **chosen)


def test_a_class_that_forbids_keys_refuses(model, orders):
    """A class that forbids further keys reads no part."""
    source = "class Order(msgspec.Struct, forbid_unknown_fields=True):\n    id: int\n"
    with pytest.raises(WorkloadError, match="the class refuses it"):
        serbench.verify(payload=orders, model=model(source, "Order"))


def test_documents_of_a_stream_are_whole(model, orders):
    """Each document that is drawn has all fields, and those of the class are among them."""
    reads, writes = datasets(make_plan(model=model(CLASSES["msgspec"], "Order"), payload=orders, records=5))
    for number in range(1, 4):
        whole, part = reads.draw(number), writes.draw(number)
        assert [{"id", "lines", "note", "of"}] * 5 == [set(one) for one in whole]
        assert [{"id": one["id"], "lines": [{"sku": "a"}]} for one in whole] == part


@pytest.mark.parametrize(
    ("loads", "status", "ignored"),
    [
        ("json.loads({})", "ok", ""),
        ("[{{'id': one['id']}} for one in json.loads({})]", "ok", REST_IGNORED),
        ("[{{**one, 'id': 0}} for one in json.loads({})]", "unsupported", ""),
        ("[{{**one, 'more': 0}} for one in json.loads({})]", "unsupported", ""),
        ("[{{'note': one['note']}} for one in json.loads({})]", "unsupported", ""),
    ],
)
def test_what_is_decoded_is_the_part_or_the_whole(loads, status, ignored, orders, tmp_path):
    """Anything else, in values or keys, is not the data."""
    path = tmp_path / "part.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    plan = make_plan(payload=orders, schema=path, operations="decode", conditions="hot")
    reads, _ = datasets(plan)
    planted = codec_named("json/json").changed(name="planted", loads=loads.replace("{{", "{").replace("}}", "}"))
    case = render(libraries()["typeddict"], "default", planted, reads.schema, written=reads.written)
    recorder = Recorder()
    conduct(plan, [Block(Point(reads.name, 3, 1, 0), reads, [case])], recorder, timed=False)
    (cell,) = [cell for cell in recorder.known.values() if not cell.control]
    assert (status, ignored) == (cell.status, WorkClass.parse(cell.work_class).left_out), cell.reason


def test_further_keys_become_fields_that_are_ignored():
    """They are any JSON, absent or not, in open records alone; members of a union that are told by their keys have none."""
    inner = Record("Inner", (Field("a", INT),), is_open=True)
    root = Record("Root", (Field("inner", List(Ref("Inner"))), Field("text", STR)), is_open=True)
    schema = Schema(Ref("Root"), (root, inner))
    document = {"text": "t", "inner": [{"a": 1, "class": [1]}, {"a": 2}], "b-c": {"d": 1.5}}
    whole = with_ignored(document, schema)
    ignored = {record.name: [(f.name, f.wire, f.type) for f in record.fields if f.ignored] for record in whole.records}
    assert {"Root": [("b_c", "b-c", Optional(ANY))], "Inner": [("class_", "class", Optional(ANY))]} == ignored
    expected = {"inner": [{"a": 1, "class": [1]}, {"a": 2, "class": None}], "text": "t", "b-c": {"d": 1.5}}
    assert expected == apply_schema(document, whole)[1]
    assert schema == without_ignored(whole)
    closed = Schema(Ref("Root"), (Record("Root", root.fields), inner))
    with pytest.raises(SchemaError, match="no field for the key 'b-c'"):
        with_ignored(document, closed)
    other = Record("Other", (Field("b", INT),), is_open=True)
    either = Schema(Union((Ref("Inner"), Ref("Other"))), (inner, other))
    with pytest.raises(SchemaError):
        with_ignored({"a": 1, "more": 1}, either)
