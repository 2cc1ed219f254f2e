"""Writes schemas as JSON Schema that people can edit.

Two extra keywords, which other readers ignore, hold what JSON Schema cannot express: `x-kind` for a set and for scalars
such as a naive datetime, and `x-name` for the Python name of a key that is not an identifier.
"""

from __future__ import annotations

from typing import Any

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import Enum, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import Scalar

DRAFT = "https://json-schema.org/draft/2020-12/schema"
X_KINDS = {"set": "array"} | {
    kind: row.json_schema["type"] for kind, row in KINDS.items() if "x-kind" in row.json_schema
}
"""What `x-kind` may be, and the JSON type beside it; another reader's word of that name means something else."""


def to_json_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as JSON Schema, draft 2020-12."""
    document = {"$schema": DRAFT, **_written(schema.root, schema)}
    if schema.records:
        document["$defs"] = {record.name: _written_record(record, schema) for record in schema.records}
    return document


def _written(type_: Type, schema: Schema) -> dict[str, Any]:
    match type_:
        case Scalar(kind):
            return dict(KINDS[kind].json_schema)
        case Enum(name, members):
            return {"title": name, "enum": [value for _, value in members], "x-names": [name for name, _ in members]}
        case Optional(item):
            inner = _written(item, schema)
            return {"anyOf": [*inner.get("anyOf", [inner]), {"type": "null"}]}
        case List(item):
            return {"type": "array", "items": _written(item, schema)}
        case Set(item):
            return {"type": "array", "x-kind": "set", "uniqueItems": True, "items": _written(item, schema)}
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
    absent = {f.wire for f in record.fields if not f.required} - set(schema.tags.values())
    required = [key for key in properties if key not in absent]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def is_json_schema(document: object) -> bool:
    """Return whether a document's `$schema` says that it is a JSON Schema."""
    return isinstance(document, dict) and "json-schema.org" in str(document.get("$schema"))
