"""Infers the schema of a JSON document: the records that someone who knows the data would write.

Inference works on *columns*: all values at one path ("the `user` of every item of the root") are examined together.
Types are therefore counted by C loops, and objects are classified as records or maps with all values known. A column
holds references, never copies.

Records: the objects of a column become one record, whose missing and null fields are optional. If the value of one
field determines the other fields (`tag_key`), each value gets a record of its own in a union tagged by that field.
Records of different columns are merged if they are evidently the same (`join_same`); this turns a tree into one
recursive record.

Unions: values of different JSON types in one column form an untagged union. Ints among floats are floats, unless a
float cannot hold one of them exactly. "Any JSON" remains for values that are always empty and for very deep arrays.

Maps: an object is a map if its keys are data, by the rules of `evidence.MAP`. Maps, tags and merging affect only how
the schema looks; any choice describes the document, but a record drops or refuses the next document's new keys, and a
union its new tags. What is decided on little evidence is a `Doubt`, and the user decides by path (`Overrides`).

Texts: if all texts of a column are dates, UUIDs or the like, the column has that kind (`text_kind`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.inference.build import build
from serbench.model.inference.decided import EACH, Doubt, Doubts, Overrides, Path
from serbench.model.inference.evidence import MAP, Keys, weigh
from serbench.model.inference.shapes import Object, Shape, join_same
from serbench.model.inference.tags import Known, by_tag, could_be, tag_key
from serbench.model.inference.texts import text_kind
from serbench.model.records import Schema
from serbench.model.scalars import CLASSES

DEEPEST = 250
"""Maximum nesting of arrays and objects; orjson writes 254, close to the limit of Python's stack."""

_DEEPEST_PLAIN = 32  # lists and maps directly nested; Python's parser refuses 200 brackets
_MOST_FIELDS = 1000  # an object with more keys is a map

_NONE = type(None)
_TYPES = {*CLASSES, datetime, _NONE, list, dict}

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
        return Inferred(build(root, reading.objects), reading.doubts.collected())
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


class _Inference:
    """Infers one document; `objects` collects the records and maps it finds, outer before inner."""

    def __init__(self, overrides: Overrides, *, literal_strings: bool) -> None:
        self.overrides, self.literal_strings = overrides, literal_strings
        self.objects: list[Object] = []
        self.doubts = Doubts()

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
        shape.mixed = position.plain > _DEEPEST_PLAIN
        if shape.mixed:
            _check_depth(column, DEEPEST - position.level)
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
        object_ = Object(position.key, position.plural, position.parent)
        self.objects.append(object_)
        counts = Counter(chain.from_iterable(dicts))
        if not all(type(key) is str for key in counts):
            raise SchemaError(f"{object_.key}: found a key that is not a string; JSON keys are strings")
        full = dicts if all(dicts) else [one for one in dicts if one]  # of its keys, an empty object says nothing
        name = position.key if position.path and not position.plural else None  # a file's name says nothing
        keys = Keys(name, counts, full)
        if not counts:
            self.overrides.asks_map(position.path)
        elif self.is_map(keys, position):
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
                object_.variants[value] = variant = Object(value, plural=False, parent=object_)
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
            self.overrides.use_tag(position.path, asked[0])
            return asked[0]
        if self.overrides.asks("record", position.path):
            return None
        key, weighed = tag_key(list(keys.counts), keys.objects, position.tags)
        self.doubts.tag(position.path, keys, key, weighed)
        return key

    def fields(
        self, object_: Object, keys: Sequence[str], dicts: Sequence[dict[str, Any]], position: _Position
    ) -> None:
        for key, values in _columns(keys, dicts):
            if len(values) < len(dicts):
                object_.missing.add(key)
            path = (*position.path, key)
            inside = _Position(key, plural=False, parent=object_, level=position.level, tags=position.tags, path=path)
            object_.fields[key] = self.column([values], inside)


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


def _moments(moments: Iterable[datetime], key: str) -> str:
    aware = {moment.tzinfo is not None for moment in moments}
    if len(aware) > 1:
        raise SchemaError(f"{key}: only some of the datetimes have a time zone; give all of them one")
    return "datetime" if aware.pop() else "naive_datetime"


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
