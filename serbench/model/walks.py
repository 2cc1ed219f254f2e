"""Walks a value along its type, neutral or as JSON has it: its parts, with their paths and types, and the member of a union that it is of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, TypeAlias

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import Enum, List, Map, Optional, Ref, Schema, Set, Tuple, Type, Union, bare, kind_of
from serbench.model.scalars import Scalar

Path: TypeAlias = tuple[str | int, ...]


def walk_value(schema: Schema, type_: Type, value: Any) -> Iterator[tuple[Path, Type, Any]]:
    """Yield the value and every value inside it, each with its path and type, outer before inner.

    A value of an optional type or of a union is yielded again as one of the type inside or of its member. What does not
    have its type has no values inside.
    """
    todo: list[tuple[Path, Type, Any]] = [((), type_, value)]
    while todo:
        path, type_, value = todo.pop()
        yield path, type_, value
        todo += [((*path, *step), inner, part) for step, inner, part in _inside(schema, type_, value)][::-1]


def _inside(schema: Schema, type_: Type, value: Any) -> Iterator[tuple[Path, Type, Any]]:
    match type_:
        case Optional(item) if value is not None:
            yield (), item, value
        case List(item) | Set(item) if isinstance(value, list | set):
            yield from (((index,), item, part) for index, part in enumerate(value))
        case Tuple(items) if isinstance(value, list | tuple):
            yield from (((index,), *pair) for index, pair in enumerate(zip(items, value, strict=False)))
        case Map(item) if isinstance(value, dict):
            yield from (((key,), item, part) for key, part in value.items())
        case Ref(name) if isinstance(value, dict):
            fields = schema.record(name).fields
            yield from (((f.wire,), f.type, value[f.wire]) for f in fields if f.wire in value)
        case Union() if (member := member_of(schema, type_, value)) is not None:
            yield (), member, value


def at(value: Any, path: Path) -> Any:
    """The part at a path in a value; None if it is not there, or within a set."""
    with suppress(KeyError, IndexError, TypeError):
        for key in path:
            value = value[key]
        return value
    return None


def replaced(document: Any, path: Path, value: Any) -> Any:
    """A document with another part at a path; the rest is shared."""
    if not path:
        return value
    key: Any = path[0]
    rest = path[1:]
    if isinstance(document, tuple):
        return tuple(replaced(one, rest, value) if index == key else one for index, one in enumerate(document))
    copy = document.copy()
    copy[key] = replaced(copy[key], rest, value)
    return copy


def member_of(schema: Schema, union: Union, value: Any) -> Type | None:
    """The member of a union that a value is of: by its tag, its keys or its class; None if there is none."""
    refs = (member for member in union.members if isinstance(member, Ref))
    if union.tag is not None:
        tag = value.get(union.tag) if isinstance(value, dict) else None
        return next((ref for ref in refs if schema.record(ref.record).tag_value == tag), None)
    if not isinstance(value, dict):
        alike = (member for member in union.members if neutral_class(member) is type(value))
        as_list = (member for member in union.members if isinstance(value, list) and isinstance(member, Set | Tuple))
        return next(chain(alike, as_list), None)
    others = [member for member in union.members if isinstance(member, Map | Union)]
    known = list(refs)
    fitting = [ref for ref in known if _has_keys(schema, ref, value)] or others or known[: len(known) == 1]
    return next(iter(fitting), None)


def _has_keys(schema: Schema, ref: Ref, value: dict[str, Any]) -> bool:
    record = schema.record(ref.record)
    needed, known = {f.wire for f in record.fields if f.required}, {f.wire for f in record.fields}
    return not record.root and needed <= value.keys() <= known


def neutral_class(type_: Type) -> type:
    """Return the Python class of a type's neutral values; for an optional type, that of values other than None."""
    match bare(type_):
        case Scalar(kind):
            return KINDS[kind].cls or object
        case Enum(_, members):
            return type(members[0][1])
    return {"list": list, "set": set, "tuple": tuple}.get(kind_of(bare(type_)), dict)


def json_type(type_: Type) -> type:
    """Return the Python type that a union member's values have in a parsed document."""
    class_ = neutral_class(type_)
    return list if class_ in (set, tuple) else class_ if class_ in (int, float, bool, list, dict) else str
