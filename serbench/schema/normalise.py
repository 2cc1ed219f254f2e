"""Brings a JSON document into the neutral form of the schema that was inferred from it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

from serbench.schema.texts import READERS
from serbench.schema.types import List, Map, Optional, Ref, Scalar, Schema, SchemaError, Type, Union

_Convert: TypeAlias = Callable[[Any], Any]


def normalise(document: object, schema: Schema) -> Any:
    """The document as the neutral value of a schema inferred from it (or from one of the same shape).

    Objects become new dicts with every field; parts that need no change are shared, not copied.

    Raises:
        SchemaError: the document has an object, key or number where the schema has none, or the
            schema has a type that JSON lacks.
    """
    try:
        convert = _converter(schema.root, schema, _record_converters(schema))
        return document if convert is None else convert(document)
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


def _record_converters(schema: Schema) -> dict[str, _Convert]:
    plans: dict[str, list[tuple[str, _Convert | None]]] = {record.name: [] for record in schema.records}
    converters = {name: _record_converter(name, plan) for name, plan in plans.items()}
    for record in schema.records:
        if record.name in schema.tags:
            plans[record.name].append((schema.tags[record.name], None))
        plans[record.name] += [(f.wire, _converter(f.type, schema, converters)) for f in record.fields]
    return converters


def _record_converter(name: str, plan: list[tuple[str, _Convert | None]]) -> _Convert:
    def convert(value: Any) -> Any:
        get = _checked(value, dict).get
        found = {}
        for wire, inner in plan:
            item = get(wire)
            found[wire] = item if inner is None else inner(item)
        if not value.keys() <= found.keys():
            surplus = next(key for key in value if key not in found)
            raise SchemaError(f"record {name}: no field for the key {surplus!r}")
        return found

    return convert


def _converter(type_: Type, schema: Schema, records: dict[str, _Convert]) -> _Convert | None:
    """What brings a value of the type into neutral form, or None if that is the value as it stands."""
    match type_:
        case Scalar("any" | "str" | "int" | "bigint" | "bool"):
            return None
        case Scalar("float"):
            return _to_float
        case Scalar(kind) if kind in READERS:
            return _from_text(kind)
        case Optional(item):
            inner = _converter(item, schema, records)
            return inner and _optional(inner)
        case List(Scalar("float")):
            return _to_floats
        case List(item):
            inner = _converter(item, schema, records)
            return inner and _each(inner)
        case Map(item):
            inner = _converter(item, schema, records)
            return inner and _each_value(inner)
        case Ref(name):
            return records[name]
        case Union(members, tag) if tag is not None:
            tagged = {schema.record(m.record).tag_value: records[m.record] for m in members if isinstance(m, Ref)}
            return _by_tag(tag, tagged)
        case Union(members):
            return _by_kind({_json_type(m): _converter(m, schema, records) for m in members})
        case _:
            raise SchemaError(f"{type(type_).__name__.lower()}: not a type that JSON has; use one that infer() gives")


def _optional(inner: _Convert) -> _Convert:
    return lambda value: None if value is None else inner(value)


def _each(inner: _Convert) -> _Convert:
    return lambda value: list(map(inner, _checked(value, list)))


def _each_value(inner: _Convert) -> _Convert:
    return lambda value: {key: inner(item) for key, item in _checked(value, dict).items()}


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise SchemaError(f"the document has {type(value).__name__} where the schema has {kind.__name__}")
    return value


def _json_type(type_: Type) -> type:
    """The Python type of a member's values in a parsed document."""
    match type_:
        case Scalar("int" | "bigint" | "float" | "bool" as kind):
            return {"float": float, "bool": bool}.get(kind, int)
        case List():
            return list
        case Ref() | Map() | Union():
            return dict
        case _:
            return str


def _by_kind(converters: dict[type, _Convert | None]) -> _Convert:
    if float in converters:
        converters.setdefault(int, converters[float])

    def convert(value: Any) -> Any:
        if type(value) not in converters:
            kinds = ", ".join(sorted(kind.__name__ for kind in converters))
            raise SchemaError(f"the document has {type(value).__name__} where the schema has {kinds}")
        inner = converters[type(value)]
        return value if inner is None else inner(value)

    return convert


def _by_tag(tag: str, converters: dict[str | None, _Convert]) -> _Convert:
    def convert(value: Any) -> Any:
        convert_member = converters.get(_checked(value, dict).get(tag))
        if convert_member is None:
            known = ", ".join(sorted(filter(None, converters)))
            raise SchemaError(f"the document has {value.get(tag)!r} as {tag!r} where the schema has {known}")
        return convert_member(value)

    return convert


def _from_text(kind: str) -> _Convert:
    """From a text, or from the value itself where the format of the document has such."""
    class_, read = READERS[kind]

    def convert(value: Any) -> Any:
        if isinstance(value, class_):
            return value.astimezone(UTC) if isinstance(value, datetime) and kind == "datetime" else value
        try:
            return read(_checked(value, str))
        except ValueError:
            raise SchemaError(f"the document has the text {value[:60]!r} where the schema has {kind}") from None

    return convert


def _to_float(value: Any) -> Any:
    if type(value) is float:
        return value
    return float(_checked(value, int))


def _to_floats(value: Any) -> Any:
    if set(map(type, _checked(value, list))) <= {float}:
        return value
    return list(map(_to_float, value))
