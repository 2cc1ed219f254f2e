"""Wrong inputs for a class of the user's own: one record of its data, wrong in one field at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from serbench.measure.probes.values.wrong import MISSING, StrictnessTest, WrongInput
from serbench.model.records import Record, Schema
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union

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
_OF_FORM: dict[str, Any] = {"text": _NO_TEXT, "number": 12, "list": [[]]}
"""Form of a value → one that no type of another form takes."""
_MOST_WRONG = 400


def user_probe(schema: Schema, value: Any, *, whole: bool = False) -> StrictnessTest | None:
    """A test with a document's first record and wrong versions of it; None if the document has no record.

    With `whole`, the document stays a list if it is one, with this record alone.
    """
    item, first = schema.root, value
    if isinstance(schema.root, List):
        item, first = schema.root.item, value[0] if value else None
    if not isinstance(item, Ref) or first is None:
        return None
    if whole and isinstance(schema.root, List):
        wrong = list(_wrong(schema, item.record, first, (("", 0),), set()))
        return StrictnessTest("user", schema, [first], _some(wrong), of_user=True)
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
        if isinstance(type_, List) and inner:
            type_, inner, here = type_.item, inner[0], (*here, ("", 0))
        record_name = _record_of(schema, type_, inner)
        if record_name is not None:
            yield from _wrong(schema, record_name, inner, here, seen)


def _record_of(schema: Schema, type_: Type, value: Any) -> str | None:
    """The record that a value is, if its type says so: a member of a tagged union has a tag, one of another may be several."""
    if isinstance(type_, Union) and type_.tag is not None and isinstance(value, dict):
        names = [member.record for member in type_.members if isinstance(member, Ref)]
        return next((name for name in names if schema.record(name).tag_value == value.get(type_.tag)), None)
    return type_.record if isinstance(type_, Ref) and value is not None else None


def _values(type_: Type) -> tuple[Any, ...]:
    if isinstance(type_, Scalar):
        return _WRONG.get(type_.kind, (_NO_TEXT,))
    if isinstance(type_, Union):
        forms = {_form(member) for member in type_.members}
        return tuple(wrong for form, wrong in _OF_FORM.items() if form not in forms)[:2]
    return ("ab", 5) if isinstance(type_, List | Set | Tuple) else (_NO_TEXT,)


def _form(type_: Type) -> str:
    """What a value of a type is in a document: text, a number, a list or an object; texts of numbers are numbers, too."""
    if isinstance(type_, Scalar):
        return "number" if type_.kind in (*INTEGER_KINDS, "float", "bool", "decimal") else "text"
    return "list" if isinstance(type_, List | Set | Tuple) else "text" if isinstance(type_, Enum) else "object"


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
        case Union(members):
            rights = [_right(member) for member in members]
            return None if None in rights else tuple(dict.fromkeys(chain.from_iterable(filter(None, rights))))
        case _:
            return _CONTAINERS.get(type(type_))
