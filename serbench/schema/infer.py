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

Maps: an object is a map if its keys are data (`_is_map`). Maps, tags and merging affect only how the schema looks;
any choice describes the document.

Texts: if all texts of a column are dates, UUIDs or the like, the column has that kind (`text_kind`).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from operator import methodcaller
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.schema.build import build
from serbench.schema.records import Schema
from serbench.schema.scalars import CLASSES
from serbench.schema.shapes import NUMBERS, Object, Shape, join_same
from serbench.schema.tags import by_tag, tag_key
from serbench.schema.texts import text_kind

DEEPEST = 250
"""Maximum nesting of arrays and objects; orjson writes 254, close to the limit of Python's stack."""

_DEEPEST_PLAIN = 32  # lists and maps directly nested; Python's parser refuses 200 brackets
_MOST_FIELDS = 1000  # an object with more keys is a map

_NONE = type(None)
_TYPES = {*CLASSES, datetime, _NONE, list, dict}

_DATA_KEY = re.compile(
    r"""
    .{81,} | \s*
    | [-+]?[\d.,]+ (?:[-_:/ ][\d.,]+)*                   # 7, -3.5, 12-15, 10:30
    | \d{4}-\d\d .*                                      # dates and times
    | (?=.*\d) [0-9a-fA-F]{8,} (?:-[0-9a-fA-F]+)*        # hashes, UUIDs
    | .*\d{3,}                                           # user_1234
    | [^@]+@.+ | [^/]+/[^/].* | .*[/\\\s].*[/\\.].*      # addresses, media types, paths, sentences
    """,
    re.VERBOSE | re.DOTALL,
)

_Column: TypeAlias = Sequence[Iterable[Any]]  # concatenated parts


@dataclass(frozen=True)
class _Position:
    """Position of a column: its key, True if that key names a collection, the enclosing object, and the depth."""

    key: str
    plural: bool
    parent: Object | None = None
    level: int = 0
    plain: int = 0  # arrays and maps that directly enclose it
    tags: frozenset[str] = frozenset()  # of the enclosing unions


def infer(document: object, name: str = "Record", *, literal_strings: bool = False) -> Schema:
    """Infer the schema of a parsed JSON document.

    Args:
        document: dicts with str keys, lists, str, int, float, bool and None; from other formats also bytes, datetime,
            date, time, timedelta, Decimal and UUID.
        name: name of the root; its record is named after it, in the singular if the root is a list.
        literal_strings: keep every text a text, even if it looks like a date.

    Raises:
        SchemaError: the document is nested too deeply, or holds a value that JSON does not have.
    """
    reading = _Inference(literal_strings)
    try:
        root = reading.column([[document]], _Position(name, type(document) is list))
        join_same(reading.objects)
        return build(root, reading.objects)
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


