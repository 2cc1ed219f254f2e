"""Schemas as JSON Schema, both ways, and as a tree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from test_infer import documents

from serbench.errors import SchemaError
from serbench.schema import (
    ANY,
    BYTES,
    DATE,
    DATETIME,
    FLOAT,
    INT,
    STR,
    UINT64,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Tuple,
    Union,
    infer,
)
from serbench.schema.json_schema import is_json_schema, to_json_schema
from serbench.schema.read_json_schema import from_json_schema
from serbench.schema.tree import tree


@settings(max_examples=300, deadline=None)
@given(documents)
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
        "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "older_pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer", "format": "uint64"}]},
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


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "make it an object"),
        ({"$ref": "https://example.com/x.json"}, "copy the target into the same document"),
        ({"$ref": "#/$defs/none"}, "which does not exist"),
        ({"$ref": "#"}, "resolves to itself"),
        ({"type": "strnig"}, "has an unknown type 'strnig'"),
        ({"anyOf": []}, "must be a non-empty list"),
        ({"type": "object", "properties": {"a": 1}}, "in place of a subschema"),
    ],
)
def test_what_is_no_json_schema(document: Any, message: str) -> None:
    """An invalid JSON Schema is refused in one line."""
    with pytest.raises(SchemaError, match=message):
        from_json_schema(document)


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
