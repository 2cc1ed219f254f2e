"""Builds a schema from inferred shapes: names records and fields, and assigns types to columns."""

from __future__ import annotations

from collections import defaultdict, deque
from datetime import datetime

from serbench.model.inference.shapes import NUMBERS, Object, Shape, current, kinds_of
from serbench.model.names import field_name, field_names, function_key, record_name, singular
from serbench.model.records import REQUIRED, Field, Record, Schema
from serbench.model.scalars import ANY, CLASSES, INTEGER_KINDS, Scalar, integer
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union


def neutral_class(type_: Type) -> type:
    """Return the Python class of a type's neutral values; for an optional type, that of values other than None."""
    match type_:
        case Scalar("datetime" | "naive_datetime"):
            return datetime
        case Scalar(kind) if kind in INTEGER_KINDS:
            return int
        case Scalar():
            return next((class_ for class_, scalar in CLASSES.items() if scalar == type_), object)
        case Enum(_, members):
            return type(members[0][1])
        case Optional(item):
            return neutral_class(item)
        case List():
            return list
        case Set():
            return set
        case Tuple():
            return tuple
        case _:
            return dict


def build(root: Shape, objects: list[Object]) -> Schema:
    """Build the schema of a document; `objects` are all inferred objects, after `join_same`."""
    sightings: dict[Object, list[Object]] = defaultdict(list)
    for object_ in objects:
        _demote(object_)
        sightings[current(object_)].append(object_)
    records = _records(root)
    of_fields = {object_: _names(object_, tag) for object_, tag in records.items()}
    used = {name for names in of_fields.values() for name in names.values()}
    names: dict[Object, str] = {}
    for object_ in records:
        names[object_] = _class_name(sightings[object_] or [object_], names, used)
        used |= {names[object_], function_key(names[object_])}
    return Schema(
        _type(root, names), tuple(_record(object_, tag, of_fields[object_], names) for object_, tag in records.items())
    )


def _demote(object_: Object) -> None:
    """Turn a tagged union with a single variant into a plain record."""
    if object_.tag is not None and len(object_.variants) == 1 and object_.joined is None:
        (only,) = object_.variants.values()
        object_.fields = {object_.tag: Shape(scalars={str}, text="str"), **only.fields}
        object_.missing, object_.tag, object_.variants, only.joined = only.missing, None, {}, object_


def _records(root: Shape) -> dict[Object, str | None]:
    """Map the records reachable from the root, nearest first, to their tag keys or None."""
    tags: dict[Object, str | None] = {}
    todo = deque([root])
    while todo:
        shape = todo.popleft()
        if shape.mixed:
            continue
        if shape.items:
            todo.append(shape.items)
        if shape.object:
            inner = current(shape.object)
            if inner.values:
                todo.append(inner.values)
            variants = [(inner, None)] if inner.fields else [(v, inner.tag) for v in inner.variants.values()]
            for each, tag in variants:
                if each not in tags:
                    tags[each] = tag
                    todo += each.fields.values()
    return tags


def _names(object_: Object, tag: str | None) -> dict[str, str]:
    return field_names(object_.fields, set() if tag is None else {tag, field_name(tag)})


def _class_name(sightings: list[Object], names: dict[Object, str], used: set[str]) -> str:
    first = sightings[0]
    parent = first.parent
    # The records in `sizes: {"small": {…}, "large": {…}}` are named Size, not Small.
    siblings = len({s.key for s in sightings}) > 1 and len({s.parent and current(s.parent) for s in sightings}) == 1
    if parent and siblings and not parent.plural and singular(parent.key) != parent.key:
        return record_name(parent.key, used, plural=True)
    name = record_name(first.key, plural=first.plural)
    outer = names.get(current(parent)) if parent else None
    if name in names.values() and outer is not None and not name.startswith(outer):
        return record_name(f"{outer}_{name}", used)
    return record_name(first.key, used, plural=first.plural)


def _record(object_: Object, tag: str | None, field_names: dict[str, str], names: dict[Object, str]) -> Record:
    fields = []
    for key, shape in object_.fields.items():
        type_, absent = _type(shape, names), key in object_.missing
        if absent and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        nothing = shape.null and not shape.mixed and not kinds_of(shape)
        default = None if absent or nothing or isinstance(type_, Optional) else REQUIRED
        alias = None if field_names[key] == key else key
        fields.append(Field(field_names[key], type_, alias, default))
    return Record(
        names[object_], tuple(sorted(fields, key=lambda f: not f.required)), None if tag is None else object_.key
    )


def _type(shape: Shape, names: dict[Object, str]) -> Type:
    if shape.mixed:
        return ANY
    scalars = shape.scalars - {int} if shape.scalars >= NUMBERS and not shape.inexact else shape.scalars
    known = {**CLASSES, int: integer(shape.low, shape.high)}
    if shape.text and (datetime in scalars or (scalars == {str} and not (shape.object or shape.items))):
        known = {**known, datetime if datetime in scalars else str: Scalar(shape.text)}
    # In this order no member accepts values of a later one, even if a library tries members in turn.
    members: list[Type] = [type_ for kind, type_ in known.items() if kind in scalars]
    if shape.object:
        of_objects = _object_type(current(shape.object), names)
        members.insert(len(members) if isinstance(of_objects, Map) else 0, of_objects)
    if shape.items:
        members.append(List(_type(shape.items, names)))
    if not members:
        return ANY
    type_ = members[0] if len(members) == 1 else Union(tuple(members))
    return Optional(type_) if shape.null else type_


def _object_type(object_: Object, names: dict[Object, str]) -> Type:
    if object_.tag is not None:
        return Union(tuple(Ref(names[variant]) for variant in object_.variants.values()), object_.tag)
    if object_ in names:
        return Ref(names[object_])
    return Map(_type(object_.values, names) if object_.values else ANY)
