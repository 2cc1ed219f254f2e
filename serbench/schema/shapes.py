"""What inference knows of a document's parts, and when two objects in it are the same thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from serbench.schema.names import singular

NUMBERS = {int, float}
_EXACT = 2**53  # every int up to here is exact as a float
_MOST_COMPARED = 20  # records of one key that a new one is compared with


@dataclass(slots=True, eq=False)
class Shape:
    """What is known about the values of one column."""

    null: bool = False
    scalars: set[type] = field(default_factory=set)
    text: str | None = None  # what its texts stand for, where that is known: see `text_kind`
    low: int = 0  # no int in it is less, and none is more than `high`
    high: int = 0
    items: Shape | None = None
    object: Object | None = None
    mixed: bool = False  # nothing but "any JSON" describes it

    @property
    def inexact(self) -> bool:
        """Whether there may be an int that a float cannot hold."""
        return self.low < -_EXACT or self.high > _EXACT


@dataclass(slots=True, eq=False)
class Object:
    """What is known about the objects of one column, or of several that were joined."""

    key: str
    plural: bool
    parent: Object | None
    fields: dict[str, Shape] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)  # fields that some of the objects lack
    values: Shape | None = None  # of a map
    tag: str | None = None  # the key that tells its variants apart
    variants: dict[str, Object] = field(default_factory=dict)  # by the value of the tag
    joined: Object | None = None  # the object that now stands for this one


def fits(kinds: set[type], inexact: bool) -> bool:
    """Whether one type describes values of all these kinds; ints join floats if each has an exact float."""
    return len(kinds) <= 1 or (kinds == NUMBERS and not inexact)


def join_same(objects: list[Object]) -> None:
    """Joins each record with the first earlier one that is the same thing, by its field names.

    Under one key half of the names must be shared; nested in the other (a tree, a retweeted status)
    four in five; elsewhere all, and at least three (`actor` and `owner`).
    """
    by_key: dict[str, list[Object]] = defaultdict(list)
    by_fields: dict[frozenset[str], Object] = {}
    for new in objects:
        if new.joined is not None or not (new.fields or new.variants):
            continue
        namesakes, names = by_key[singular(new.key).lower()], frozenset(new.fields)
        least = 0.8 if new.fields else 0.0  # any variant in common
        others = [(outer, least) for outer in _ancestors(new) if len(new.fields) >= 2 or new.variants]
        others += [(namesake, 0.5) for namesake in namesakes[:_MOST_COMPARED]]
        if len(names) >= 3 and names in by_fields:
            others.append((by_fields[names], 1.0))
        for other, least in others:
            old = current(other)
            if old is not new and old.tag == new.tag and _overlap(old, new) >= least and _agree(old, new):
                _join(old, new)
                break
        else:
            namesakes.append(new)
            by_fields.setdefault(names, new)


def _overlap(a: Object, b: Object) -> float:
    """How much of their names, or of the values of their tags, two records have in common; -1 for nothing."""
    names, others = (a.variants.keys(), b.variants.keys()) if a.tag else (a.fields.keys(), b.fields.keys())
    return len(names & others) / len(names | others) if names & others else -1.0


def _ancestors(found: Object) -> Iterator[Object]:
    """The objects around it, but for the variants of a union: these are nothing outside of it."""
    while found.parent is not None:
        found = found.parent
        if found.parent is None or found.parent.tag is None:
            yield found


def current(found: Object) -> Object:
    """The object that stands for this one after joining."""
    while found.joined is not None:
        found = found.joined
    return found


def _agree(old: Object, new: Object) -> bool:
    """Whether the two can be joined without anything in them becoming "any JSON"."""
    assumed = {(old, new)}
    todo = _shared_fields(old, new)
    while todo:
        a, b = todo.pop()
        if a.mixed or b.mixed:
            if a.mixed and b.mixed:
                continue
            return False
        kinds = kinds_of(a) | kinds_of(b)
        if not fits(kinds, a.inexact or b.inexact) and kinds_of(a) != kinds_of(b):
            return False
        if a.items and b.items:
            todo.append((a.items, b.items))
        if a.object and b.object:
            x, y = current(a.object), current(b.object)
            if x is y or (x, y) in assumed:
                continue
            assumed.add((x, y))
            if x.tag != y.tag:
                return False
            if x.values and y.values:
                todo.append((x.values, y.values))
            elif x.tag:
                todo += _shared_fields(x, y)
            elif x.fields and y.fields:
                if _overlap(x, y) < 0.5:
                    return False
                todo += _shared_fields(x, y)
            elif (x.values or x.fields) and (y.values or y.fields):
                return False
    return True


def _shared_fields(a: Object, b: Object) -> list[tuple[Shape, Shape]]:
    """The shapes of the fields that both have, within each variant that both have."""
    pairs = [(a.variants[value], b.variants[value]) for value in a.variants if value in b.variants] or [(a, b)]
    return [(shape, y.fields[key]) for x, y in pairs for key, shape in x.fields.items() if key in y.fields]


def kinds_of(shape: Shape) -> set[type]:
    """The Python types of the values, null aside."""
    return shape.scalars | ({list} if shape.items else set()) | ({dict} if shape.object else set())


def _join(old: Object, new: Object) -> None:
    """Lets `old` describe the objects of both, and likewise everything inside them."""
    todo = _join_objects(old, new)
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        a.null |= b.null
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
    """Joins the objects themselves; returns the pairs of shapes that are still to be joined."""
    if old is new:
        return []
    new.joined = old
    if old.tag or new.tag:
        return _join_variants(old, new)
    if old.values or new.values:
        pool = [shape for o in (old, new) for shape in ([o.values] if o.values else o.fields.values())]
        old.values, old.fields = pool[0], {}
        return [(pool[0], other) for other in pool[1:]]
    old.missing |= new.missing | (old.fields.keys() ^ new.fields.keys())
    pairs = [(shape, new.fields[key]) for key, shape in old.fields.items() if key in new.fields]
    # The order is that of the fuller one; shared fields keep the shape of `old`.
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
