"""Schemas from files: several files, parts of files, YAML."""

from __future__ import annotations

import json

import pytest

from serbench import describe
from serbench.errors import WorkloadError
from serbench.model.data.files import read
from serbench.model.data.payload import from_payload
from serbench.model.json_schema.files import read_schema, schema_notes
from serbench.model.records import Optional, Ref

LINE = {"type": "object", "properties": {"no": {"type": "integer", "minimum": 1}}, "required": ["no"]}
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def write(folder, name, document):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def order(reference, **more):
    return {"$schema": DRAFT, "type": "object", "properties": {"line": {"$ref": reference}}, **more}


@pytest.mark.parametrize(
    ("reference", "name", "more"),
    [
        ("line.json", "line.json", {}),
        ("parts/line.json", "parts/line.json", {}),
        ("line.json", "line.json", {"$id": "https://example.com/v1/order.json"}),
        ("https://example.com/v1/parts/line.json", "parts/line.json", {"$id": "https://example.com/v1/order.json"}),
        ("https://example.com/line.json", "line.json", {}),
        ("a%20b.json", "a b.json", {}),
        ("line.yaml", "line.yaml", {}),
    ],
)
def test_files_of_the_folder(tmp_path, reference, name, more):
    """A reference leads to a file of the schema's folder, by its path or by the address of the schema."""
    write(tmp_path, name, LINE)
    schema = read_schema(write(tmp_path, "order.json", order(reference, **more)))
    assert [Optional(Ref("Line" if "line" in name else "AB"))] == [f.type for f in schema.records[0].fields]


def test_files_that_refer_to_one_another(tmp_path):
    """Two files may refer to each other; each record is one class."""
    write(tmp_path, "a.json", order("b.json"))
    write(tmp_path, "b.json", order("a.json#/properties/line"))
    write(tmp_path, "b.json", {"type": "object", "properties": {"back": {"$ref": "a.json"}, "own": {"$ref": "#"}}})
    assert ["A", "B"] == [record.name for record in read_schema(tmp_path / "a.json").records]


@pytest.mark.parametrize("inside", [True, False])
def test_files_outside_the_folder_are_not_read(tmp_path, inside):
    """A reference to a file outside the folder is refused, also behind a link."""
    write(tmp_path, "secret.json", LINE)
    path = write(tmp_path, "s/order.json", order("link.json" if inside else "../secret.json"))
    if inside:
        (tmp_path / "s" / "link.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(WorkloadError, match="outside its folder"):
        read_schema(path)


@pytest.mark.parametrize(
    ("text", "message"), [(None, "no such file"), ("{", "not JSON in line 1"), ("[1]", "make it an object")]
)
def test_files_that_cannot_be_read(tmp_path, text, message):
    """A file that is missing or no JSON Schema is named in one line."""
    if text is not None:
        write(tmp_path, "line.json", text)
    with pytest.raises(WorkloadError, match=message) as caught:
        read_schema(write(tmp_path, "order.json", order("line.json")))
    assert len(str(caught.value).splitlines()) == 1


API = """
openapi: 3.1.0
components:
  schemas:
    Order: {type: object, required: [day], properties: {day: {type: string, format: date, examples: [2024-02-29]}, ok: {enum: [yes, 'no', 010]}}}
"""


def test_a_part_of_a_file(tmp_path):
    """`FILE#/…` is a part of a file; without it, a description in OpenAPI says how to name one."""
    path = write(tmp_path, "api.yaml", API)
    part = f"{path}#/components/schemas/Order"
    assert ["day", "ok"] == [f.name for f in read_schema(part).record("Order").fields]
    assert from_payload(part, 3).records == 3
    assert any("beside the properties" in note for note in schema_notes(part))
    with pytest.raises(WorkloadError, match=r"name one, such as api.yaml#/components/schemas/Order"):
        read_schema(path)


@pytest.mark.parametrize(
    ("fragment", "told"),
    [
        ("/components/schemas/order", "the file has no such part; did you mean #/components/schemas/Order?"),
        ("/compnents/schemas/Order", "the file has no such part; did you mean #/components?"),
        ("/components/schemas/X", "the file has no such part; #/components/schemas has Order"),
        ("X", "the file has no such part; it has openapi, components"),
        ("/openapi/x", "the file has no such part; #/openapi has none"),
        ("/components/schemas/Order/required/1", "no such part; #/components/schemas/Order/required has 0"),
        ("/openapi", "the JSON Schema has '3.1.0' where a subschema belongs at #/openapi; make it an object"),
    ],
)
def test_a_part_that_a_file_does_not_have(tmp_path, fragment, told):
    """The user named it: the line names the nearest in its place, or the first ones there."""
    path = write(tmp_path, "api.yaml", API)
    with pytest.raises(WorkloadError) as caught:
        read_schema(f"{path}#{fragment}")
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"{path}#{fragment}: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[1, 2]", "has 1 where a subschema belongs at #/0; make it an object"),
        ("[]", "the file has no such part; it has none"),
        ("null", "the file has no such part; it has none"),
        ("5", "the file has no such part; it has none"),
        ('"x"', "has 'x' where a subschema belongs at #/0; make it an object"),
    ],
)
def test_a_part_of_a_file_that_is_no_object(tmp_path, text, told):
    """A part that is no schema, or that there is not, is refused in one line."""
    with pytest.raises(WorkloadError) as caught:
        read_schema(f"{write(tmp_path, 'list.json', text)}#/0")
    assert str(caught.value).endswith(told)


