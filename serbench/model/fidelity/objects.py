"""Compares decoded objects with neutral values, field by field and type by type."""

import enum
from typing import Any, Optional, Set

from .columns import Columns
from .kinds import CLASSES
from .parts import (
    Spec,
    Type,
    first,
    json_difference,
    keys_difference,
    scalar_difference,
    short,
    surplus,
    tag_of,
    union_difference,
    unordered_difference,
)

ABSENT = object()


def difference(spec: Spec, type_: Type, expected: Any, actual: Any, seen: Optional[Set[str]] = None) -> Optional[str]:
    """Describe the first difference between a decoded object and the neutral value, or return None.

    `seen` collects the kinds of records found: "objects" or "dicts". If `spec` has "sparse", a dict may lack the keys whose value
    is None; if it has "whole", an int may stand in place of the float that equals it; if it has "any_class", records may be
    of any class, and members of enums their values.
    """
    seen = set() if seen is None else seen
    seen_in_columns = set(seen)
    if COLUMNS.same(spec, type_, [expected], [actual], seen_in_columns):
        seen |= seen_in_columns
        return None
    return _difference(spec, type_, expected, actual, seen)


def _difference(spec: Spec, type_: Type, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
    """Do the same one by one, up to the first that differs."""
    kind = type_[0]
    if kind == "any":
        return json_difference(expected, actual)
    if kind in CLASSES:
        is_whole = kind == "float" and type(actual) is int and "whole" in spec and actual == expected
        return scalar_difference(kind, expected, float(actual) if is_whole else actual)
    if kind == "enum":
        if "any_class" in spec:
            plain = actual.value if isinstance(actual, enum.Enum) else actual
            return scalar_difference(type(expected).__name__, expected, plain)
        if not isinstance(actual, enum.Enum) or type(actual).__name__ != type_[1]:
            return ": expected a member of {}, got {}".format(type_[1], short(actual))
        return scalar_difference(type(expected).__name__, expected, actual.value)
    if kind == "optional":
        if expected is None:
            return None if actual is None else ": expected None, got {}".format(short(actual))
        return _difference(spec, type_[1], expected, actual, seen)
    if kind == "union":
        return union_difference(_difference, spec, type_, expected, actual, seen)
    if kind == "ref":
        return _record_difference(spec, type_[1], expected, actual, seen)
    return _container_difference(spec, type_, expected, actual, seen)


def _record_difference(spec: Spec, name: str, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
    record = spec["records"][name]
    if type(actual) is dict:
        holder = "dicts"
        if "sparse" in spec:
            actual = {**{key: None for key, value in expected.items() if value is None}, **actual}
        if actual.keys() != expected.keys():
            return keys_difference(expected, actual)
        parts = [(f, actual[f[1]]) for f in record["fields"]]
    else:
        holder = "objects"
        if type(actual).__name__ != name and "any_class" not in spec:
            return ": expected a {}, got {} of type {}".format(name, short(actual), type(actual).__name__)
        more = surplus(record, [actual])
        if more:
            return ": the {} also has {}".format(name, short(more))
        parts = [(f, getattr(actual, f[0], ABSENT)) for f in record["fields"]]
    seen.add(holder)
    if len(seen) > 1:
        return ": some records are objects and others dicts"
    for f, value in parts:
        if value is ABSENT:
            return ".{}: absent from the {}".format(f[0], name)
        text = _difference(spec, f[2], expected[f[1]], value, seen)
        if text is not None:
            return ".{}{}".format(f[0], text)
    if record["tag"]:
        key = record["tag"][0]
        text = json_difference(expected[key], tag_of(record, actual))
        return None if text is None else ".{}{}".format(key, text)
    return None


def _container_difference(spec: Spec, type_: Type, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
    kind = type_[0]
    cls = {"list": list, "tuple": tuple, "set": set, "map": dict}[kind]
    if type(actual) is not cls:
        return ": expected a {}, got {} of type {}".format(cls.__name__, short(actual), type(actual).__name__)
    if len(expected) != len(actual):
        return ": expected {} items, got {}".format(len(expected), len(actual))
    if kind == "map":
        if expected.keys() != actual.keys():
            return keys_difference(expected, actual)
        return first(
            (".{}".format(key), _difference(spec, type_[1], value, actual[key], seen))
            for key, value in expected.items()
        )
    if kind == "set":
        return unordered_difference(_difference, spec, type_[1], expected, actual, seen)
    items = type_[1] if kind == "tuple" else [type_[1]] * len(expected)
    for index, (item, e, a) in enumerate(zip(items, expected, actual)):
        text = _difference(spec, item, e, a, seen)
        if text is not None:
            return "[{}]{}".format(index, text)
    return None


COLUMNS = Columns(frozenset(CLASSES), _difference)