class _Inference:
    """Infers one document; `objects` collects the records and maps it finds, outer before inner."""

    def __init__(self, literal_strings: bool) -> None:
        self.literal_strings = literal_strings
        self.objects: list[Object] = []

    def column(self, column: _Column, place: _Position) -> Shape:
        if place.level > DEEPEST:
            raise SchemaError(f"the document is nested more than {DEEPEST} levels deep; flatten it")
        kinds = set(map(type, chain.from_iterable(column)))
        if not kinds <= _TYPES:
            foreign = ", ".join(sorted(kind.__name__ for kind in kinds - _TYPES))
            raise SchemaError(
                f"{place.key}: found {foreign}; a JSON document contains only dict, list, str, int, float, bool and None"
            )
        shape = Shape(null=_NONE in kinds, scalars=kinds - {_NONE, list, dict})
        if float in kinds and not all(map(math.isfinite, _of(float, column, kinds))):
            raise SchemaError(f"{place.key}: found NaN or infinity, which JSON lacks; use None or a finite number")
        if int in kinds:
            shape.low, shape.high = min(_of(int, column, kinds)), max(_of(int, column, kinds))
        shape.mixed = place.plain > _DEEPEST_PLAIN
        if shape.mixed:
            _check_depth(column, DEEPEST - place.level)
            return shape
        if str in kinds:
            shape.text = "str" if self.literal_strings else text_kind(_of(str, column, kinds))
        if datetime in kinds:
            shape.text = _moments(_of(datetime, column, kinds), place.key)
        inside = replace(place, level=place.level + 1)
        if list in kinds:
            shape.items = self.column(_all_of(list, column, kinds), replace(inside, plural=True, plain=place.plain + 1))
        if dict in kinds:
            shape.object = self.record_or_map(_all_of(dict, column, kinds), inside, alone=kinds <= {dict, _NONE})
        return shape

    def record_or_map(self, dicts: list[dict[str, Any]], place: _Position, *, alone: bool) -> Object:
        """Classify the objects of a column: a record, a map or, if `alone` in their column, a union of records."""
        found = Object(place.key, place.plural, place.parent)
        self.objects.append(found)
        keys = list(dict.fromkeys(chain.from_iterable(dicts)))
        if not all(type(key) is str for key in keys):
            raise SchemaError(f"{found.key}: found a key that is not a string; JSON keys are strings")
        if not keys:
            return found
        if _is_map(keys, dicts):
            entries = [d.values() for d in dicts]
            found.values = self.column(entries, replace(place, plural=True, plain=place.plain + 1))
            return found
        found.tag = tag_key(keys, dicts, place.tags) if alone else None
        if found.tag is None:
            self.fields(found, keys, dicts, place)
            return found
        place = replace(place, tags=place.tags | {found.tag})
        for value, members in by_tag(found.tag, dicts).items():
            variant = Object(value, plural=False, parent=found)
            found.variants[value] = variant
            own = [key for key in dict.fromkeys(chain.from_iterable(members)) if key != found.tag]
            self.fields(variant, own, members, place)
        return found

    def fields(self, found: Object, keys: list[str], dicts: list[dict[str, Any]], place: _Position) -> None:
        for key, values in _columns(keys, dicts):
            if len(values) < len(dicts):
                found.missing.add(key)
            inside = _Position(key, plural=False, parent=found, level=place.level, tags=place.tags)
            found.fields[key] = self.column([values], inside)


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


def _columns(keys: list[str], dicts: list[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
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


def _is_map(keys: list[str], dicts: list[dict[str, Any]]) -> bool:
    """Return whether the keys are data rather than field names.

    If all values have one kind, keys are data if
    - four fifths of them look like data (numbers, dates, ids, hashes, addresses, paths): a single `{"2024-01-01": 3}`
      is a map. Keys that are also identifiers, such as `q1001` or `sha256`, count only if there are at least three
      and the objects have different ones; or
    - they are many: 64 in a single object, or 32 of which an average object has less than a tenth; if the values are
      similar objects, 8 in a single object, or 8 of which an average object has less than half.
    If the values have several kinds, keys are data only if at least 50 look like data, or if there are more than 1000.

    For example, 40 optional strings, each present in a fifth of the objects, remain a record.
    """
    if len(keys) > _MOST_FIELDS:
        return True
    data_like = sum(1 for key in keys if _DATA_KEY.fullmatch(key)) >= 0.8 * len(keys)
    kinds = set(map(type, chain.from_iterable(map(methodcaller("values"), dicts)))) - {_NONE}
    if len(kinds) > 1 and kinds != NUMBERS:
        return data_like and len(keys) >= 50
    present = sum(map(len, dicts)) / (len(keys) * len(dicts))
    if data_like:
        could_be_names = any(key.isidentifier() for key in keys)
        return not could_be_names or (len(keys) >= 3 and (len(dicts) < 5 or present <= 0.9))
    if kinds == {dict} and len(keys) >= 8 and (len(dicts) == 1 or present < 0.5):
        inner = [v for v in chain.from_iterable(map(methodcaller("values"), dicts)) if v]
        names = set(chain.from_iterable(inner))
        return len(names) >= 2 and sum(map(len, inner)) >= 0.7 * len(names) * len(inner)
    return len(kinds) == 1 and (len(keys) >= 64 if len(dicts) == 1 else len(keys) >= 32 and present < 0.1)
