"""Infers the schema of a JSON document: the records that someone who knows the data would write.

The document is read by *columns*: all values that stand at one path ("the `user` of every item of
the root") are looked at together, so that types are counted by C loops and whether an object is a
record or a map is decided with everything known. A column holds references, never copies.

Records: objects of one column become one record, its missing and null fields optional. Records of
different columns become one where they are evidently the same thing (`join_same`), which is how a
tree becomes one recursive record. Whatever does not fit together becomes "any JSON".

Maps: an object is a map, not a record, when its keys are data (`_is_map`). Both this and the
joining of records decide only how the schema looks; either answer describes the document.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import methodcaller
from typing import Any, TypeAlias

from serbench.schema.names import field_name, record_name, singular
from serbench.schema.shapes import NUMBERS, Object, Shape, current, fits, join_same, kinds_of
from serbench.schema.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    REQUIRED,
    STR,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    SchemaError,
    Type,
)

DEEPEST = 250
"""Levels of arrays and objects that are read; orjson writes 254, and Python's stack holds not many more."""

_DEEPEST_PLAIN = 32  # lists and maps directly inside one another; Python's parser refuses 200 brackets
_MOST_FIELDS = 1000  # more keys than this are data, whatever they look like
_EXACT = 2**53  # every int up to here is exact as a float

_NONE = type(None)
_SCALARS = {str: STR, int: INT, float: FLOAT, bool: BOOL}
_JSON_TYPES = {*_SCALARS, _NONE, list, dict}

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


def infer(document: object, name: str = "Record") -> Schema:
    """The schema of a parsed JSON document.

    Args:
        document: dicts with str keys, lists, str, int, float, bool and None.
        name: what the root is called; its record is named after it, in the singular for a list.

    Raises:
        SchemaError: the document is nested too deeply, or holds something that is not JSON.
    """
    objects: list[Object] = []
    try:
        root = _read([[document]], name, type(document) is list, None, objects)
        join_same(objects)
        return _schema(root, objects)
    except RecursionError:
        raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None


# Reading columns


def _read(
    column: _Column,
    key: str,
    plural: bool,
    parent: Object | None,
    objects: list[Object],
    *,
    level: int = 0,
    plain: int = 0,
) -> Shape:
    """The shape of a column; records found on the way are appended to `objects`, outer before inner."""
    if level > DEEPEST:
        raise SchemaError(f"the document is nested more than {DEEPEST} levels deep; flatten it")
    kinds = set(map(type, chain.from_iterable(column)))
    if not kinds <= _JSON_TYPES:
        foreign = ", ".join(sorted(kind.__name__ for kind in kinds - _JSON_TYPES))
        raise SchemaError(
            f"{key}: found {foreign}; a JSON document has only dict, list, str, int, float, bool and None"
        )
    shape = Shape(null=_NONE in kinds, scalars=kinds & _SCALARS.keys())
    if int in kinds:
        numbers = (n for n in chain.from_iterable(column) if type(n) is int)
        shape.inexact = any(not -_EXACT <= n <= _EXACT for n in numbers)
    kinds.discard(_NONE)
    shape.mixed = not fits(kinds, shape.inexact) or plain > _DEEPEST_PLAIN
    if shape.mixed:
        return shape
    if list in kinds:
        lists = [v for v in chain.from_iterable(column) if type(v) is list]
        shape.items = _read(lists, key, True, parent, objects, level=level + 1, plain=plain + 1)
    elif dict in kinds:
        dicts = [v for v in chain.from_iterable(column) if type(v) is dict]
        shape.object = _read_objects(dicts, Object(key, plural, parent), objects, level + 1, plain)
    return shape


def _read_objects(dicts: list[dict[str, Any]], found: Object, objects: list[Object], level: int, plain: int) -> Object:
    objects.append(found)
    keys = list(dict.fromkeys(chain.from_iterable(dicts)))
    if not all(type(key) is str for key in keys):
        raise SchemaError(f"{found.key}: found a key that is not a string; JSON has only string keys")
    if not keys:
        return found
    if _is_map(keys, dicts):
        entries = [d.values() for d in dicts]
        found.values = _read(entries, found.key, True, found.parent, objects, level=level, plain=plain + 1)
        return found
    for key, values in _columns(keys, dicts):
        if len(values) < len(dicts):
            found.missing.add(key)
        found.fields[key] = _read([values], key, False, found, objects, level=level)
    return found


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


# Building the schema


def _schema(root: Shape, objects: list[Object]) -> Schema:
    sightings: dict[Object, list[Object]] = defaultdict(list)
    for found in objects:
        sightings[current(found)].append(found)
    records = _records(root)
    field_names = {found: _field_names(found) for found in records}
    taken = {name for names in field_names.values() for name in names.values()}
    names: dict[Object, str] = {}
    for found in records:
        names[found] = _class_name(sightings[found], names, taken)
        taken.add(names[found])
    return Schema(_type(root, names), tuple(_record(found, field_names[found], names) for found in records))


def _records(root: Shape) -> list[Object]:
    """The records that the root needs, those nearest to it first."""
    found: dict[Object, None] = {}
    todo = deque([root])
    while todo:
        shape = todo.popleft()
        if shape.mixed:
            continue
        if shape.items:
            todo.append(shape.items)
        elif shape.object:
            inner = current(shape.object)
            if inner.values:
                todo.append(inner.values)
            elif inner.fields and inner not in found:
                found[inner] = None
                todo += inner.fields.values()
    return list(found)


def _field_names(found: Object) -> dict[str, str]:
    """Key → field name; keys that need no cleaning have the first choice."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(found.fields, key=lambda key: field_name(key) != key):
        names[key] = field_name(key, taken)
        taken.add(names[key])
    return names


def _class_name(sightings: list[Object], names: dict[Object, str], taken: set[str]) -> str:
    first = sightings[0]
    parent = first.parent
    # `sizes: {"small": {…}, "large": {…}}` is made of sizes, not of smalls.
    siblings = len({s.key for s in sightings}) > 1 and len({s.parent and current(s.parent) for s in sightings}) == 1
    if parent and siblings and not parent.plural and singular(parent.key) != parent.key:
        return record_name(parent.key, taken, plural=True)
    name = record_name(first.key, plural=first.plural)
    outer = names.get(current(parent)) if parent else None
    if name in names.values() and outer is not None and not name.startswith(outer):
        return record_name(f"{outer}_{name}", taken)
    return record_name(first.key, taken, plural=first.plural)


def _record(found: Object, field_names: dict[str, str], names: dict[Object, str]) -> Record:
    fields = []
    for key, shape in found.fields.items():
        type_, absent = _type(shape, names), key in found.missing
        if absent and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        nothing = shape.null and not shape.mixed and not kinds_of(shape)
        default = None if absent or nothing or isinstance(type_, Optional) else REQUIRED
        alias = None if field_names[key] == key else key
        fields.append(Field(field_names[key], type_, alias, default))
    return Record(names[found], tuple(sorted(fields, key=lambda f: not f.required)))


def _type(shape: Shape, names: dict[Object, str]) -> Type:
    type_: Type
    if shape.mixed:
        return ANY
    if shape.items:
        type_ = List(_type(shape.items, names))
    elif shape.object:
        found = current(shape.object)
        type_ = Ref(names[found]) if found in names else Map(_type(found.values, names) if found.values else ANY)
    elif shape.scalars:
        type_ = FLOAT if shape.scalars == NUMBERS else _SCALARS[next(iter(shape.scalars))]
    else:
        return ANY
    return Optional(type_) if shape.null else type_
