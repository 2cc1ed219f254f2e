"""Intermediate results of inference, how objects of one kind merge, and the field that tells them apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from serbench.model.inference.evidence import TAG, USUAL_TAG, Evidence, Objects, Tag, ambiguity, weigh
from serbench.model.names import singular, word_set
from serbench.model.records import every_value

NUMBERS = {int, float}
_EXACT = 2**53  # every int up to here is exact as a float
_SAYS_NOTHING = word_set(
    """
    attributes data entries item items list node nodes object payload record records result results value values
    """
)
_MOST_UNLIKE = 32  # objects that are kept to be counted without repetitions
_MOST_COMPARED = 20  # earlier records of the same key that a new one is compared with


@dataclass(slots=True, eq=False)
class Shape:
    """Facts about the values of one column."""

    null: bool = False
    scalars: set[type] = field(default_factory=set)
    text: str | None = None  # kind of its texts, see `text_kind`
    low: int = 0  # bounds of its ints
    high: int = 0
    items: Shape | None = None
    object: Object | None = None
    mixed: bool = False  # True if only "any JSON" describes it
    seen: int = 0  # objects that have it, if it is a field

    @property
    def inexact(self) -> bool:
        """True if a float may not hold some int exactly."""
        return self.low < -_EXACT or self.high > _EXACT


@dataclass(slots=True, eq=False)
class Object:
    """Facts about the objects of one column, or of several joined columns."""

    key: str
    plural: bool
    parent: Object | None
    fields: dict[str, Shape] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)  # fields that some of the objects lack
    values: Shape | None = None  # set if it is a map
    tag: str | None = None  # key that distinguishes its variants
    variants: dict[str, Object] = field(default_factory=dict)  # by the value of the tag
    joined: Object | None = None  # the object that replaced this one
    path: tuple[str, ...] = ()  # of the first objects
    seen: int = 0  # objects of the record that have a key
    few: list[dict[str, Any]] | None = None  # these objects without repetitions, if they are few


_Pair = tuple[Object, Object]


def few_of(objects: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """Return the objects that have a key, each once; None if these are many."""
    found: list[dict[str, Any]] = []
    for one in filter(None, objects):
        if one not in found:
            if len(found) == _MOST_UNLIKE:
                return None
            found.append(one)
    return found


def fits(kinds: set[type], inexact: bool) -> bool:
    """Return whether one type describes values of all these kinds; exact ints count as floats."""
    return len(kinds) <= 1 or (kinds == NUMBERS and not inexact)


def join_same(objects: list[Object]) -> None:
    """Merge each record into the first earlier record of the same kind, as judged by field names.

    Records under the same key must share half of their names; a record nested in the other (a tree, a retweeted
    status), or under a key that says nothing (`data`, `items`), four fifths; any others all names, and have at least
    three fields with values of a common kind (`actor` and `owner`). What has never had a member, such as a list that was
    always empty, is no such field, and takes no stranger's members.
    """
    by_key: dict[str, list[Object]] = defaultdict(list)
    by_fields: dict[frozenset[str], Object] = {}
    differing: set[_Pair] = set()  # known not to agree, as long as nothing is joined
    for new in objects:
        if new.joined is not None or not (new.fields or new.variants):
            continue
        namesakes, names = by_key[singular(new.key).lower()], frozenset(new.fields)
        least = 0.8 if new.fields else 0.0  # one common variant is enough
        others = [(outer, least) for outer in _ancestors(new) if len(new.fields) >= 2 or new.variants]
        same = 0.8 if new.key.lower() in _SAYS_NOTHING else 0.5
        others += [(namesake, same) for namesake in namesakes[:_MOST_COMPARED]]
        for other, least in others:
            old = current(other)
            if old is not new and old.tag == new.tag and _overlap(old, new) >= least and _agree(old, new, differing):
                _join(old, new)
                differing.clear()
                break
        else:
            stranger = current(by_fields[names]) if len(names) >= 3 and names in by_fields else new
            if stranger is not new and _alike(stranger, new) and _agree(stranger, new, differing):
                _join(stranger, new)
                differing.clear()
                continue
            namesakes.append(new)
            by_fields.setdefault(names, new)


def _overlap(a: Object, b: Object) -> float:
    """Return the share of field names, or of tag values, that two records have in common; -1 if none."""
    names, others = (a.variants.keys(), b.variants.keys()) if a.tag else (a.fields.keys(), b.fields.keys())
    return len(names & others) / len(names | others) if names & others else -1.0


def _alike(old: Object, new: Object) -> bool:
    """Return whether two records of the same names, under different keys, have had values in common.

    A list or map that was always empty may have had the other's members or any others.
    """
    if old.tag != new.tag or _overlap(old, new) < 1:
        return False
    pairs = _shared_fields(old, new)
    common = sum(1 for a, b in pairs if kinds_of(a) & kinds_of(b) and not _is_hollow(a) and not _is_hollow(b))
    return common >= 3 and all(_is_hollow(a) == _is_hollow(b) for a, b in pairs if kinds_of(a) and kinds_of(b))


def _is_hollow(shape: Shape) -> bool:
    """Return whether all lists and objects of a column are empty."""
    inner = None if shape.object is None else current(shape.object)
    full = inner is not None and (inner.fields or inner.variants or inner.values)
    empty = shape.items is not None and not kinds_of(shape.items)
    return bool(empty or (inner is not None and not full))


def _ancestors(object_: Object) -> Iterator[Object]:
    """Yield the enclosing objects, except the variants of a union, which have no meaning outside it."""
    while object_.parent is not None:
        object_ = object_.parent
        if object_.parent is None or object_.parent.tag is None:
            yield object_


def current(object_: Object) -> Object:
    """Return the object that replaced this one after joining."""
    while object_.joined is not None:
        object_ = object_.joined
    return object_


def _agree(old: Object, new: Object, differing: set[_Pair]) -> bool:
    """Return whether joining the two turns no part of them into "any JSON"; add pairs that do not agree to `differing`."""
    outer_of: dict[_Pair, _Pair | None] = {(old, new): None}  # assumed to agree

    def differ(pair: _Pair | None) -> bool:
        while pair is not None:
            differing.add(pair)
            pair = outer_of[pair]
        return False

    if (old, new) in differing:
        return False
    todo = [(a, b, (old, new)) for a, b in _shared_fields(old, new)]
    while todo:
        a, b, outer = todo.pop()
        if a.mixed or b.mixed:
            if a.mixed and b.mixed:
                continue
            return differ(outer)
        kinds = kinds_of(a) | kinds_of(b)
        if not fits(kinds, a.inexact or b.inexact) and kinds_of(a) != kinds_of(b):
            return differ(outer)
        if datetime in a.scalars & b.scalars and a.text != b.text:  # with and without an offset
            return differ(outer)
        if a.items and b.items:
            todo.append((a.items, b.items, outer))
        if a.object and b.object:
            x, y = pair = current(a.object), current(b.object)
            if x is y or pair in outer_of:
                continue
            outer_of[pair] = outer
            if x.tag != y.tag or pair in differing:
                return differ(outer)
            if x.values and y.values:
                todo.append((x.values, y.values, pair))
            elif x.tag or (x.fields and y.fields):
                if not x.tag and _overlap(x, y) < 0.5:
                    return differ(outer)
                todo += [(a, b, pair) for a, b in _shared_fields(x, y)]
            elif (x.values or x.fields) and (y.values or y.fields):
                return differ(outer)
    return True


def _shared_fields(a: Object, b: Object) -> list[tuple[Shape, Shape]]:
    """Pair the shapes of common fields, within each common variant."""
    pairs = [(a.variants[value], b.variants[value]) for value in a.variants if value in b.variants] or [(a, b)]
    return [(shape, y.fields[key]) for x, y in pairs for key, shape in x.fields.items() if key in y.fields]


def kinds_of(shape: Shape) -> set[type]:
    """Return the Python types of the values, except None."""
    return shape.scalars | ({list} if shape.items else set()) | ({dict} if shape.object else set())


def _join(old: Object, new: Object) -> None:
    todo = _join_objects(old, new)
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        a.null |= b.null
        a.seen += b.seen
        a.low, a.high = min(a.low, b.low), max(a.high, b.high)
        a.scalars |= b.scalars
        a.mixed |= b.mixed
        if b.text is not None:
            a.text = b.text if a.text in (None, b.text) else "str"
        if a.items and b.items:
            todo.append((a.items, b.items))
        if a.object and b.object:
            todo += _join_objects(current(a.object), current(b.object))
        a.items, a.object = a.items or b.items, a.object or b.object


def _join_objects(old: Object, new: Object) -> list[tuple[Shape, Shape]]:
    """Merge two objects; return the pairs of inner shapes that remain to be merged."""
    if old is new:
        return []
    new.joined = old
    old.seen += new.seen
    old.few = None if old.few is None or new.few is None else few_of(old.few + new.few)
    if old.tag or new.tag:
        return _join_variants(old, new)
    if old.values or new.values:
        pool = [shape for o in (old, new) for shape in ([o.values] if o.values else o.fields.values())]
        old.values, old.fields = pool[0], {}
        return [(pool[0], other) for other in pool[1:]]
    old.missing |= new.missing | (old.fields.keys() ^ new.fields.keys())
    pairs = [(shape, new.fields[key]) for key, shape in old.fields.items() if key in new.fields]
    # The object with more fields sets the order; common fields keep the shape of `old`.
    fuller = new.fields if len(new.fields) > len(old.fields) else old.fields
    old.fields = {**fuller, **new.fields, **old.fields}
    return pairs


def _join_variants(old: Object, new: Object) -> list[tuple[Shape, Shape]]:
    pairs = []
    for value, variant in new.variants.items():
        if value in old.variants:
            pairs += _join_objects(old.variants[value], variant)
        else:
            old.variants[value] = variant
    return pairs


_KEY = re.compile(r"[@$_]{0,2}[A-Za-z][A-Za-z0-9_]{0,39}")
_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9_.:/ -]{0,59}")
_IDENTIFIER = re.compile(r"(?:\d.*){4}")
_MOST_KINDS, _MOST_UNUSUAL, _OBJECTS_EACH = 32, 8, 8
_FEW = 64  # objects; of fewer, those inside count too
_MOST_INSIDE = 10_000

Known: TypeAlias = Mapping[str, frozenset[str]]
"""The tags of the enclosing unions, with their values."""


def tag_key(keys: Sequence[str], dicts: Objects, known: Known) -> tuple[str | None, dict[str, Evidence]]:
    """Return the key that distinguishes kinds of objects, or None if the objects are of one kind; and the evidence.

    A key may be a tag if every object has it as a text that looks like a name, and if it has 2 to 32 different values. A
    key without a common name (`type`, `kind`, `op`, …) may have at most eight values, each with at least eight objects
    on average and a different set of keys; texts with several digits are identifiers there. By the rules of
    `evidence.TAG` the key with the most evidence wins, the first of several. The tag of an enclosing union is one again
    if some of its values recur, and may have a single value.

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
    best = max(weighed, key=lambda key: weighed[key].score, default=None)
    return best if best is not None and weighed[best].score > 0 else None, weighed


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
            if len(values) > most or not _VALUE.fullmatch(value) or (not usual and _IDENTIFIER.search(value)):
                return set()
    return values


def _with_inside(key: str, dicts: Objects, values: set[str]) -> Objects:
    """Return the objects and, if they are few, those inside them that have the key with one of the values, as in a tree."""
    if len(dicts) >= _FEW:
        return dicts
    inside = islice(every_value([value for each in dicts for value in each.values()]), 1, _MOST_INSIDE + 1)
    objects = (one for one in inside if type(one) is dict)
    return [*dicts, *(one for one in objects if type(one.get(key)) is str and one[key] in values)]
