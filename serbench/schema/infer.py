"""Infers the schema of a JSON document: the records that someone who knows the data would write.

The document is read by *columns*: all values that stand at one path ("the `user` of every item of
the root") are looked at together, so that types are counted by C loops and whether an object is a
record or a map is decided with everything known. A column holds references, never copies.

Records: objects of one column become one record, its missing and null fields optional; or, where
the value of one field decides which others there are (`tag_key`), a record for each of its values,
in a union that is told apart by this tag. Records of different columns become one where they are
evidently the same thing (`join_same`), which is how a tree becomes one recursive record.

Values of different JSON types in one column are a union, told apart by these; ints beside floats are
floats, unless one of them has no exact float. "Any JSON" is left
for what is always empty and for arrays very deep.

Maps: an object is a map, not a record, when its keys are data (`_is_map`). This, tags and the
joining of records decide only how the schema looks; either answer describes the document.

Texts: those that are all dates, UUIDs and the like have that kind (`text_kind`).
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

from serbench.schema.build import CLASSES, build
from serbench.schema.shapes import NUMBERS, Object, Shape, join_same
from serbench.schema.tags import groups, tag_key
from serbench.schema.texts import text_kind
from serbench.schema.types import Schema, SchemaError

DEEPEST = 250
"""Levels of arrays and objects that are read; orjson writes 254, and Python's stack holds not many more."""

_DEEPEST_PLAIN = 32  # lists and maps directly inside one another; Python's parser refuses 200 brackets
_MOST_FIELDS = 1000  # more keys than this are data, whatever they look like

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

_Column: TypeAlias = Sequence[Iterable[Any]]  # the values are those of each part in turn


@dataclass(frozen=True)
class _Place:
    """Where a column stands: its key, whether that names a collection, the object around it, and how deep it is."""

    key: str
    plural: bool
    parent: Object | None = None
    level: int = 0
    plain: int = 0  # arrays and maps directly around it
    tags: frozenset[str] = frozenset()  # of the unions around it


def infer(document: object, name: str = "Record", *, literal_strings: bool = False) -> Schema:
    """The schema of a parsed JSON document.

    Args:
        document: dicts with str keys, lists, str, int, float, bool and None; from formats that have them,
            also bytes, datetime, date, time, timedelta, Decimal and UUID.
        name: what the root is called; its record is named after it, in the singular for a list.
        literal_strings: whether a text is nothing but a text, even if it looks like a date.

    Raises:
        SchemaError: the document is nested too deeply, or holds something that is not JSON.
    """
    reading = _Reading(literal_strings)
    try:
        root = reading.column([[document]], _Place(name, type(document) is list))
        join_same(reading.objects)
        return build(root, reading.objects)
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


class _Reading:
    """One document being read; the records found on the way stand in `objects`, outer before inner."""

    def __init__(self, literal_strings: bool) -> None:
        self.literal_strings = literal_strings
        self.objects: list[Object] = []

    def column(self, column: _Column, place: _Place) -> Shape:
        """The shape of a column."""
        if place.level > DEEPEST:
            raise SchemaError(f"the document is nested more than {DEEPEST} levels deep; flatten it")
        kinds = set(map(type, chain.from_iterable(column)))
        if not kinds <= _TYPES:
            foreign = ", ".join(sorted(kind.__name__ for kind in kinds - _TYPES))
            raise SchemaError(
                f"{place.key}: found {foreign}; a JSON document has only dict, list, str, int, float, bool and None"
            )
        shape = Shape(null=_NONE in kinds, scalars=kinds - {_NONE, list, dict})
        if float in kinds and not all(map(math.isfinite, _of(float, column, kinds))):
            raise SchemaError(f"{place.key}: found NaN or an infinity, which JSON has not; make it None or a number")
        if int in kinds:
            low, high = min(_of(int, column, kinds)), max(_of(int, column, kinds))
            shape.low, shape.high = min(0, low), max(0, high)
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

    def record_or_map(self, dicts: list[dict[str, Any]], place: _Place, *, alone: bool) -> Object:
        """What the objects of a column are: a record, a union of records (where they are alone), or a map."""
        found = Object(place.key, place.plural, place.parent)
        self.objects.append(found)
        keys = list(dict.fromkeys(chain.from_iterable(dicts)))
        if not all(type(key) is str for key in keys):
            raise SchemaError(f"{found.key}: found a key that is not a string; JSON has only string keys")
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
        for value, members in groups(found.tag, dicts).items():
            variant = Object(value, plural=False, parent=found)
            found.variants[value] = variant
            own = [key for key in dict.fromkeys(chain.from_iterable(members)) if key != found.tag]
            self.fields(variant, own, members, place)
        return found

    def fields(self, found: Object, keys: list[str], dicts: list[dict[str, Any]], place: _Place) -> None:
        """Read the fields of a record."""
        for key, values in _columns(keys, dicts):
            if len(values) < len(dicts):
                found.missing.add(key)
            inside = _Place(key, plural=False, parent=found, level=place.level, tags=place.tags)
            found.fields[key] = self.column([values], inside)


def _check_depth(column: _Column, deepest: int) -> None:
    """Refuse values with more levels inside one another; without recursion, because that is what they would break."""
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
        raise SchemaError(f"{key}: some of the moments have a time zone and others have none; give it to all")
    return "datetime" if aware.pop() else "naive_datetime"


def _of(kind: type, column: _Column, kinds: set[type]) -> Iterator[Any]:
    """The values of a kind in a column that has these."""
    values = chain.from_iterable(column)
    return values if len(kinds) == 1 else (value for value in values if type(value) is kind)


def _all_of(kind: type, column: _Column, kinds: set[type]) -> list[Any]:
    """The values of a kind as a list, which is not copied where it is one already."""
    if len(kinds) == 1 and len(column) == 1 and type(column[0]) is list:
        return column[0]
    return list(_of(kind, column, kinds))


def _columns(keys: list[str], dicts: list[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    if sum(map(len, dicts)) * 4 >= len(keys) * len(dicts):
        for key in keys:
            yield key, [d[key] for d in dicts if key in d]
        return
    # One look per key and object would be quadratic where each object has few of the keys.
    columns = defaultdict(list)
    for d in dicts:
        for key, value in d.items():
            columns[key].append(value)
    for key in keys:
        yield key, columns.pop(key)


def _is_map(keys: list[str], dicts: list[dict[str, Any]]) -> bool:
    """Whether the keys are data rather than names of fields.

    They are when the values are of one kind and
    - four in five keys look like data (numbers, dates, ids, hashes, addresses, paths): a lone
      `{"2024-01-01": 3}` is a map. Keys that could be names, as `q1001` or `sha256`, make a map only
      if there are at least three and the objects do not all have the same ones; or
    - there are many: 64 in one object, or 32 of which an object has on average fewer than one in
      ten; for values that are objects all alike, 8 in one object or 8 of which an object has on
      average fewer than half.
    Values of several kinds: only from 50 keys that look like data, or more than 1000 of any sort.

    So 40 optional strings, each present in one object of five, remain a record.
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
