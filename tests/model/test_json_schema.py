"""Schemas as JSON Schema, both ways, and as a tree."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_infer import documents

from serbench.errors import SchemaError, SerbenchError
from serbench.model.data.values import draw_document
from serbench.model.inference.infer import infer
from serbench.model.json_schema.read import from_json_schema
from serbench.model.json_schema.write import is_json_schema, to_json_schema
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Tuple, Union, tree
from serbench.model.scalars import ANY, BOOL, BYTES, DATE, DATETIME, FLOAT, INT, STR, UINT64


@given(documents)
@example({":": None, "": False})
def test_what_is_written_is_read_again(document: Any) -> None:
    """The schema of any document is unchanged after writing and reading it as JSON Schema."""
    schema = infer(document)
    written = json.loads(json.dumps(to_json_schema(schema)))
    again = from_json_schema(written)

    assert is_json_schema(written)
    assert schema.root == again.root
    assert {record.name: record for record in schema.records} == {record.name: record for record in again.records}


FOREIGN = {
    "title": "order",
    "type": "object",
    "required": ["id", "lines", "pay"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "day": {"type": "string", "format": "date"},
        "note": {"type": ["string", "null"]},
        "state": {"enum": ["open", "in-work"]},
        "lines": {"type": "array", "items": {"$ref": "#/definitions/line"}},
        "pay": {
            "oneOf": [
                {
                    "title": "card",
                    "type": "object",
                    "properties": {"kind": {"const": "card"}, "no": {"type": "string"}},
                },
                {
                    "title": "cash",
                    "type": "object",
                    "properties": {"kind": {"enum": ["cash"]}, "sum": {"type": "number"}},
                },
            ]
        },
        "extra": {"type": "object", "additionalProperties": {"type": "number"}},
        "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2, "maxItems": 2},
        "older_pair": {
            "type": "array",
            "items": [{"type": "string"}, {"type": "integer", "format": "uint64"}],
            "minItems": 2,
            "additionalItems": False,
        },
        "anything": {},
    },
    "definitions": {
        "line": {
            "allOf": [
                {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
                {"properties": {"parts": {"type": "array", "items": {"$ref": "#/definitions/line"}}}},
            ]
        }
    },
}


EVENTS = [{"type": "a", "at": "2026-01-01T00:00:00Z", "n": 1.5}, {"type": "b", "ids": [1, None], "x y": {"z": "t"}}]


def test_schemas_from_elsewhere() -> None:
    """References, definitions, constants as tags, lists of types and allOf are understood."""
    schema = from_json_schema(FOREIGN)
    fields = {f.name: f.type for f in schema.record("Order").fields}

    assert schema.root == Ref("Order")
    assert fields == {
        "id": INT,
        "day": Optional(DATE),
        "note": Optional(STR),
        "state": Optional(Enum("State", (("OPEN", "open"), ("IN_WORK", "in-work")))),
        "lines": List(Ref("Line")),
        "pay": Union((Ref("Card"), Ref("Cash")), "kind"),
        "extra": Optional(Map(FLOAT)),
        "pair": Optional(Tuple((STR, INT))),
        "older_pair": Optional(Tuple((STR, UINT64))),
        "anything": ANY,
    }
    assert schema.record("Line").fields == (Field("n", INT), Field("parts", Optional(List(Ref("Line"))), None, None))
    assert schema.record("Card") == Record("Card", (Field("no", Optional(STR), None, None),), "card")


def _nested(depth: int) -> dict[str, Any]:
    """Lists inside one another."""
    found: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        found = {"type": "array", "items": found}
    return found


def _doubled(depth: int) -> dict[str, Any]:
    """Pairs of pairs, which references write in few words."""
    length = {"minItems": 2, "items": False}
    pairs = {f"p{n}": {"prefixItems": [{"$ref": f"#/$defs/p{n + 1}"}] * 2, **length} for n in range(depth)}
    return {"$ref": "#/$defs/p0", "$defs": {**pairs, f"p{depth}": {"type": "string"}}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "make it an object"),
        ({"$ref": "https://example.com/x.json"}, "https://example.com/x.json"),
        ({"$ref": "#/$defs/none"}, "which does not exist"),
        ({"$ref": "#"}, "resolves to itself"),
        ({"type": "strnig"}, "'strnig' at #/type.*string, "),
        ({"type": {}}, "has an unknown type {} at #/type"),
        ({"anyOf": []}, r"at #/anyOf: \[\]"),
        ({"type": "object", "properties": {"a": 1}}, "at #/properties/a: 1 "),
        ({"properties": {"a": {}}, "required": 3}, "at #/required: 3 "),
        ({"patternProperties": [{}]}, "is wrong at #/patternProperties"),
        ({"$defs": {"a": {"$ref": "#/x/0"}}, "$ref": "#/$defs/a", "x": [{"type": 3}]}, "unknown type 3 at #/x/0/type"),
        ({"$ref": "#/x/1", "x": [{}]}, "which does not exist"),
        ({1: 2}, "is no JSON"),
        ({"allOf": [{"$ref": "#"}]}, "resolves to itself"),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, "allows no value"),
        (_nested(101), "nested more than 100 types deep"),
        (_doubled(40), "more than 20,000 types"),
    ],
)
def test_what_is_no_json_schema(document: Any, message: str) -> None:
    """An invalid JSON Schema is refused in one line."""
    with pytest.raises(SchemaError, match=message):
        from_json_schema(document)


def test_unusual_schemas_are_read() -> None:
    """Values of other types in an enum, a discriminator as a text, and records that contain themselves are understood."""
    nullable = {"type": ["object", "null"], "properties": {"next": {"$ref": "#"}}}
    older = {"nullable": True, "type": "object", "properties": {"next": {"$ref": "#"}}}
    kinds = [
        {"title": n, "properties": {"kind": {"const": n}, "a b": {}}, "required": ["kind"]} for n in ("cat", "dog")
    ]
    tagged = {"oneOf": kinds, "discriminator": "kind"}
    assert Union((INT, BOOL, Map(ANY), List(ANY))) == from_json_schema({"enum": [[1], {}, 1, True]}).root
    assert Union((INT, BOOL)) == from_json_schema({"enum": [1, True]}).root
    for document in (nullable, older):
        schema = from_json_schema(document)
        assert Optional(Ref("Record")) == schema.root
        assert (Field("next", Optional(Ref("Record")), None, None),) == schema.record("Record").fields
    assert Union((Ref("Cat"), Ref("Dog")), "kind") == from_json_schema(tagged).root
    assert INT == from_json_schema({"$ref": "#/x%20y/0", "x y": [{"type": "integer"}]}).root


def test_reading_leaves_the_document_as_it_is() -> None:
    """A schema is only read."""
    before = json.dumps(FOREIGN)
    from_json_schema(FOREIGN)
    assert before == json.dumps(FOREIGN)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
WORDS = [
    "type",
    "properties",
    "required",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    "$ref",
    "default",
    "title",
]
WORDS += ["discriminator", "format", "x-kind", "x-names", "x-name", "nullable", "additionalProperties", "prefixItems"]
SUBSCHEMAS = [
    {"$ref": "#"},
    {"$ref": "#/properties/pay"},
    {"type": ["object", "null"]},
    {"enum": [1, None]},
    True,
    False,
]
VALUES = JSON_VALUES | st.sampled_from([*WORDS, *SUBSCHEMAS, *({word: part} for word in WORDS for part in SUBSCHEMAS)])
VALUES = VALUES.map(copy.deepcopy)  # what is changed further is no other example's


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A schema with up to four of its values dropped or replaced, or keywords added, at any place."""
    root = [json.loads(json.dumps(draw(st.sampled_from([FOREIGN, to_json_schema(infer(EVENTS)), _doubled(3)]))))]
    for _ in range(draw(st.integers(1, 4))):
        places = [(root, 0)]
        for inner, key in places:
            part = inner[key]
            places += [
                (part, k)
                for k in (part if isinstance(part, dict) else range(len(part) if isinstance(part, list) else 0))
            ]
        inner, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["drop", "replace", "add"]))
        if how == "drop" and inner is not root:
            del inner[key]
        elif how == "add" and isinstance(inner[key], dict):
            inner[key][draw(st.sampled_from(WORDS))] = draw(VALUES)
        else:
            inner[key] = draw(VALUES)
    return root[0]


