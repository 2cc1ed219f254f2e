"""Builds a schema from inferred shapes: names records and fields, and assigns types to columns. Infers the schema of a JSON document: the records that someone who knows the data would write."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.inference.decided import EACH, Doubt, Doubts, Overrides, Path
from serbench.model.inference.evidence import MAP, Keys, text_kind, weigh
from serbench.model.inference.shapes import (
    NUMBERS,
    Known,
    Object,
    Shape,
    by_tag,
    could_be,
    current,
    few_of,
    join_same,
    kinds_of,
    tag_key,
)
from serbench.model.names import field_name, field_names, function_key, record_name, singular
from serbench.model.records import REQUIRED, Field, List, Map, Optional, Record, Ref, Schema, Type, Union, nullable
from serbench.model.scalars import ANY, CLASSES, Scalar, integer, scalar_of


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
        object_.fields = {object_.tag: Shape(scalars={str}, text="str", seen=only.seen), **only.fields}
        object_.missing, object_.tag, object_.variants, only.joined = only.missing, None, {}, object_
        object_.few = only.few


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
        return record_name(parent.key, used, plural=True, longest=_LONGEST_NAME)
    name = record_name(first.key, plural=first.plural, longest=_LONGEST_NAME)
    outer = names.get(current(parent)) if parent else None
    if name in names.values() and outer and not name.startswith(outer) and len(outer) + len(name) <= _LONGEST_NAME:
        return record_name(f"{outer}_{name}", used)
    return record_name(first.key, used, plural=first.plural, longest=_LONGEST_NAME)


def _record(object_: Object, tag: str | None, field_names: dict[str, str], names: dict[Object, str]) -> Record:
    fields = []
    for key, shape in object_.fields.items():
        absent = key in object_.missing
        type_ = nullable(_type(shape, names)) if absent else _type(shape, names)
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


DEEPEST = 250
"""Maximum nesting of arrays and objects; orjson writes 254, close to the limit of Python's stack."""

_DEEPEST_PLAIN = 32  # lists and maps directly nested; Python's parser refuses 200 brackets
_LONGEST_NAME = 40  # of a class
_LONGEST_KEY = 10_000  # names and comments of classes would have it
_MOST_FIELDS = 1000  # an object with more keys is a map

_NONE = type(None)
_TYPES = {*CLASSES, _NONE, list, dict}
_OF_JSON = {str, int, float, bool, _NONE}

_Column: TypeAlias = Sequence[Iterable[Any]]  # concatenated parts


@dataclass(frozen=True)
class _Position:
    """Position of a column: its key, True if that key names a collection, the enclosing object, the depth and the path."""

    key: str
    plural: bool
    parent: Object | None = None
    level: int = 0
    plain: int = 0  # arrays and maps that directly enclose it
    tags: Known = field(default_factory=dict)  # of the enclosing unions
    path: Path = ()


@dataclass(frozen=True)
class Inferred:
    """A schema that was inferred, and what was decided on little evidence."""

    schema: Schema
    doubts: tuple[Doubt, ...] = ()


def infer(document: object, name: str = "Record", *, literal_strings: bool = False) -> Schema:
    """Infer the schema of a parsed JSON document: see `inferred`."""
    return inferred(document, name, literal_strings=literal_strings).schema


def inferred(
    document: object, name: str = "Record", *, literal_strings: bool = False, overrides: Overrides | None = None
) -> Inferred:
    """Infer the schema of a parsed JSON document, and tell what was decided on little evidence.

    Args:
        document: dicts with str keys, lists, str, int, float, bool and None; from other formats also bytes, datetime,
            date, time, timedelta, Decimal and UUID.
        name: name of the root; its record is named after it, in the singular if the root is a list.
        literal_strings: keep every text a text, even if it looks like a date.
        overrides: what the user decides by path.

    Raises:
        SchemaError: the document is nested too deeply, holds a value that JSON does not have, or has nothing at a path
            of `overrides`.
    """
    overrides = overrides or Overrides()
    reading = _Inference(overrides, literal_strings=literal_strings)
    try:
        root = reading.column([[document]], _Position(name, type(document) is list))
        overrides.check_used()
        join_same(reading.objects)
        schema = build(root, reading.objects)
        reading.doubts.records(_records(root))
        return Inferred(schema, reading.doubts.collected())
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


