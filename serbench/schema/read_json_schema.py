"""Reads JSON Schemas, written by serbench or not, into schemas."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from serbench.errors import SchemaError
from serbench.schema.metaschema import TYPES, check_json_schema, short
from serbench.schema.names import field_name, function_key, record_name
from serbench.schema.normalise import check_defaults
from serbench.schema.records import REQUIRED, Field, Record, Schema
from serbench.schema.scalars import ANY, BOOL, CLASSES, FLOAT, INT, STR, Scalar
from serbench.schema.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union

_FORMATS = {
    "string": {"date-time": "datetime", "date": "date", "time": "time", "duration": "timedelta", "uuid": "uuid"},
    "integer": {"uint64": "uint64"},
}
_TYPES = {"string": STR, "integer": INT, "number": FLOAT, "boolean": BOOL}
_DEEPEST = 100  # types inside one another, and chained references
_MOST_TYPES = 20_000  # that are read, those behind a reference each time


_TOO_DEEP = (
    f"the JSON Schema is nested more than {_DEEPEST} types deep, or contains itself other than in an object's properties; "
    "flatten it, or describe the inner part as {}"
)


def from_json_schema(document: object, name: str = "Record") -> Schema:
    """Return the schema that a JSON Schema describes; `name` names a root that has no title.

    Supported are `type`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `anyOf`, `oneOf`
    with `discriminator` or with a constant in one property, `allOf` of objects, `enum`, `const`, `format`,
    `$ref` within the document and `default`. Constraints such as `pattern` and `maximum` are ignored.

    Raises:
        SchemaError: the document is not a JSON Schema, refers to another document, or is too deep or too large.
    """
    check_json_schema(document)
    reading = _JsonSchemaReader(document)
    try:
        schema = Schema(reading.type(reading.document, name), tuple(reading.records.values()))
    except RecursionError:
        raise SchemaError(_TOO_DEEP) from None
    check_defaults(schema)
    return schema


class _JsonSchemaReader:
    """Reads one JSON Schema; `records` collects the record types it finds."""

    def __init__(self, document: object) -> None:
        self.document = document
        self.records: dict[str, Record] = {}
        self._names: dict[int, str] = {}  # id() of a subschema → its record name
        self._taken: set[str] = set()
        self._targets: dict[str, object] = {}  # reference → what it refers to
        self._variants: dict[tuple[int, str], dict[str, Any]] = {}  # of a subschema: with one of its types alone
        self._merges: dict[int, dict[str, Any]] = {}  # id() of a subschema → it with those of its `allOf`
        self._depth = self._read = 0

    def type(self, part: object, name: str, tag: str | None = None) -> Type:
        """Return the type that a subschema describes; `name` names a record that has no title."""
        self._read += 1
        if self._read > _MOST_TYPES:
            raise SchemaError(
                f"the JSON Schema has more than {_MOST_TYPES:,} types; describe a part of the data as {{}}"
            )
        if self._depth > _DEEPEST:
            raise SchemaError(_TOO_DEEP)
        self._depth += 1
        found = self._type(part, name, tag)
        self._depth -= 1
        return found

    def _type(self, part: object, name: str, tag: str | None) -> Type:
        part, name = self._resolved(part, name)
        part = self._merged(part)
        if "enum" in part or "const" in part:
            return self._enum(part, name)
        options = part.get("anyOf", part.get("oneOf"))
        if options is not None:
            return self._union(part, list(_list(options, "anyOf")), name)
        kinds = part.get("type")
        if isinstance(kinds, list):
            return self._union(
                {}, [{"type": kind} if kind == "null" else self._variant(part, type=kind) for kind in kinds], name
            )
        if part.get("nullable") is True:
            return Optional(self.type(self._variant(part, nullable=False), name, tag))
        if kinds == "object" or "properties" in part:
            return self._object(part, name, tag)
        if kinds == "array" or "items" in part or "prefixItems" in part:
            return self._array(part, name)
        return self._scalar(part, kinds)

    def _variant(self, part: dict[str, Any], **changed: Any) -> dict[str, Any]:
        """Return the subschema with a keyword changed: the same one each time, so that a record may refer to itself."""
        return self._variants.setdefault((id(part), str(changed)), {**part, **changed})

    def _scalar(self, part: dict[str, Any], kind: object) -> Type:
        if "x-kind" in part:
            return Scalar(str(part["x-kind"]))
        if kind in (None, "null"):
            return ANY
        if not isinstance(kind, str) or kind not in _TYPES:  # below a keyword that is newer than the schema's draft
            raise SchemaError(f"the JSON Schema has an unknown type {short(kind)}; use {', '.join(TYPES)}")
        if kind == "string" and part.get("contentEncoding") == "base64":
            return Scalar("bytes")
        known = _FORMATS.get(str(kind), {}).get(str(part.get("format")))
        return Scalar(known) if known else _TYPES[str(kind)]

    def _resolved(self, part: object, name: str) -> tuple[dict[str, Any], str]:
        for _ in range(_DEEPEST):
            if part is True:
                return {}, name
            if not isinstance(part, dict):
                raise SchemaError(f"the JSON Schema has {short(part)} in place of a subschema; make it an object")
            if "$ref" not in part:
                return part, str(part.get("title") or name)
            reference = str(part["$ref"])
            name = reference.rpartition("/")[2] or name
            part = self._target(reference)
        raise SchemaError("the JSON Schema has a reference that resolves to itself; replace it by a type")

    def _target(self, reference: str) -> object:
        """Return what a reference refers to, which may stand where the metaschema expects no subschema."""
        if reference in self._targets:
            return self._targets[reference]
        if reference != "#" and not reference.startswith("#/"):
            raise SchemaError(f"the JSON Schema refers to {short(reference)}; copy the target into the same document")
        found: Any = self.document
        for step in reference[2:].split("/") if len(reference) > 1 else []:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                raise SchemaError(f"the JSON Schema refers to {short(reference)}, which does not exist; correct it")
        check_json_schema(found, reference)
        self._targets[reference] = found
        return found

    def _merged(self, part: dict[str, Any]) -> dict[str, Any]:
        """Merge the subschemas of `allOf` into the subschema."""
        if "allOf" not in part:
            return part
        if id(part) in self._merges:
            return self._merges[id(part)]
        parts = [self._merged(self._resolved(each, "")[0]) for each in _list(part["allOf"], "allOf")]
        found: dict[str, Any] = {}
        for each in (*parts, {key: value for key, value in part.items() if key != "allOf"}):
            properties = {**found.get("properties", {}), **each.get("properties", {})}
            required = [*found.get("required", []), *each.get("required", [])]
            found = {**found, **each}
            if properties:
                found |= {"properties": properties, "required": required}
        self._merges[id(part)] = found  # all references share one record
        return found

    def _enum(self, part: dict[str, Any], name: str) -> Type:
        values = _distinct(_list(part.get("enum", [part.get("const")]), "enum"))
        rest = [value for value in values if value is not None]
        kinds = {type(value) for value in rest}
        if not rest or kinds not in ({str}, {int}) or "const" in part:
            return CLASSES.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY
        given = _list(part["x-names"], "x-names") if "x-names" in part else []
        members: dict[str, str | int] = {}
        for index, value in enumerate(rest):
            text = given[index] if index < len(given) else str(value).upper() if isinstance(value, str) else f"V{value}"
            members[field_name(str(text), members)] = value
        enum = Enum(
            self._class_name(str(part.get("title") or f"{name}_enum" if name in self._taken else name)),
            tuple(members.items()),
        )
        return Optional(enum) if None in values else enum

    def _union(self, part: dict[str, Any], options: list[Any], name: str) -> Type:
        some = [option for option in options if option != {"type": "null"}]
        if not some:
            return ANY
        tag = self._tag(part, some)
        members = list(dict.fromkeys(self.type(option, name, tag) for option in some))
        if ANY in members:
            return ANY
        type_: Type = members[0] if len(members) == 1 else Union(tuple(members), tag)
        return type_ if len(some) == len(options) else Optional(type_)

    def _tag(self, part: dict[str, Any], options: list[Any]) -> str | None:
        """Return the key that has a different constant text in each of the objects, or None."""
        found = [self._merged(self._resolved(option, "")[0]) for option in options]
        if len(found) < 2 or not all("properties" in each for each in found):
            return None
        named = part.get("discriminator")  # in OpenAPI 2 the key itself
        named = named.get("propertyName") if isinstance(named, dict) else named
        for key in [named] if isinstance(named, str) else list(found[0]["properties"]):
            values = {_constant(each["properties"].get(key)) for each in found}
            if None not in values and len(values) == len(found):
                return str(key)
        return None

    def _object(self, part: dict[str, Any], name: str, tag: str | None) -> Type:
        properties = part.get("properties")
        if not properties:
            patterns = part.get("patternProperties")
            value = next(iter(patterns.values())) if patterns else part.get("additionalProperties", True)
            return Map(ANY if isinstance(value, bool) else self.type(value, name))
        if not isinstance(properties, dict):
            raise SchemaError(f"{name}: the JSON Schema's properties must be an object")
        if id(part) in self._names:
            return Ref(self._names[id(part)])
        class_name = self._names[id(part)] = self._class_name(name)
        self.records[class_name] = Record(class_name, ())  # placeholder, so that the record may refer to itself
        fields: list[Field] = []
        names: set[str] = {tag} if tag else set()
        for key, described in properties.items():
            if key != tag:
                f = self._field(key, described, key in part.get("required", []), names)
                names.add(f.name)
                fields.append(f)
        value = _constant(properties[tag]) if tag else None
        self.records[class_name] = Record(class_name, tuple(sorted(fields, key=lambda f: not f.required)), value)
        return Ref(class_name)

    def _field(self, key: str, described: Any, required: bool, taken: set[str]) -> Field:
        options = described if isinstance(described, dict) else {}
        type_ = self.type(described, key)
        default = options.get("default", REQUIRED if required else None)
        if default is None and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        if isinstance(type_, Optional) and not required:
            default = options.get("default")
        name = str(options.get("x-name") or field_name(key, taken))
        return Field(name, type_, None if name == key else key, default)

    def _array(self, part: dict[str, Any], name: str) -> Type:
        word = "items" if isinstance(part.get("items"), list) else "prefixItems"  # its name before draft 2020-12
        if word in part:
            return Tuple(tuple(self.type(each, name) for each in _list(part[word], word)))
        item = self.type(part.get("items", True), name)
        if part.get("uniqueItems") is True and isinstance(item, Scalar | Enum) and item != ANY:
            return Set(item)
        return List(item)

    def _class_name(self, name: str) -> str:
        chosen = record_name(name, self._taken)
        self._taken |= {chosen, function_key(chosen)}
        return chosen


def _constant(part: object) -> str | None:
    """Return the only text that a subschema allows, or None."""
    if not isinstance(part, dict):
        return None
    values = [part["const"]] if "const" in part else part.get("enum", [])
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def _distinct(values: list[Any]) -> list[Any]:
    """Return the values without repetitions; 1 and true are two."""
    return list({repr(value): value for value in values}.values())


def _list(value: object, keyword: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise SchemaError(f"the JSON Schema's {keyword} must be a non-empty list")
    return value
