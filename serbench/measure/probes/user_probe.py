"""Wrong inputs for a class of the user's own: one record of its data, wrong in one field at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serbench.measure.probes.values.wrong import MISSING, StrictnessTest, WrongInput
from serbench.model.records import Record, Schema
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type

_CLASSES = {"decimal": "Decimal", "uuid": "UUID", "naive_datetime": "datetime", **dict.fromkeys(INTEGER_KINDS, "int")}
_CONTAINERS: dict[type, tuple[str, ...]] = {
    **dict.fromkeys((List, Tuple), ("list", "tuple")),
    Set: ("set", "frozenset"),
    Map: ("dict",),
}
_WRONG: dict[str, tuple[Any, ...]] = {
    "str": (12, None),
    **dict.fromkeys(INTEGER_KINDS, ("x", "12", 1.5)),
    "float": ("x", "1.5"),
    "bool": ("maybe", "true"),
    "bytes": (12,),
    "any": (),
}
_NO_TEXT = "no such value"
_MOST_WRONG = 400


def user_probe(schema: Schema, value: Any) -> StrictnessTest | None:
    """A test with a document's first record and wrong versions of it; None if the document has no record."""
    item, first = schema.root, value
    if isinstance(schema.root, List):
        item, first = schema.root.item, value[0] if value else None
    if not isinstance(item, Ref) or first is None:
        return None
    wrong = list(_wrong(schema, item.record, first, (), set()))
    return StrictnessTest("user", Schema(item, schema.records), first, _some(wrong), of_user=True)


def _some(wrong: list[WrongInput]) -> tuple[WrongInput, ...]:
    """All wrong inputs, or evenly spread ones of a class of hundreds of fields, which are enough to tell its work class."""
    step = -(-len(wrong) // _MOST_WRONG) or 1
    return tuple(wrong[::step])


def _wrong(
    schema: Schema, name: str, value: dict[str, Any], path: tuple[tuple[str, str | int], ...], seen: set[str]
) -> Iterator[WrongInput]:
    """The record with a wrong value for each of its fields, and for those of the records in them, once for each class."""
    if name in seen:
        return
    seen.add(name)
    record: Record = schema.record(name)
    for f in record.fields:
        here = (*path, (f.name, f.wire))
        where = ".".join(str(key) for _, key in here)
        type_ = f.type.item if isinstance(f.type, Optional) else f.type
        right = _right(type_)
        if right is None:
            continue
        for wrong in _values(type_):
            if wrong is not None or type_ is f.type:
                yield WrongInput(f"{where}: {wrong!r}", here, wrong, right)
        if f.required:  # the right type is then that of a default which no schema can say
            yield WrongInput(f"{where}: missing", here, MISSING, right)
        inner = value[f.wire]
        if isinstance(type_, List) and isinstance(type_.item, Ref) and inner:
            yield from _wrong(schema, type_.item.record, inner[0], (*here, ("", 0)), seen)
        elif isinstance(type_, Ref) and inner is not None:
            yield from _wrong(schema, type_.record, inner, here, seen)


def _values(type_: Type) -> tuple[Any, ...]:
    if isinstance(type_, Scalar):
        return _WRONG.get(type_.kind, (_NO_TEXT,))
    return ("ab", 5) if isinstance(type_, List | Set | Tuple) else (_NO_TEXT,)


def _right(type_: Type) -> tuple[str, ...] | None:
    """The names of the classes that values of the type have; None for one that anything may be."""
    match type_:
        case Scalar("any"):
            return None
        case Scalar(kind):
            return (_CLASSES.get(kind, kind),)
        case Enum(name):
            return (name,)
        case Ref(name):
            return (name, "dict")
        case _:
            return _CONTAINERS.get(type(type_))
