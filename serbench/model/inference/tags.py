"""Finds the field whose value determines an object's other fields."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from serbench.model.inference.evidence import TAG, USUAL_TAG, Evidence, Objects, Tag, ambiguity, weigh

_KEY = re.compile(r"[@$_]{0,2}[A-Za-z][A-Za-z0-9_]{0,39}")
_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9_.:/ -]{0,59}")
_MOST_KINDS, _MOST_UNUSUAL, _OBJECTS_EACH = 32, 8, 8
_FEW = 64  # objects; of fewer, those inside count too
_MOST_INSIDE = 10_000

Known: TypeAlias = Mapping[str, frozenset[str]]
"""The tags of the enclosing unions, with their values."""


def tag_key(keys: Sequence[str], dicts: Objects, known: Known) -> tuple[str | None, dict[str, Evidence]]:
    """Return the key that distinguishes kinds of objects, or None if the objects are of one kind; and the evidence.

    A key may be a tag if every object has it as a text that looks like a name, and if it has 2 to 32 different values. A
    key without a common name (`type`, `kind`, `op`, …) may have at most eight values, each with at least eight objects
    on average and a different set of keys. The rules of `evidence.TAG` decide; the first such key wins. The tag of an
    enclosing union is one again if some of its values recur, and may have a single value.

    Args:
        keys: all keys of the objects.
        dicts: the objects.
        known: the tags of the enclosing unions.
    """
    candidates = {key: values for key in keys if _KEY.fullmatch(key) and (values := _values(key, dicts, known))}
    inherited = next((key for key in candidates if candidates[key] & known.get(key, frozenset())), None)
    if inherited is not None:
        return inherited, {}
    weighed: dict[str, Evidence] = {}
    several = {key: values for key, values in candidates.items() if len(values) > 1}
    for key, values in several.items() if several and ambiguity(dicts) else ():
        weighed[key] = weigh(Tag(key, by_tag(key, _with_inside(key, dicts, values))), TAG)
        if weighed[key].score > 0:
            return key, weighed
    return None, weighed


def by_tag(key: str, dicts: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group the objects by the value of their tag."""
    by_value: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in dicts:
        by_value[each[key]].append(each)
    return dict(by_value)


def could_be(key: str, dicts: Objects) -> bool:
    """Return whether every object has a key as a text, with 2 to 32 values: what a tag cannot do without."""
    values = {value if type(value := each.get(key)) is str else None for each in dicts}
    return None not in values and 2 <= len(values) <= _MOST_KINDS


def _values(key: str, dicts: Objects, known: Known) -> set[str]:
    """Return the values of a key that may be a tag; empty if it cannot be one."""
    values: set[str] = set()
    usual = key in known or USUAL_TAG.fullmatch(key)
    most = _MOST_KINDS if usual else min(_MOST_UNUSUAL, len(dicts) // _OBJECTS_EACH)
    for each in dicts:
        value = each.get(key)
        if type(value) is not str:
            return set()
        if value not in values:
            values.add(value)
            if len(values) > most or not _VALUE.fullmatch(value):
                return set()
    return values


def _with_inside(key: str, dicts: Objects, values: set[str]) -> Objects:
    """Return the objects and, if they are few, those inside them that have the key with one of the values, as in a tree."""
    if len(dicts) >= _FEW:
        return dicts
    return [*dicts, *(one for one in _inside(dicts) if type(one.get(key)) is str and one[key] in values)]


def _inside(dicts: Objects) -> Iterator[dict[str, Any]]:
    todo: list[Any] = [value for each in dicts for value in each.values()]
    for _ in range(_MOST_INSIDE):
        if not todo:
            return
        value = todo.pop()
        if type(value) is dict:
            yield value
            todo += value.values()
        elif type(value) is list:
            todo += value
