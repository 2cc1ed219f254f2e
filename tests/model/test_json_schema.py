"""Schemas as JSON Schema, both ways, and as a tree; keywords beside one another, and what a schema says of those that it cannot hold."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_infer import documents

from serbench.errors import SchemaError, SerbenchError
from serbench.model.data.values import draw_document
from serbench.model.inference.infer import infer
from serbench.model.json_schema.allowed import Plain
from serbench.model.json_schema.read import from_json_schema
from serbench.model.json_schema.references import DRAFTS
from serbench.model.json_schema.write import is_json_schema, to_json_schema
from serbench.model.normalise import apply_schema
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union, tree
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
        ({1: 2}, "is not JSON"),
        ({"allOf": [{"$ref": "#"}]}, "resolves to itself"),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, "allows no value"),
        ({"$schema": DRAFTS[2], "$id": 5}, r"has the \$id 5, which is no URI; correct or omit it"),
        ({"$schema": DRAFTS[4], "id": "http://["}, r"has the \$id 'http://\[', which is no URI"),
        ({"properties": {"a": {"$id": "http://["}}}, r"has the \$id 'http://\[', which is no URI"),
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


USER, MAIL = {"user": {"type": "string"}}, {"mail": {"type": "string"}}
BOTH = {"type": "object", "properties": {**USER, **MAIL}}


def fields(written: dict[str, Any], record: str = "Record") -> dict[str, Type]:
    """The types of the fields of a record."""
    schema = from_json_schema(written)
    assert schema.root == Ref("Record")
    return {f.wire: f.type for f in schema.record(record).fields}


@pytest.mark.parametrize(
    "written",
    [
        {**BOTH, "anyOf": [{"required": ["user"]}, {"required": ["mail"]}]},
        {**BOTH, "oneOf": [{"required": ["user"]}, {"required": ["mail"]}]},
        {**BOTH, "if": {"required": ["user"]}, "then": {"required": ["user"]}},
        {**BOTH, "allOf": [{"if": {"required": ["user"]}, "else": {"required": ["mail"]}}]},
        {"type": "object", "properties": USER, "anyOf": [{"properties": MAIL}, {"required": ["user"]}]},
        {"type": "object", "properties": USER, "oneOf": [{"properties": MAIL}, {}]},
        {"type": "object", "properties": USER, "dependentSchemas": {"user": {"properties": MAIL}}},
        {"type": "object", "properties": USER, "$ref": "#/$defs/m", "$defs": {"m": {"properties": MAIL}}},
        {"allOf": [{"type": "object", "properties": USER}], "properties": MAIL},
        {"oneOf": [{"type": "object", "properties": USER}, {"type": "object", "properties": MAIL}]},
    ],
)
def test_properties_beside_other_keywords(written):
    """The properties of an object are read whatever keywords stand beside them, and those in alternatives are optional."""
    assert fields(written) == {"user": Optional(STR), "mail": Optional(STR)}


def test_base_fields_beside_tagged_variants():
    """Each variant of a tagged union has the fields that stand beside the alternatives."""
    kinds = [
        {"title": n, "properties": {"kind": {"const": n}, n: {"type": "integer"}}, "required": ["kind", n]}
        for n in "ab"
    ]
    schema = from_json_schema({"type": "object", "properties": USER, "required": ["user"], "oneOf": kinds})

    assert schema.root == Union((Ref("A"), Ref("B")), "kind")
    assert [Record(n.upper(), (Field("user", STR), Field(n, INT)), n) for n in "ab"] == list(schema.records)


def test_what_all_alternatives_require_stays_required():
    """A key that each alternative requires is required, and so is one that the base requires."""
    written = {**BOTH, "required": ["user"], "anyOf": [{"required": ["mail"]}, {"required": ["mail", "user"]}]}
    assert fields(written) == {"user": STR, "mail": STR}


def test_a_required_key_without_a_property_is_a_field():
    """A key that is required but not described holds any JSON."""
    assert fields({"type": "object", "properties": USER, "required": ["x"]}) == {"user": Optional(STR), "x": ANY}


def test_a_draft_ignores_what_stands_beside_a_reference():
    """What stands beside `$ref` is read where the draft reads it; older drafts ignore it, and a note says so."""
    written = {"type": "object", "properties": USER, "$ref": "#/$defs/m", "$defs": {"m": BOTH | {"required": ["mail"]}}}
    draft_7 = {"$schema": "http://json-schema.org/draft-07/schema#", **written}
    draft_7["$defs"] = {"m": {"type": "object", "properties": MAIL}}

    assert fields(written) == {"user": Optional(STR), "mail": STR}
    assert {f.wire for f in from_json_schema(draft_7).records[0].fields} == {"mail"}
    assert any("beside $ref" in note for note in from_json_schema(draft_7).notes)


def test_unique_items_stay_in_order():
    """A list of unique items is a list; only a set that serbench has written is a set."""
    assert from_json_schema({"type": "array", "uniqueItems": True, "items": {"type": "string"}}).root == List(STR)
    schema = from_json_schema({"type": "array", "x-kind": "set", "items": {"type": "string"}})
    assert Set(STR) == schema.root == from_json_schema(to_json_schema(schema)).root


@pytest.mark.parametrize(
    ("default", "part", "type_"),
    [
        (["x"], {"type": "array", "items": {"type": "string"}}, List(STR)),
        ([], {"type": "array", "items": {"type": "string"}}, List(STR)),
        ({"a": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}, Map(INT)),
        ("2024-02-29", {"type": "string", "format": "date"}, DATE),
        ("b", {"enum": ["a", "b"]}, Enum("K", (("A", "a"), ("B", "b")))),
        (1, {"type": "number"}, FLOAT),
        (False, {"type": "boolean"}, BOOL),
        ("", {"type": ["integer", "string"]}, Union((INT, STR))),
    ],
)
def test_defaults_of_every_type(default, part, type_):
    """A default of any type is the field's default."""
    schema = from_json_schema({"type": "object", "properties": {"k": {**part, "default": default}}})
    assert schema.records[0].fields == (Field("k", type_, None, default),)


