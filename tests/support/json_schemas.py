"""Draws JSON Schemas of every form that an object, an array or a value may have, and documents that they allow."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import jsonschema_rs
from hypothesis import strategies as st
from schema_documents import Drawing

KEYS = ["a", "b", "c", "kind", "x-y"]
SMALL = 6
"""The depth at which documents begin, so that they end soon."""
DRAFTS = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
_PLAIN: list[dict[str, Any]] = [
    *({"type": kind} for kind in ("string", "integer", "number", "boolean")),
    {"type": ["string", "null"]},
    {"type": ["integer", "string", "null"]},
    {"type": "string", "format": "date"},
    {"enum": ["p", "q"]},
    {"enum": ["p", None]},
    {"enum": [1, 2]},
    {"enum": [1, "p", True]},
    {"const": "p"},
    {"const": 3},
    {"type": "string", "maxLength": 3, "pattern": "^[a-z2]"},
    {"type": "integer", "minimum": 0},
    {"anyOf": [{"type": "string"}, {"type": "number"}]},
]
plain = st.sampled_from(_PLAIN).map(copy.deepcopy)


@st.composite
def json_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A JSON Schema with definitions that refer to one another."""
    inner = {name: draw(_objects(("One", "Two"))) for name in ("One", "Two")}
    root = draw(_objects(("One", "Two")) | _parts(("One", "Two")))
    return {"$schema": draw(st.sampled_from(DRAFTS)), **root, "definitions": inner}


def _parts(names: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[dict[str, Any]]:
    """A subschema of any form."""
    refs = st.sampled_from([{"$ref": f"#/definitions/{name}"} for name in names]).map(copy.deepcopy)
    if depth == 0:
        return plain | refs
    inner = _parts(names, depth - 1)
    return st.one_of(
        plain,
        refs,
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"uniqueItems": st.just(True)}),
        st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": inner}),
        st.builds(
            lambda one: {"type": "object", "patternProperties": {"^[a-z]$": one}, "additionalProperties": False}, inner
        ),
        st.builds(_tuple, inner, inner, st.booleans()),
        st.builds(lambda *some: {"anyOf": list(some)}, inner, inner),
        st.builds(lambda one, two: {"allOf": [one, two]}, inner, st.just({}) | inner),
        _objects(names, depth - 1),
    )


def _tuple(one: dict[str, Any], two: dict[str, Any], fixed: bool) -> dict[str, Any]:
    bounds = {"minItems": 2, "maxItems": 2} if fixed else {}
    return {"type": "array", "items": [one, two], "x-first": [one, two], **bounds}


@st.composite
def _objects(draw: st.DrawFn, names: tuple[str, ...], depth: int = 1) -> dict[str, Any]:
    """An object with properties, and keywords beside them that say more of it."""
    part = _parts(names, depth) if depth else plain
    properties = st.dictionaries(st.sampled_from(KEYS), part, min_size=1, max_size=3)
    keys = st.lists(st.sampled_from(KEYS), max_size=2, unique=True)
    found: dict[str, Any] = {"type": "object", "properties": draw(properties), "required": draw(keys)}
    beside = draw(
        st.sampled_from(["", "$ref", "required", "tagged", "untagged", "if", "dependent", "allOf", "further", "closed"])
    )
    if beside == "required":
        found[draw(st.sampled_from(["anyOf", "oneOf"]))] = [{"required": [key]} for key in draw(keys) or ["a"]]
    elif beside in ("tagged", "untagged"):
        options = [{"type": "object", "properties": draw(properties), "required": draw(keys)} for _ in range(2)]
        if beside == "tagged":
            for value, option in zip("pq", options, strict=True):
                option["properties"]["kind"] = {"const": value}
                option["required"] = sorted({*option["required"], "kind"})
        found[draw(st.sampled_from(["anyOf", "oneOf"]))] = options
    elif beside == "if":
        found |= {"if": {"properties": {"kind": {"const": "p"}}}, "then": {"required": draw(keys)}}
        found |= {"else": {"type": "object", "properties": draw(properties)}} if draw(st.booleans()) else {}
    elif beside == "dependent":
        found["dependentSchemas"] = {"a": {"type": "object", "properties": draw(properties), "required": draw(keys)}}
    elif beside == "allOf":
        found["allOf"] = [{"$ref": f"#/definitions/{draw(st.sampled_from(names))}"}, {"properties": draw(properties)}]
    elif beside == "$ref":
        found["$ref"] = f"#/definitions/{draw(st.sampled_from(names))}"
    elif beside == "further":
        found["additionalProperties"] = draw(plain)
    elif beside == "closed":
        found["additionalProperties"] = False
    return found


@st.composite
def accepted(draw: st.DrawFn) -> tuple[dict[str, Any], list[Any]]:
    """A JSON Schema, and documents that the validator accepts, without keys of which the schema says nothing."""
    schema = draw(json_schemas())
    newest = _newest(schema, older=schema["$schema"] == DRAFTS[1])
    if schema["$schema"] == DRAFTS[0]:
        schema = newest
    closed = _closed({**newest, "$schema": DRAFTS[0]}, inside=True)
    validators = [jsonschema_rs.validator_for(one) for one in (schema, closed)]
    definitions, random = newest["definitions"], Random(draw(st.integers(0, 2**32)))
    drawing = Drawing(lambda reference, root: (definitions[reference.rpartition("/")[2]], root), random)
    drawn = [drawing.value(newest, SMALL) for _ in range(4)]
    return schema, [one for one in drawn if all(validator.is_valid(one) for validator in validators)]


def _newest(part: Any, *, older: bool) -> Any:
    """The same schema in the newest draft: with `prefixItems` for a list of `items`, without what stands beside `$ref`."""
    if isinstance(part, list):
        return [_newest(one, older=older) for one in part]
    if not isinstance(part, dict):
        return part
    if older and "$ref" in part:
        part = {key: part[key] for key in part if key in ("$ref", "$schema", "definitions")}
    if "x-first" in part:
        part = {"prefixItems": part["x-first"], **{key: part[key] for key in part if key not in ("items", "x-first")}}
    return {key: _newest(one, older=older) for key, one in part.items()}


_INSIDE = ("properties", "patternProperties")  # values of what these hold are other values than the document


def _closed(part: Any, *, inside: bool) -> Any:
    """The schema that forbids keys of which the schema says nothing, in every object `inside` another value or at the root."""
    if not isinstance(part, dict):
        return part
    found = {}
    for key, held in part.items():
        if key in _INSIDE:
            found[key] = {name: _closed(one, inside=True) for name, one in held.items()}
        elif key in ("items", "additionalProperties"):
            found[key] = _closed(held, inside=True)
        elif key in ("prefixItems", "allOf", "anyOf", "oneOf"):
            found[key] = [_closed(one, inside=key == "prefixItems") for one in held]
        elif key in ("if", "then", "else"):
            found[key] = _closed(held, inside=False)
        elif key in ("definitions", "dependentSchemas"):
            found[key] = {name: _closed(one, inside=False) for name, one in held.items()}
        else:
            found[key] = held
    return {**found, "unevaluatedProperties": False} if inside else found