def test_a_schema_in_a_list(tmp_path):
    """A document that is a list may have schemas."""
    schema = read_schema(f"{write(tmp_path, 'lines.json', [LINE])}#/0")
    assert ["no"] == [one.name for record in schema.records for one in record.fields]


def test_a_file_with_a_hash_in_its_name(tmp_path):
    """A file whose name has a # is a file."""
    assert read_schema(write(tmp_path, "a#b.json", LINE)).root == Ref("AB")


def test_notes_of_files(tmp_path):
    """Data, and files that cannot be read, have no notes."""
    assert schema_notes(write(tmp_path, "data.json", LINE)) == ()
    assert schema_notes(tmp_path / "none.json") == ()
    path = write(tmp_path, "s.json", {"$schema": DRAFT, **LINE})
    assert any("minimum" in note for note in schema_notes(path))
    assert [f"JSON Schema {note}" for note in schema_notes(path)] == describe(path).splitlines()[2:]


@pytest.mark.parametrize(
    ("text", "document"),
    [
        (
            "a: 2024-02-29\nb: yes\nc: 1:30\nd: ~\ne: 1.5\nf: true",
            {"a": "2024-02-29", "b": "yes", "c": "1:30", "d": None, "e": 1.5, "f": True},
        ),
        ("200: x\ntrue: y\n1.5: z\n~: n", {"200": "x", "true": "y", "1.5": "z", "null": "n"}),
        ("a: &x [1]\nb: *x\nc: {<<: {d: 1}, e: 2}", {"a": [1], "b": [1], "c": {"d": 1, "e": 2}}),
        ("- 010\n- 0x10\n- 1e3\n- -1\n- ''", [10, 16, 1000.0, -1, ""]),
        ("007: c\n7: d\n1.50: e\n1.5: f\n1e3: g", {"007": "c", "7": "d", "1.50": "e", "1.5": "f", "1e3": "g"}),
        (
            "a: &x {'1': 1, 2: 2}\nb: {<<: *x, 2: 3}\nc: {&k 1: *k}",
            {"a": {"1": 1, "2": 2}, "b": {"1": 1, "2": 3}, "c": {"1": 1}},
        ),
        ("- 1\u0662\n- 1.\u0662", ["1\u0662", "1.\u0662"]),
    ],
)
def test_yaml_is_the_json_that_it_stands_for(tmp_path, text, document):
    """YAML is read as JSON: dates, yes and no are texts, keys are texts, aliases are what they stand for."""
    assert document == read(write(tmp_path, "x.yaml", text))[1]


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "a: !!binary YQ==",
        "a: !!python/object/apply:os.getcwd []",
        "a: &a [*a]",
        "a: 1\na: 2",
        "1: a\n'1': b",
        "- {~: a, 'null': b}",
        "\n".join([f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 1}]" for n in range(9)]),
    ],
)
def test_yaml_that_stands_for_no_json(tmp_path, text):
    """YAML that is none, constructs objects, has a key twice, contains itself or grows without bound is refused in one line."""
    with pytest.raises(WorkloadError) as caught:
        read(write(tmp_path, "x.yml", text))
    assert len(str(caught.value).splitlines()) == 1