@pytest.mark.parametrize(
    ("part", "default", "reason"),
    [
        ({"type": "integer"}, "c", "requires int"),
        ({"enum": ["b"]}, "c", "requires one of 'b'"),
        ({"type": "string", "format": "date-time"}, {"k": 1}, "requires str"),
        ({"$ref": "#"}, {}, "an object of a record"),
    ],
)
def test_defaults_that_no_field_can_have(part, default, reason):
    """A default that does not fit is not set, and a note says so."""
    schema = from_json_schema({"type": "object", "properties": {"k": {"allOf": [part], "default": default}}})
    [f] = schema.records[0].fields

    assert (Optional, None) == (type(f.type), f.default)
    assert any(reason in note and "Record.k" in note for note in schema.notes)


@pytest.mark.parametrize(
    ("written", "type_"),
    [
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Map(INT)),
        ({"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False}, Map(INT)),
        (
            {"patternProperties": {"^a": {"type": "integer"}, "^b": {"type": "string"}}, "additionalProperties": False},
            Map(Union((INT, STR))),
        ),
        (
            {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
            Map(Union((INT, STR))),
        ),
        ({"type": "object", "unevaluatedProperties": {"type": "integer"}}, Map(INT)),
        ({"prefixItems": [{"type": "string"}, {"type": "integer"}], "type": "array"}, List(Union((INT, STR)))),
        ({"const": None}, ANY),
        ({"const": 1}, Enum("Record", (("V1", 1),))),
        ({"const": 1.5}, FLOAT),
        ({"enum": ["a", 1, None]}, Optional(Union((INT, STR)))),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, INT),
        ({"type": ["string", "null"], "enum": ["a", None]}, Optional(Enum("Record", (("A", "a"),)))),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "string"}]}, STR),
        ({"type": "string", "format": "duration"}, STR),
        ({"type": "array", "items": {"$ref": "#"}}, List(List(ANY))),
        ({"anyOf": [{"type": "object"}, {"type": "object", "properties": USER}]}, Map(ANY)),
        (
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array", "items": {"type": "null"}}]},
            List(Optional(STR)),
        ),
        (True, ANY),
    ],
)
def test_types_of_values(written, type_):
    """Each keyword has the type that holds all values that it allows."""
    assert from_json_schema(written).root == type_