class _Inference:
    """Infers one document; `objects` collects the records and maps it finds, outer before inner."""

    def __init__(self, overrides: Overrides, *, literal_strings: bool) -> None:
        self.overrides, self.literal_strings = overrides, literal_strings
        self.objects: list[Object] = []
        self.doubts = Doubts()
        self.maps: set[str] = set()  # names of the maps so far

    def column(self, column: _Column, position: _Position) -> Shape:
        if position.level > DEEPEST:
            raise SchemaError(f"the document is nested more than {DEEPEST} levels deep; flatten it")
        kinds = set(map(type, chain.from_iterable(column)))
        if not kinds <= _TYPES:
            foreign = ", ".join(sorted(kind.__name__ for kind in kinds - _TYPES))
            raise SchemaError(
                f"{position.key}: found {foreign}; a JSON document contains only dict, list, str, int, float, bool and None"
            )
        shape = Shape(null=_NONE in kinds, scalars=kinds - {_NONE, list, dict})
        if float in kinds and not all(map(math.isfinite, _of(float, column, kinds))):
            raise SchemaError(f"{position.key}: found NaN or infinity, which JSON lacks; use None or a finite number")
        if int in kinds:
            shape.low, shape.high = min(_of(int, column, kinds)), max(_of(int, column, kinds))
        asked = self.overrides.asks("any", position.path)
        shape.mixed = asked or position.plain > _DEEPEST_PLAIN
        if shape.mixed:
            _check_depth(column, DEEPEST - position.level)
            if asked:
                _check_json(column, position.key)
            return shape
        if str in kinds:
            shape.text = self.text(_of(str, column, kinds), position)
        if datetime in kinds:
            shape.text = _moments(_of(datetime, column, kinds), position.key)
        inside = replace(position, level=position.level + 1)
        if list in kinds:
            shape.items = self.column(
                _all_of(list, column, kinds), replace(inside, plural=True, plain=position.plain + 1)
            )
        if dict in kinds:
            shape.object = self.record_or_map(_all_of(dict, column, kinds), inside, alone=kinds <= {dict, _NONE})
        return shape

    def text(self, texts: Iterable[str], position: _Position) -> str:
        """Return the kind of a column's texts."""
        if self.overrides.asks("text", position.path) or self.literal_strings:
            return "str"
        recognised = text_kind(texts)
        self.doubts.texts(position.path, recognised)
        return recognised.kind

    def record_or_map(self, dicts: list[dict[str, Any]], position: _Position, *, alone: bool) -> Object:
        """Classify the objects of a column: a record, a map or, if `alone` in their column, a union of records."""
        object_ = Object(position.key, position.plural, position.parent, path=position.path)
        self.objects.append(object_)
        counts = Counter(chain.from_iterable(dicts))
        if not all(type(key) is str for key in counts):
            raise SchemaError(f"{object_.key}: found a key that is not a string; JSON keys are strings")
        if (longest := max(map(len, counts), default=0)) > _LONGEST_KEY:
            raise SchemaError(
                f"{object_.key}: a key has {longest:,} characters, more than {_LONGEST_KEY:,}; shorten it"
            )
        full = dicts if all(dicts) else [one for one in dicts if one]  # of its keys, an empty object says nothing
        object_.seen = len(full)
        name = position.key if position.path and not position.plural else None  # a file's name says nothing
        keys = Keys(name, counts, full, self.maps)
        if not counts:
            self.overrides.asks_map(position.path)
        elif self.is_map(keys, position):
            self.maps |= {name} if name is not None else set()
            path = (*position.path, EACH)
            entries = [d.values() for d in dicts]
            object_.values = self.column(entries, replace(position, plural=True, plain=position.plain + 1, path=path))
        else:
            object_.tag = self.tag(keys, position) if alone and full is dicts else None
            if object_.tag is None:
                self.fields(object_, list(counts), dicts, position)
                return object_
            groups = by_tag(object_.tag, dicts)
            known = position.tags.get(object_.tag, frozenset()) | groups.keys()
            position = replace(position, tags={**position.tags, object_.tag: known})
            for value, members in groups.items():
                object_.variants[value] = variant = Object(
                    value, plural=False, parent=object_, path=position.path, seen=len(members)
                )
                variant_keys = [key for key in dict.fromkeys(chain.from_iterable(members)) if key != object_.tag]
                self.fields(variant, variant_keys, members, position)
        return object_

    def is_map(self, keys: Keys, position: _Position) -> bool:
        """Return whether the keys of a column's objects are data."""
        asked = self.overrides.asks_map(position.path)
        if asked is not None:
            return asked
        if len(keys.counts) > _MOST_FIELDS:
            return True
        evidence = weigh(keys, MAP)
        self.doubts.map(position.path, keys, evidence)
        return evidence.score > 0

    def tag(self, keys: Keys, position: _Position) -> str | None:
        """Return the key that tells a column's objects apart, or None."""
        asked = [key for key in self.overrides.tags(position.path) if could_be(key, keys.objects)]
        if asked:
            self.overrides.asks("union", (*position.path, asked[0]))
            return asked[0]
        if self.overrides.asks("record", position.path):
            return None
        key, weighed = tag_key(list(keys.counts), keys.objects, position.tags)
        self.doubts.tag(position.path, keys, key, weighed)
        return key

    def fields(
        self, object_: Object, keys: Sequence[str], dicts: Sequence[dict[str, Any]], position: _Position
    ) -> None:
        object_.few = few_of(dicts)
        for key, values in _columns(keys, dicts):
            if len(values) < len(dicts):
                object_.missing.add(key)
            path = (*position.path, key)
            inside = _Position(key, plural=False, parent=object_, level=position.level, tags=position.tags, path=path)
            object_.fields[key] = self.column([values], inside)
            object_.fields[key].seen = len(values)


