"""Schemas as JSON Schema: written so that people can edit them, and read from serbench or from elsewhere.

What JSON Schema has no word for stands in keywords of its own, which other readers ignore: `x-kind`
for a scalar such as a naive datetime, `x-name` for the Python name of a key that is no name itself.
"""

from __future__ import annotations

import re
from typing import Any

from serbench.schema.types import (
    Enum,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_WORDS: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "uint64": {"type": "integer", "format": "uint64"},
    "bigint": {"type": "integer", "x-kind": "bigint"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
    "datetime": {"type": "string", "format": "date-time"},
    "naive_datetime": {"type": "string", "x-kind": "naive_datetime"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "decimal": {"type": "string", "x-kind": "decimal"},
    "uuid": {"type": "string", "format": "uuid"},
    "any": {},
}


def to_json_schema(schema: Schema) -> dict[str, Any]:
    """The schema as a JSON Schema of draft 2020-12."""
    found = {"$schema": DRAFT, **_written(schema.root, schema)}
    if schema.records:
        found["$defs"] = {record.name: _written_record(record, schema) for record in schema.records}
    return found


def _written(type_: Type, schema: Schema) -> dict[str, Any]:
    match type_:
        case Scalar(kind):
            return dict(_WORDS[kind])
        case Enum(name, members):
            return {"title": name, "enum": [value for _, value in members], "x-names": [name for name, _ in members]}
        case Optional(item):
            inner = _written(item, schema)
            return (
                {"anyOf": [*inner["anyOf"], {"type": "null"}]}
                if "anyOf" in inner
                else {"anyOf": [inner, {"type": "null"}]}
            )
        case List(item):
            return {"type": "array", "items": _written(item, schema)}
        case Set(item):
            return {"type": "array", "uniqueItems": True, "items": _written(item, schema)}
        case Tuple(items):
            parts = [_written(item, schema) for item in items]
            return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
        case Map(value):
            return {"type": "object", "additionalProperties": _written(value, schema)}
        case Ref(name):
            return {"$ref": f"#/$defs/{name}"}
        case Union(members, None):
            return {"anyOf": [_written(member, schema) for member in members]}
        case Union(members, tag):
            mapping = {schema.record(m.record).tag_value: f"#/$defs/{m.record}" for m in members if isinstance(m, Ref)}
            refs = [_written(member, schema) for member in members]
            return {"oneOf": refs, "discriminator": {"propertyName": tag, "mapping": mapping}}


def _written_record(record: Record, schema: Schema) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if record.name in schema.tags:
        properties[schema.tags[record.name]] = {"const": record.tag_value}
    for f in record.fields:
        properties[f.wire] = _written(f.type, schema)
        if f.alias is not None:
            properties[f.wire]["x-name"] = f.name
        if not f.required and f.default is not None:
            properties[f.wire]["default"] = f.default
    required = [key for key in properties if key in schema.tags.values() or key not in _absent(record)]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _absent(record: Record) -> set[str]:
    return {f.wire for f in record.fields if not f.required}


def is_json_schema(document: object) -> bool:
    """Whether a document says that it is a JSON Schema."""
    return isinstance(document, dict) and bool(re.search(r"json-schema\.org", str(document.get("$schema", ""))))