@given(mutated())
def test_a_wrong_schema_is_one_line(document: Any) -> None:
    """Whatever is changed in a schema, it is read, drawn, shown and written, or refused in one line."""
    said = "read"
    try:
        schema = from_json_schema(document)
        draw_document(schema, 2, 2, Random(0))
        tree(schema)
        from_json_schema(to_json_schema(schema))
    except SerbenchError as error:
        said = str(error)
    assert len(said.splitlines()) == 1
    assert len(said) < 600


def test_tree() -> None:
    """A tree shows each record once, unions with their tag, and keys that are not identifiers next to their names."""
    node = Record(
        "Node", (Field("class_", STR, "class"), Field("children", List(Ref("Node"))), Field("n", INT, None, 3))
    )
    key, click = Record("Key", (Field("at", DATETIME),), "key"), Record("Click", (Field("raw", BYTES),), "click")
    events = Field("events", List(Union((Ref("Key"), Ref("Click")), "type")))
    schema = Schema(Ref("Page"), (Record("Page", (Field("top", Ref("Node")), events)), node, key, click))

    assert tree(schema).splitlines() == [
        "Page",
        "  top: Node",
        "    class_ ('class'): str",
        "    children: list of Node",
        "    n: int = 3",
        "  events: list of (Key | Click) by 'type'",
        "    Key (type: 'key')",
        "      at: datetime",
        "    Click (type: 'click')",
        "      raw: bytes",
    ]
