"""Records that are drawn for a class of the user's: their least values, and the values in them by path."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from serbench.model.records import REQUIRED, Field
from serbench.model.scalars import INTEGER_KINDS, INTEGERS, Scalar
from serbench.model.types import Enum, List, Map, Optional, Set, Type
from serbench.render.user_class.messages import Path

EMPTY = (Optional, List, Map, Set)  # types that have an empty value
_PLAIN = ("str", *INTEGER_KINDS, "float", "bool", "any", "path", "foreign", "opaque")  # whose defaults are JSON
_ORDERED = (int, float, Decimal, date, datetime, time)


def least_of(field: Field) -> Any:
    """The least value of a field: none, an empty one, or its default; `REQUIRED` if it must have another."""
    if isinstance(field.type, EMPTY):
        return {Optional: None, List: [], Map: {}, Set: set()}[type(field.type)]
    if not isinstance(field.type, Enum) and getattr(field.type, "kind", "") not in _PLAIN:
        return REQUIRED
    return field.default if not field.required else field.fill


def fitting(type_: Type, examples: Any) -> list[Any]:
    """The examples of a field that are values of its type as it stands in a document."""
    kinds = {"str": str, "float": float, **dict.fromkeys((one.kind for one in INTEGERS), int)}
    class_ = kinds.get(type_.kind) if isinstance(type_, Scalar) else None
    return [one for one in examples or () if type(one) is class_] if isinstance(examples, list | tuple) else []


def at(value: Any, path: Path) -> Any:
    """The value at a path in an item; None if it is not there."""
    with suppress(KeyError, IndexError, TypeError):  # of another draw; or within a set
        for key in path:
            value = value[key]
        return value
    return None


def equal(record: dict[str, Any]) -> dict[str, Any]:
    """A record with one value for all of a class that has an order, so that none is below another."""
    first: dict[type, Any] = {}
    for value in record.values():
        if type(value) in _ORDERED:
            first.setdefault(type(value), value)
    return {key: first.get(type(value), value) for key, value in record.items()}


def replaced(document: Any, path: Sequence[str | int], value: Any) -> Any:
    """A document with another value at a path."""
    if not path:
        return value
    key, *rest = path
    if isinstance(document, tuple):
        return tuple(replaced(one, rest, value) if index == key else one for index, one in enumerate(document))
    copy = document.copy()
    copy[key] = replaced(copy[key], rest, value)
    return copy