def test_properties_of_several_conditions():
    """What one condition says of a property is not asked of documents that it is not about."""
    kinds = [
        {
            "if": {"properties": {"kind": {"const": name}}},
            "then": {"properties": {"data": {"type": "object", "properties": {name: {}}, "required": [name]}}},
        }
        for name in ("a", "b")
    ]
    written = {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"], "allOf": kinds}
    schema = from_json_schema(written)
    for name in ("a", "b"):
        assert apply_schema({"kind": name, "data": {name: 1}}, schema)


@pytest.mark.parametrize(
    ("then", "otherwise", "type_"),
    [
        ({"type": "object", "properties": USER}, {"$ref": "#/$defs/m"}, Ref("A")),
        ({"type": "object", "properties": USER}, {"type": "string"}, Union((Ref("A"), STR))),
        ({"type": "object", "properties": USER}, None, ANY),
        ({"type": "object"}, {"$ref": "#/$defs/m"}, Map(ANY)),
    ],
)
def test_conditions_without_a_type_beside_them(then, otherwise, type_):
    """A value that only conditions describe is what each of their results allows."""
    part = {"if": {"required": ["user"]}, "then": then, **({} if otherwise is None else {"else": otherwise})}
    model = {"type": "object", "properties": MAIL, "required": ["mail"]}
    written = {"type": "object", "properties": {"a": part}, "required": ["a"], "$defs": {"m": model}}
    assert fields(written) == {"a": type_}
    for value in ({}, {"mail": "x"}, {"user": "x"}, "x"):
        if jsonschema_rs.is_valid(written, {"a": value}):
            assert apply_schema({"a": value}, from_json_schema(written))


def test_further_keys_of_a_condition():
    """What a condition says of keys that it does not name holds for the whole object."""
    said = {"if": {"required": ["a"]}, "then": {"allOf": [{"patternProperties": {"^x": {"type": "integer"}}}]}}
    written = {"type": "object", "properties": {"a": {"type": "string"}}, **said}
    assert from_json_schema(written).root == Map(Union((INT, STR)))


def test_many_conditions():
    """A schema of sixty conditions is read as one of two is: the work for each is the same."""
    kinds = [
        {"if": {"properties": {"kind": {"const": f"k{n}"}}}, "then": {"properties": {f"x{n}": {"type": "integer"}}}}
        for n in range(60)
    ]
    assert len(fields({"type": "object", "properties": {"kind": {"type": "string"}}, "allOf": kinds})) == 61


def test_a_whole_number_is_an_integer():
    """A number without a fraction is an integer, an enum member and a union member, as a validator takes it; 1.5 and true are not."""
    parts = ({"type": "integer"}, {"enum": [0, 7]}, {"type": ["integer", "string"]})
    for part in parts:
        schema = from_json_schema(part)
        assert repr(apply_schema(7.0, schema)[1]) == "7"
        for other in (7.5, False):
            with pytest.raises(SchemaError, match="the schema requires"):
                apply_schema(other, schema)


def test_classes_are_named_apart_from_fields():
    """A class that has a field's name gets another name, also in the notes."""
    part = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = from_json_schema({"type": "object", "properties": {"Label": part, "Kind": {"enum": ["a"]}}})

    assert {"Record", "LabelRecord"} == {record.name for record in schema.records}
    assert [one.name for one in schema.enums] == ["KindRecord"]
    assert any("Record, LabelRecord" in note for note in schema.notes)


def test_anchors_and_ids():
    """A reference finds its target by `$anchor`, by `$id` and, in draft 7, by an `$id` that is a fragment."""
    for target, reference in (
        ({"$anchor": "m"}, "#m"),
        ({"$id": "https://example.com/m"}, "https://example.com/m"),
        ({"$id": "https://example.com/d/m", "$defs": {"x": {"$anchor": "q"}}}, "d/m"),
    ):
        part = {**BOTH, **target}
        written = {"$id": "https://example.com/", "$ref": reference, "$defs": {"any": part}}
        assert {f.wire for f in from_json_schema(written).records[0].fields} == {"user", "mail"}
    older = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#m",
        "definitions": {"x": {**BOTH, "$id": "#m"}},
    }
    assert {f.wire for f in from_json_schema(older).records[0].fields} == {"user", "mail"}


def test_a_record_has_one_class_wherever_it_is_referred_to():
    """Records behind one reference are one class, also beside annotations, in `allOf` alone, and within themselves."""
    line = {"type": "object", "properties": {"next": {"$ref": "#/$defs/line", "description": "d"}}}
    parts = [{"$ref": "#/$defs/line"}, {"allOf": [{"$ref": "#/$defs/line"}], "default": None, "title": "A line"}]
    written = {"type": "object", "properties": dict(zip("ab", parts, strict=True)), "$defs": {"line": line}}
    assert ["Record", "Line"] == [record.name for record in from_json_schema(written).records]


def test_a_member_of_a_union_that_is_also_a_field():
    """A record with a tag, which is elsewhere a field of its own, has both classes."""
    kinds = {n: {"type": "object", "properties": {"kind": {"const": n}}, "required": ["kind"]} for n in ("cat", "dog")}
    refs = [{"$ref": f"#/$defs/{n}"} for n in kinds]
    written = {"type": "object", "properties": {"pet": {"oneOf": refs}, "cat": refs[0]}, "$defs": kinds}
    found = fields(written)
    assert found == {"pet": Optional(Union((Ref("Cat"), Ref("Dog")), "kind")), "cat": Optional(Ref("Cat2"))}


