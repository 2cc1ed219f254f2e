"""The table of JSON Schema's keywords: how each is read, by reading a small schema that has it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.ask.reports.published import Published
from serbench.display.escapes import escaped
from serbench.display.table import Side, Table
from serbench.errors import SchemaError
from serbench.model.json_schema.read import from_json_schema

_DRAFT_7, _DRAFT_4 = (f"http://json-schema.org/draft-0{number}/schema#" for number in (7, 4))
_TEXT, _INT = {"type": "string"}, {"type": "integer"}


@dataclass(frozen=True)
class Sample:
    """Keywords, what is said by them, and a schema that says it."""

    keywords: str
    what: str
    schema: Any

    @property
    def read(self) -> tuple[str, str]:
        """How it is read, and the line that says so."""
        try:
            notes = from_json_schema(self.schema).notes
        except SchemaError as error:
            return "refused", str(error)
        kinds = ["widely" if "widely" in note else "narrowly" if "narrowly" in note else "not" for note in notes]
        how = {"widely": "more widely", "narrowly": "more narrowly", "not": "ignored"}
        return how[kinds[0]] if kinds else "exactly", "; ".join(notes)


def _closed(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """An object with these keys alone, of which these or all are required."""
    described = {"type": "object", "properties": properties, "required": list(required or properties)}
    return {**described, "additionalProperties": False, **more}


def _with(key: str, **more: Any) -> dict[str, Any]:
    """A closed object with two keys, of which this one is required."""
    return _closed({"a": _TEXT, "b": _INT}, key, **more)


_KINDS = [_closed({"kind": {"const": kind}, kind: _INT}) for kind in ("a", "b")]
_OPEN = [
    {"type": "object", "properties": {key: _INT}, "required": [key], "additionalProperties": False} for key in "ab"
]
SAMPLES = (
    Sample("type", "one type, or several", {"type": ["integer", "string", "null"]}),
    Sample("properties, required", "an object that has no other keys", _closed({"a": _TEXT})),
    Sample("properties", "an object that may have other keys", {"type": "object", "properties": {"a": _TEXT}, "required": ["a"]}),
    Sample("properties", "no type beside them", {"properties": {"a": _TEXT}, "required": ["a"], "additionalProperties": False}),
    Sample("required", "keys that no property describes", {"type": "object", "properties": {"a": _TEXT}, "required": ["a", "x"]}),
    Sample("additionalProperties", "false", _closed({"a": _INT})),
    Sample("additionalProperties", "a schema, without properties", {"type": "object", "additionalProperties": _INT}),
    Sample("additionalProperties", "a schema, beside properties of other JSON types", _closed({"a": _TEXT}, additionalProperties=_INT)),
    Sample("additionalProperties", "a schema, beside properties of the same JSON type", _closed({"a": _OPEN[0]}, additionalProperties=_OPEN[1])),
    Sample("patternProperties", "no other keys", {"type": "object", "patternProperties": {"": _INT}, "additionalProperties": False}),
    Sample("patternProperties", "other keys too", {"type": "object", "patternProperties": {"^a": _INT}}),
    Sample("unevaluatedProperties", "false", {"type": "object", "properties": {"a": _INT}, "required": ["a"], "unevaluatedProperties": False}),
    Sample("unevaluatedProperties", "a schema", {"type": "object", "unevaluatedProperties": _INT}),
    Sample("items", "a schema", {"type": "array", "items": _INT}),
    Sample("items, additionalItems", "a list, of a fixed length", {"$schema": _DRAFT_7, "type": "array", "items": [_INT, _TEXT], "minItems": 2, "additionalItems": False}),
    Sample("prefixItems", "of a fixed length", {"type": "array", "prefixItems": [_INT, _TEXT], "minItems": 2, "items": False}),
    Sample("prefixItems", "of any length", {"type": "array", "prefixItems": [_INT, _TEXT]}),
    Sample("enum", "texts, integers, null", {"enum": ["a", "b", None]}),
    Sample("enum", "values of several types", {"enum": ["a", 1]}),
    Sample("const", "a text or an integer", {"const": "a"}),
    Sample("const", "another value", {"const": [1]}),
    Sample("format", "`date`, `date-time`, `time`, `uuid`", {"type": "string", "format": "date"}),
    Sample("format", "any other", {"type": "string", "format": "email"}),
    Sample("contentEncoding", "`base64`", {"$schema": _DRAFT_7, "type": "string", "contentEncoding": "base64"}),
    Sample("contentEncoding, contentMediaType, contentSchema", "any other", {"type": "string", "contentEncoding": "base32", "contentMediaType": "text/css", "contentSchema": {}}),
    Sample("anyOf", "values of several JSON types", {"anyOf": [_TEXT, {"type": "array", "items": _INT}]}),
    Sample("anyOf", "formats of text", {"anyOf": [{"type": "string", "format": one} for one in ("date", "uuid")]}),
    Sample("anyOf", "keys of which one is required", _with("a", required=[], anyOf=[{"required": ["a"]}, {"required": ["b"]}])),
    Sample("oneOf", "objects that a constant tells apart", {"oneOf": _KINDS}),
    Sample("oneOf", "objects that nothing tells apart", {"oneOf": _OPEN}),
    Sample("oneOf", "arrays", {"oneOf": [{"type": "array", "items": one} for one in (_INT, _TEXT)]}),
    Sample("allOf", "properties in each part", {"allOf": [{"type": "object", "properties": {"a": _INT}, "required": ["a"]}, {"properties": {"b": _TEXT}, "required": ["b"]}], "unevaluatedProperties": False}),
    Sample("allOf", "types that exclude one another", {"allOf": [_TEXT, _INT]}),
    Sample("if, then, else", "properties and required keys", _with("a", **{"if": {"required": ["b"]}, "then": {"properties": {"a": {"const": "x"}}}, "else": {}})),
    Sample("dependentSchemas", "properties and required keys", _with("a", dependentSchemas={"b": {"properties": {"a": {"const": "x"}}}})),
    Sample("dependencies", "a schema", _with("a", **{"$schema": _DRAFT_7, "dependencies": {"b": {"properties": {"a": {"enum": ["x"]}}}}})),
    Sample("dependencies, dependentRequired", "keys", _with("a", dependentRequired={"a": ["b"]}, dependencies={"a": ["b"]})),
    Sample("not", "any schema", {"type": "string", "not": {"const": "a"}}),
    Sample("default", "a value of the type", _closed({"a": {"type": "array", "items": _TEXT, "default": ["x"]}}, required=[])),
    Sample("default", "a value of the type, of a required key", _closed({"a": {"type": "array", "items": _TEXT, "default": ["x"]}})),
    Sample("default", "a value of another type", _closed({"a": {"type": "integer", "default": "x"}})),
    Sample("default", "an object with fields", _closed({"a": {**_closed({"b": _INT}), "default": {"b": 1}}})),
    Sample("minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf", "", {"type": "integer", "minimum": 1, "maximum": 9, "exclusiveMinimum": 1, "exclusiveMaximum": 9, "multipleOf": 2}),
    Sample("minLength, maxLength, pattern", "", {"type": "string", "minLength": 2, "maxLength": 9, "pattern": "x"}),
    Sample("minItems, maxItems, uniqueItems, contains, minContains, maxContains", "", {"type": "array", "items": _INT, "minItems": 1, "maxItems": 9, "uniqueItems": True, "contains": {}, "minContains": 1, "maxContains": 1}),
    Sample("unevaluatedItems", "false", {"type": "array", "prefixItems": [_INT], "minItems": 1, "unevaluatedItems": False}),
    Sample("minProperties, maxProperties, propertyNames", "", {"type": "object", "additionalProperties": _INT, "minProperties": 1, "maxProperties": 9, "propertyNames": {"maxLength": 3}}),
    Sample("$ref, $defs", "a part of the schema", {"$ref": "#/$defs/a", "$defs": {"a": _INT}}),
    Sample("$ref, definitions", "a part of the schema", {"$schema": _DRAFT_4, "$ref": "#/definitions/a", "definitions": {"a": _INT}}),
    Sample("$ref", "keywords beside it, since 2019-09", {"$ref": "#/$defs/a", "properties": {"a": _INT}, "required": ["a"], "unevaluatedProperties": False, "$defs": {"a": {"type": "object"}}}),
    Sample("$ref", "keywords beside it, up to draft 7", {"$schema": _DRAFT_7, "$ref": "#/definitions/a", "type": "string", "definitions": {"a": _INT}}),
    Sample("$ref", "itself, within an object", _closed({"a": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}})),
    Sample("$ref", "itself, within an array or a map alone", {"type": "array", "items": {"$ref": "#"}}),
    Sample("$ref", "a document that only a network has", _closed({"a": {"$ref": "https://example.com/a"}})),
    Sample("$ref", "a part that does not exist", {"$ref": "#/$defs/x"}),
    Sample("$id, $anchor", "a part by its name", {"$id": "https://example.com/", "$ref": "#a", "$defs": {"a": {"$anchor": "a", **_INT}}}),
    Sample("id", "a part by its address, in draft 4", {"$schema": _DRAFT_4, "id": "https://example.com/", "$ref": "a", "definitions": {"a": {"id": "a", **_INT}}}),
    Sample("$dynamicRef, $dynamicAnchor", "as `$ref` and `$anchor`", {"$id": "https://example.com/", "$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a", **_INT}}}),
    Sample("$recursiveRef, $recursiveAnchor", "as `$ref`", {"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": True, **_closed({"a": {"anyOf": [{"type": "null"}, {"$recursiveRef": "#"}]}})}),
    Sample("$schema", "the drafts 4 to 2020-12", {"$schema": _DRAFT_7, **_INT}),
    Sample("title", "the name of the class", {"title": "A", **_closed({"a": _INT})}),
    Sample("$comment, $vocabulary, description, examples, deprecated, readOnly, writeOnly", "say nothing of the values", {"$comment": "c", "$vocabulary": {}, "description": "d", "examples": [1], "deprecated": True, "readOnly": True, "writeOnly": True, **_INT}),
    Sample("nullable", "OpenAPI 3.0", {"type": "string", "nullable": True}),
    Sample("discriminator", "OpenAPI: the constant of each object", {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "discriminator": {"propertyName": "kind"}, "$defs": {name: _closed({"kind": _TEXT, "n": _INT}) for name in "AB"}}),
)  # fmt: skip


def keywords(_: Sequence[Published]) -> str:
    """Return a line for each sample."""
    headings: dict[str, Side] = dict.fromkeys(("keyword", "says", "for example", "is read", "line"), "left")
    return Table.of_lines(headings, list(_lines()), markup=True).to_markdown()


def _lines() -> Iterator[tuple[str, ...]]:
    for sample in SAMPLES:
        how, line = sample.read
        names = ", ".join(f"`{name}`" for name in sample.keywords.split(", "))
        yield names, sample.what, f"`{json.dumps(sample.schema)}`".replace("|", "\\|"), how, escaped(line)
