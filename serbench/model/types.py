"""Schema types: scalars, containers, records and unions.

A *neutral value* of a type is made of plain Python values:

- a scalar is a `str`, `int` ("int" is signed 64-bit, "uint64" unsigned 64-bit, "bigint" unbounded), `float`, `bool`,
  `bytes`, `datetime`, `date`, `time`, `timedelta`, `Decimal` or `UUID`; an enum is its member's *value*; "any JSON" is
  any value that `json.loads` returns;
- a list is a `list`, a tuple a `tuple`, a set a `set`, a map a `dict` with `str` keys;
- a record is a `dict` with one item per field, keyed by the field's *wire* name (its alias, if it has one); absent
  optional fields are present as `None`; a member of a tagged union also holds its tag, as the first item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from serbench.model.scalars import Scalar

_TEXT = Scalar("str")


@dataclass(frozen=True)
class Enum:
    """An enumeration: a class name and (member name, value) pairs; all values are `str` or all are `int`."""

    name: str
    members: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Optional:
    """The item's type, or None."""

    item: Type


@dataclass(frozen=True)
class List:
    """An ordered sequence of any number of items of one type; a class of the user's may hold it as a "tuple"."""

    item: Type
    held: str = "list"


@dataclass(frozen=True)
class Tuple:
    """A fixed number of items, each with its own type."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Set:
    """An unordered collection of distinct scalar or enum items; a class of the user's may hold it as a "frozenset"."""

    item: Type
    held: str = "set"


@dataclass(frozen=True)
class Map:
    """A dictionary with data-dependent keys and values of one type; only in a class of the user's are keys no strings."""

    value: Type
    key: Type = _TEXT


@dataclass(frozen=True)
class Ref:
    """A reference to a record by name; a recursive record refers to itself."""

    record: str


@dataclass(frozen=True)
class Union:
    """One of several types.

    If `tag` is set, every member is a Ref to a record with a `tag_value`, and the wire form holds that value under
    the key `tag`. Otherwise the type of a value determines its member.
    """

    members: tuple[Type, ...]
    tag: str | None = None


Type: TypeAlias = Scalar | Enum | Optional | List | Tuple | Set | Map | Ref | Union


def walk(type_: Type) -> Iterator[Type]:
    """Yield the type and every type inside it, outer before inner; Refs are not followed."""
    yield type_
    match type_:
        case Optional(item) | List(item) | Set(item):
            yield from walk(item)
        case Map(value, key):
            yield from walk(value)
            if key != _TEXT:
                yield from walk(key)
        case Tuple(items) | Union(items):
            for item in items:
                yield from walk(item)


def replace_inner(type_: Type, change: Callable[[Type], Type]) -> Type:
    """Return the type with `change` applied to each type directly inside it."""
    match type_:
        case Optional(item):
            return Optional(change(item))
        case List(item) | Set(item):
            return replace(type_, item=change(item))
        case Map(value):
            return replace(type_, value=change(value))
        case Tuple(items):
            return Tuple(tuple(map(change, items)))
        case Union(members, tag):
            return Union(tuple(map(change, members)), tag)
    return type_