def _check_depth(column: _Column, deepest: int) -> None:
    """Raise SchemaError if values nest more than `deepest` levels; iterative, because such depth overflows the stack."""
    level = [value for value in chain.from_iterable(column) if type(value) in (list, dict)]
    for _ in range(deepest):
        parts = (value if type(value) is list else value.values() for value in level)
        level = [item for part in parts for item in part if type(item) in (list, dict)]
        if not level:
            return
    if level:
        raise SchemaError(f"the document is nested more than {DEEPEST} levels deep; flatten it")


def _check_json(column: _Column, key: str) -> None:
    """Raise SchemaError if a column that is to be any JSON has a value that JSON lacks."""
    todo = list(chain.from_iterable(column))
    while todo:
        value = todo.pop()
        if type(value) in (dict, list):
            todo += value.values() if type(value) is dict else value
        elif type(value) not in _OF_JSON or (type(value) is float and not math.isfinite(value)):
            raise SchemaError(f"{key}: found {type(value).__name__} {value}, which JSON lacks; omit --any there")


def _moments(moments: Iterable[datetime], key: str) -> str:
    types = set(map(scalar_of, moments))
    if len(types) > 1:
        raise SchemaError(f"{key}: only some of the datetimes have a time zone; give all of them one")
    return types.pop().kind


def _of(kind: type, column: _Column, kinds: set[type]) -> Iterator[Any]:
    """Return the values of one kind; `kinds` are all kinds in the column."""
    values = chain.from_iterable(column)
    return values if len(kinds) == 1 else (value for value in values if type(value) is kind)


def _all_of(kind: type, column: _Column, kinds: set[type]) -> list[Any]:
    """Return the values of one kind as a list, not copied if the column is already such a list."""
    if len(kinds) == 1 and len(column) == 1 and type(column[0]) is list:
        return column[0]
    return list(_of(kind, column, kinds))


def _columns(keys: Sequence[str], dicts: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    if sum(map(len, dicts)) * 4 >= len(keys) * len(dicts):
        for key in keys:
            yield key, [d[key] for d in dicts if key in d]
        return
    # Looking up every key in every object would be quadratic if each object has few of the keys.
    columns = defaultdict(list)
    for d in dicts:
        for key, value in d.items():
            columns[key].append(value)
    for key in keys:
        yield key, columns.pop(key)
