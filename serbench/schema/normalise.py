"""Brings a JSON document into the neutral form of the schema that was inferred from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from serbench.schema.types import List, Map, Optional, Ref, Scalar, Schema, SchemaError, Type

_Convert: TypeAlias = Callable[[Any], Any]


def normalise(document: object, schema: Schema) -> Any:
    """The document as the neutral value of a schema inferred from it (or from one of the same shape).

    Objects become new dicts with every field; parts that need no change are shared, not copied.

    Raises:
        SchemaError: the document has an object, key or number where the schema has none, or the
            schema has a type that JSON lacks.
    """
    try:
        convert = _converter(schema.root, _record_converters(schema))
        return document if convert is None else convert(document)
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


def _record_converters(schema: Schema) -> dict[str, _Convert]:
    plans: dict[str, list[tuple[str, _Convert | None]]] = {record.name: [] for record in schema.records}
    converters = {name: _record_converter(name, plan) for name, plan in plans.items()}
    for record in schema.records:
        plans[record.name] += [(f.wire, _converter(f.type, converters)) for f in record.fields]
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


def _converter(type_: Type, records: dict[str, _Convert]) -> _Convert | None:
    """What brings a value of the type into neutral form, or None if that is the value as it stands."""
    match type_:
        case Scalar("any" | "str" | "int" | "bool"):
            return None
        case Scalar("float"):
            return _to_float
        case Optional(item):
            inner = _converter(item, records)
            return inner and _optional(inner)
        case List(Scalar("float")):
            return _to_floats
        case List(item):
            inner = _converter(item, records)
            return inner and _each(inner)
        case Map(item):
            inner = _converter(item, records)
            return inner and _each_value(inner)
        case Ref(name):
            return records[name]
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


def _to_float(value: Any) -> Any:
    if type(value) is float:
        return value
    return float(_checked(value, int))


def _to_floats(value: Any) -> Any:
    if set(map(type, _checked(value, list))) <= {float}:
        return value
    return list(map(_to_float, value))
