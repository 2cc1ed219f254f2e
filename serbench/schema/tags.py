"""Finds the field whose value determines an object's other fields."""

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
_LEFT = 0.2  # share of the ambiguity of a common record that a tag may leave

Objects = list[dict[str, Any]]


def tag_key(keys: list[str], dicts: Objects, known: Iterable[str] = ()) -> str | None:
    """Return the key that distinguishes kinds of objects, or None if the objects are of one kind.

    The ambiguity of a common record is the number of absent keys, plus the number of objects for every key whose
    values have several kinds. A key is a tag if every object has it as a text that looks like a name, if it has 2 to
    32 different values, and if grouping by it removes four fifths of the ambiguity. A key with a common name (`type`,
    `kind`, `op`, …) may have a different value in each object; any other key may have at most eight values, each
    with at least eight objects on average and with a different set of keys. The first such key wins.

    Args:
        keys: all keys of the objects.
        dicts: the objects.
        known: tags of the enclosing unions; such a key may have a single value.
    """
    tags = set(known)
    candidates = [key for key in keys if _KEY.fullmatch(key) and _could_be(key, dicts, tags)]
    if not candidates:
        return None
    if inherited := next((key for key in candidates if key in tags), None):
        return inherited
    open_ = _open(dicts)
    return next((key for key in candidates if open_ and _settles(key, dicts, open_)), None)


def by_tag(key: str, dicts: Objects) -> dict[str, Objects]:
    """Group the objects by the value of their tag."""
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
    """Return the ambiguity of a common record for these objects, as `tag_key` counts it."""
    present = Counter(chain.from_iterable(dicts))
    absent = sum(len(dicts) - count for count in present.values())
    kinds = set(chain.from_iterable(zip(each, map(type, each.values()), strict=True) for each in dicts))
    several = Counter(key for key, kind in kinds if kind is not type(None))
    numbers = {key for key in several if {(key, int), (key, float)} <= kinds}
    mixed = sum(1 for key, count in several.items() if count - (key in numbers) > 1)
    return absent + mixed * len(dicts)


def _settles(key: str, dicts: Objects, open_: int) -> bool:
    found = by_tag(key, dicts)
    if sum(map(_open, found.values())) > _LEFT * open_:
        return False
    return bool(_USUAL.fullmatch(key)) or len({frozenset(chain.from_iterable(g)) for g in found.values()}) == len(found)