OPENAPI = {
    "openapi": "3.0.3",
    "components": {
        "schemas": {
            "Pet": {
                "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
                "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}},
            },
            "Cat": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"lives": {"type": "integer"}}}]},
            "Dog": {"allOf": [{"$ref": "#/components/schemas/Base"}], "type": "object"},
            "Base": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"type": "string"},
                    "born": {"type": "string", "format": "date", "nullable": True},
                    "photo": {"type": "string", "format": "byte"},
                    "mother": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/Cat"}]},
                },
            },
        }
    },
}


def test_openapi():
    """Schemas of a description in OpenAPI are read by their place: discriminators with a mapping, inheritance, `nullable`."""
    schema = from_json_schema(OPENAPI, fragment="/components/schemas/Pet")

    assert schema.root == Union((Ref("Cat"), Ref("Dog")), "kind")
    assert [("cat", 4), ("dog", 3), (None, 5)] == [(r.tag_value, len(r.fields)) for r in schema.records]


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ({"type": "string", "minLength": 1, "pattern": "a"}, "no model checks minLength (1), pattern (1)"),
        ({"type": "string", "format": "email"}, "format email (1)"),
        ({"type": "array", "items": {}, "uniqueItems": True}, "uniqueItems (1)"),
        ({"type": "string", "not": {"const": "a"}}, "not (1)"),
        ({"type": "object", "properties": USER}, "narrowly: keys beside the properties, which have no field: Record"),
        ({"properties": USER, "additionalProperties": False}, "narrowly: objects or arrays alone"),
        (
            {"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}},
            "'https://example.com/x', which is not in",
        ),
        (
            {"type": "object", "properties": {}, "additionalProperties": False},
            "widely: lists and objects that are always",
        ),
        ({"type": "array", "items": False}, "widely: lists and objects that are always empty"),
        ({"type": "array", "items": {"allOf": [{"type": "string"}, {"type": "null"}]}}, "always empty"),
        (
            {"allOf": [{"properties": USER, "additionalProperties": False}, {"properties": {"b": {}}}]},
            "widely: properties beside a part that allows no further ones",
        ),
        ({"oneOf": [{"type": "number"}, {"enum": [1, 2]}]}, "widely: oneOf, as anyOf"),
        ({"oneOf": [{"type": ["string", "null"]}, {"type": "null"}]}, "widely: oneOf, as anyOf"),
        ({"type": "string", "oneOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, "widely: oneOf, as anyOf"),
        ({"type": "object", "properties": {"\x1b[31m\n": {"type": "null"}}}, r"Record.\x1b[31m\n"),
    ],
)
def test_notes(written, note):
    """A line says what no type holds, and where, without any sign that a terminal would obey."""
    notes = from_json_schema(written).notes
    assert any(note in line and line.isprintable() for line in notes)


def test_what_is_read_as_it_is_written_has_no_note():
    """A schema that serbench has written has no notes."""
    written = to_json_schema(from_json_schema({**BOTH, "minProperties": 1, "additionalProperties": False}))
    assert from_json_schema(written).notes == ()


@pytest.mark.parametrize(
    "kinds",
    [
        [{"type": "string"}, {"type": "integer"}],
        [{"const": "a"}, {"const": "b"}],
        [{"enum": [1, 2]}, {"enum": [3]}],
        [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    ],
)
def test_alternatives_of_which_no_two_fit_are_read_as_they_are_written(kinds):
    """Where no value fits two of them, one of them is what any of them is."""
    assert from_json_schema({"oneOf": kinds}).notes == ()


def test_many_alternatives_are_not_compared_with_each_other(monkeypatch):
    """Each of 300 constants is looked up among the others, for there are 44,850 pairs of them."""
    asked, shares = [], Plain.shares
    monkeypatch.setattr(Plain, "shares", lambda one, other: asked.append(one) or shares(one, other))
    constants = [{"const": f"v{number}"} for number in range(300)]
    assert from_json_schema({"oneOf": [*constants, {"type": "integer"}]}).notes == ()
    assert "oneOf, as anyOf" in from_json_schema({"oneOf": [*constants, {"const": "v7"}]}).notes[0]
    assert "oneOf, as anyOf" in from_json_schema({"oneOf": [*constants, {"type": "string"}]}).notes[0]
    assert len(asked) < 1_000


def test_alternatives_that_share_references_are_read_once():
    """Forty levels, each of which leads to the next in three ways, are read as two levels are."""

    def nested(levels):
        ways = {}
        for level in range(levels):
            below = {"$ref": f"#/$defs/L{level + 1}"}
            apart = {"type": "object", "properties": {f"k{level}": below}, "additionalProperties": False}
            ways[f"L{level}"] = {"anyOf": [below, apart, {"allOf": [below]}]}
        return from_json_schema({"$defs": {**ways, f"L{levels}": {"type": "string"}}, "$ref": "#/$defs/L0"})

    two, many = nested(2), nested(40)
    assert (2, 40) == (len(two.records), len(many.records))
    assert {"k0", "k1"} == {f.name for f in two.records[0].fields}
    assert {f"k{level}" for level in range(40)} == {f.name for f in many.records[0].fields}
    assert [note.partition(":")[0] for note in two.notes] == [note.partition(":")[0] for note in many.notes]


@pytest.mark.parametrize("nothing", [False, {"not": {}}, {"not": True}])
def test_what_allows_nothing_may_be_written_in_several_ways(nothing):
    """Further keys and items that nothing may be are none, whichever way a schema says so."""
    closed = {"type": "object", "properties": USER, "required": list(USER), "additionalProperties": nothing}
    pair = {"type": "array", "prefixItems": [{"type": "string"}] * 2, "minItems": 2, "items": nothing}
    read = [from_json_schema(one) for one in (closed, pair)]
    assert [from_json_schema(closed | {"additionalProperties": False}), Schema(Tuple((STR, STR)))] == read
    assert [(), ()] == [schema.notes for schema in read]


def test_a_constant_beside_an_enum():
    """Both hold."""
    assert Enum("Record", (("A", "a"),)) == from_json_schema({"enum": ["a", "b"], "const": "a"}).root
    with pytest.raises(SchemaError, match="allows no value"):
        from_json_schema({"enum": [1, 2], "const": True})


@pytest.mark.parametrize(
    "part",
    [
        {"$dynamicRef": "#item"},
        {"$ref": "#item"},
        {"$schema": DRAFTS[1], "$recursiveRef": "#"},
        {"type": "object", "properties": USER, "$dynamicRef": "#item"},
        {"anyOf": [{"$dynamicRef": "#item"}, {"type": "string"}]},
    ],
)
def test_a_reference_whose_target_depends_on_the_way_to_it(part):
    """A dynamic or recursive reference is any JSON, and so is all that stands beside it: the target may say more of it."""
    target = {"any": {"$dynamicAnchor": "item", "type": "boolean"}}
    schema = from_json_schema({"type": "object", "properties": {"a": part}, "$defs": target})

    assert schema.records[0].fields == (Field("a", ANY, None, None),)
    assert any("$dynamicRef and $recursiveRef, as any JSON: Record.a" in note for note in schema.notes)


@pytest.mark.parametrize("draft", DRAFTS)
def test_metaschemas_are_at_hand(draft):
    """A schema may refer to the metaschema of any draft, which is a record that contains itself, or any JSON since 2019-09."""
    schema = from_json_schema({"type": "object", "properties": {"schema": {"$ref": draft}}})
    _, meta = schema.records
    item = next(f.type.item.item for f in meta.fields if f.wire == "allOf")
    assert (ANY if draft in DRAFTS[:2] else Ref(meta.name)) in (item, *getattr(item, "members", ()))
    with pytest.raises(SchemaError, match="is not in its folder"):
        from_json_schema({"$ref": "https://json-schema.org/draft/none"})


def test_references_of_a_file_that_no_one_reads():
    """A document without a file refers to no other file."""
    with pytest.raises(SchemaError, match="is not in its folder"):
        from_json_schema({"$ref": "other.json"})


@pytest.mark.parametrize("kind", ["money", 3, None, ["decimal"], {}, "bigint", "foreign"])
def test_words_of_another_vocabulary(kind):
    """Words that serbench writes, with values that it does not, are another's and change nothing; a line says it of kinds."""
    text = {"type": "string", "format": "date", "x-kind": kind, "x-name": "b"}
    size = {"enum": ["s"], "x-names": kind, "x-name": 5}
    schema = from_json_schema({"type": "object", "properties": {"a": text, "b": size, "c": {**text, "x-name": "c d"}}})
    [record] = schema.records
    assert [(f.name, f.wire) for f in record.fields] == [(key, key) for key in "abc"]
    assert [f.type for f in record.fields][::2] == [Optional(DATE)] * 2
    assert [str(note) for note in schema.notes if "x-kind" in note] == [
        "not read: an x-kind that serbench does not write: Record.a, Record.c"
    ]
