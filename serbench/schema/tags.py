"""Finds the field by whose value the objects of a column fall into kinds of their own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

_USUAL = re.compile(r"[@$_]*(type|typename|kind|op|event|variant)|.*(_type|Type|_kind|Kind)", re.IGNORECASE)
_KEY = re.compile(r"[@$_]{0,2}[A-Za-z][A-Za-z0-9_]{0,39}")
_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9_.:/ -]{0,59}")
_MOST_KINDS, _MOST_UNUSUAL, _OBJECTS_EACH = 32, 8, 8
_LEFT = 0.2  # of what a common record would leave open, a tag may leave this much

Objects = list[dict[str, Any]]


def tag_key(keys: list[str], dicts: Objects, known: Iterable[str] = ()) -> str | None:
    """The key that tells the objects apart, or None if they are of one kind.

    What a common record leaves open is counted: each absence of a key, and each object for every key whose
    values are of several kinds. A key is the tag if all objects have it, as a text that could be a name, with
    2 to 32 different values, and if four fifths of that is settled once it is known. A key with a
    usual name (`type`, `kind`, `op`, …) may have another value in each object; any other needs eight objects
    for each of at most eight values, and for each value other keys. Of several such keys the first is taken.

    Args:
        keys: all keys of the objects.
        dicts: the objects.
        known: the tags of the unions around these objects; such a key needs no two values.
    """
    tags = set(known)
    candidates = [key for key in keys if _KEY.fullmatch(key) and _could_be(key, dicts, tags)]
    if not candidates:
        return None
    if inherited := next((key for key in candidates if key in tags), None):
        return inherited
    open_ = _open(dicts)
    return next((key for key in candidates if open_ and _settles(key, dicts, open_)), None)


def groups(key: str, dicts: Objects) -> dict[str, Objects]:
    """The objects by the value of their tag."""
    found: dict[str, Objects] = defaultdict(list)
    for each in dicts:
        found[each[key]].append(each)
    return dict(found)


def _could_be(key: str, dicts: Objects, known: set[str]) -> bool:
    values: set[str] = set()
    usual = key in known or _USUAL.fullmatch(key)
    most = _MOST_KINDS if usual else min(_MOST_UNUSUAL, len(dicts) // _OBJECTS_EACH)
    for each in dicts:
        value = each.get(key)
        if type(value) is not str:
            return False
        if value not in values:
            values.add(value)
            if len(values) > most or not _VALUE.fullmatch(value):
                return False
    return len(values) >= 2 or key in known


def _open(dicts: Objects) -> int:
    """What a record of all these objects would leave open."""
    present = Counter(chain.from_iterable(dicts))
    absent = sum(len(dicts) - count for count in present.values())
    kinds = set(chain.from_iterable(zip(each, map(type, each.values()), strict=True) for each in dicts))
    several = Counter(key for key, kind in kinds if kind is not type(None))
    numbers = {key for key in several if {(key, int), (key, float)} <= kinds}
    mixed = sum(1 for key, count in several.items() if count - (key in numbers) > 1)
    return absent + mixed * len(dicts)


def _settles(key: str, dicts: Objects, open_: int) -> bool:
    found = groups(key, dicts)
    if sum(map(_open, found.values())) > _LEFT * open_:
        return False
    return bool(_USUAL.fullmatch(key)) or len({frozenset(chain.from_iterable(g)) for g in found.values()}) == len(found)
