"""The values that a subschema allows, by JSON type: the type that holds those of two subschemas at once, or of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from typing import Any, TypeAlias

from serbench.model.json_schema.references import ANY_VALUE, AnyOf, both_of, either_of
from serbench.model.scalars import FLOAT, INT, STR, Scalar

Source: TypeAlias = tuple[Any, ...]
"""What is equal for objects that the same subschemas describe."""


_numbers = count()


@dataclass(frozen=True)
class Plain:
    """Texts or numbers: their kinds, the values if only some are allowed, and names for them.

    `widest` is the kind that has all values.
    """

    widest: Scalar
    kinds: tuple[Scalar, ...]
    values: tuple[Any, ...] | None = None
    names: tuple[str, ...] = ()
    title: str = ""

    def both(self, other: Plain) -> Plain | None:
        """Return what both allow; of two kinds that exclude one another, the first."""
        kinds = tuple(dict.fromkeys(k for a in self.kinds for b in other.kinds if (k := self._narrower(a, b))))
        titled = self if self.values is not None else other
        values = titled.values
        if self.values is not None and other.values is not None:
            values = tuple(value for value in self.values if value in other.values)
        if values == ():
            return None
        return replace(titled, kinds=kinds or self.kinds, values=values)

    def _narrower(self, a: Scalar, b: Scalar) -> Scalar | None:
        """Return the kind of which the other one has all values, or None."""
        wider = {self.widest: 2, INT: 1}
        pair = sorted((a, b), key=lambda kind: wider.get(kind, 0))
        return pair[0] if a == b or pair[1] in wider else None

    def either(self, other: Plain) -> Plain:
        """Return what one of them allows."""
        kinds = tuple(dict.fromkeys((*self.kinds, *other.kinds)))
        if self.values is None or other.values is None:
            return replace(self, kinds=kinds, values=None, names=(), title="")
        names = (*self.names, *other.names) if self.names and other.names else ()
        more = [index for index, value in enumerate(other.values) if value not in self.values]
        if names:
            names = (*self.names, *(other.names[index] for index in more if index < len(other.names)))
        title = self.title if self.title == other.title else ""
        return replace(
            self, kinds=kinds, values=(*self.values, *(other.values[i] for i in more)), names=names, title=title
        )


@dataclass(frozen=True)
class Array:
    """Arrays: the first items, all further ones if something is said of them, the bounds of the length, whether it is a set."""

    first: tuple[AnyOf, ...] = ()
    items: AnyOf | None = None
    least: int = 0
    most: int | None = None
    is_set: bool = False

    @property
    def is_tuple(self) -> bool:
        """True if every array has the first items and no others."""
        return bool(self.first) and self.least == self.most == len(self.first)

    @property
    def any_item(self) -> AnyOf:
        """What an item may be, wherever it stands."""
        more = () if self.items is None or self.most == len(self.first) else (self.items,)
        return either_of(*self.first, *more) or ANY_VALUE

    def both(self, other: Array) -> Array:
        """Return what both allow."""
        length = max(len(self.first), len(other.first))
        most = [bound for bound in (self.most, other.most) if bound is not None]
        return Array(
            tuple(both_of(self._item(index), other._item(index)) for index in range(length)),
            both_of(self.items, other.items) if self.items and other.items else self.items or other.items,
            max(self.least, other.least),
            min(most) if most else None,
            self.is_set or other.is_set,
        )

    def _item(self, index: int) -> AnyOf:
        return self.first[index] if index < len(self.first) else self.items or ANY_VALUE

    def either(self, other: Array) -> Array:
        """Return what one of them allows; tuples of one length are one tuple."""
        if self.is_tuple and other.is_tuple and len(self.first) == len(other.first):
            first = tuple(either_of(a, b) for a, b in zip(self.first, other.first, strict=True))
            return replace(self, first=first)
        most = None if self.most is None or other.most is None else max(self.most, other.most)
        items = either_of(self.any_item, other.any_item)
        return Array((), items, min(self.least, other.least), most, self.is_set and other.is_set)


@dataclass(frozen=True)
class Object:
    """Objects: their properties, those that must be there, and what further keys may hold.

    Attributes:
        properties: what stands under each key.
        required: the keys that must be there.
        more: what each kind of further key holds, as far as a subschema says it.
        is_open: whether there may be further keys of which no subschema says what they hold.
        source: the subschemas that say all this.
        name: what it is called, if it is called anything.
        loose: the properties that only some alternatives describe, of which others allow any value.
    """

    properties: Mapping[str, AnyOf] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    more: tuple[AnyOf, ...] = ()
    is_open: bool = True
    source: Source = ()
    name: str = ""
    loose: frozenset[str] = frozenset()

    @property
    def is_any(self) -> bool:
        """True if nothing is said of its keys."""
        return self.is_open and not self.properties and not self.more

    def both(self, other: Object) -> Object:
        """Return what both allow."""
        if not other.source:
            return replace(self, name=other.name or self.name)
        common = {key: self._both_at(key, other) for key in self.properties if key in other.properties}
        return Object(
            {**self.properties, **other.properties, **common},
            self.required | other.required,
            (*self.more, *other.more),
            self.is_open and other.is_open,
            tuple(sorted({*self.source, *other.source}, key=repr)),
            other.name or self.name,
            (self.loose - (other.properties.keys() - other.loose))
            | (other.loose - (self.properties.keys() - self.loose)),
        )

    def _both_at(self, key: str, other: Object) -> AnyOf:
        """Return what both allow for a property; what only some alternatives say of it holds where nothing else is said."""
        mine, theirs = self.properties[key], other.properties[key]
        if key in self.loose and key in other.loose:
            return either_of(mine, theirs)
        return theirs if key in self.loose else mine if key in other.loose else both_of(mine, theirs)


@dataclass(frozen=True)
class Allowed:
    """The values that a subschema allows: None, False or no object if it allows none of the JSON type.

    `untyped` is true if nothing says of which types they are; `hints` are the types that its other keywords are about.
    """

    null: bool = True
    boolean: bool = True
    number: Plain | None = Plain(FLOAT, (FLOAT,))
    text: Plain | None = Plain(STR, (STR,))
    array: Array | None = Array()
    objects: tuple[Object, ...] = (Object(),)
    untyped: bool = True
    hints: frozenset[str] = frozenset()

    @property
    def is_anything(self) -> bool:
        """True if nothing is said of the values."""
        return self.untyped and not self.hints

    @property
    def is_nothing(self) -> bool:
        """True if there are no such values."""
        return not (self.null or self.boolean or self.number or self.text or self.array or self.objects)

    def both(self, other: Allowed) -> Allowed:
        """Return what both allow."""
        return Allowed(
            self.null and other.null,
            self.boolean and other.boolean,
            self.number and other.number and self.number.both(other.number),
            self.text and other.text and self.text.both(other.text),
            self.array and other.array and self.array.both(other.array),
            tuple(a.both(b) for a in self.objects for b in other.objects),
            self.untyped and other.untyped,
            self.hints | other.hints,
        )

    def either(self, other: Allowed) -> Allowed:
        """Return what one of them allows; each kind of object stays one of its own."""
        if self.is_anything or other.is_anything:
            return Allowed()
        return Allowed(
            self.null or other.null,
            self.boolean or other.boolean,
            self.number.either(other.number) if self.number and other.number else self.number or other.number,
            self.text.either(other.text) if self.text and other.text else self.text or other.text,
            self.array.either(other.array) if self.array and other.array else self.array or other.array,
            (*self.objects, *other.objects),
            self.untyped and other.untyped,
            self.hints | other.hints,
        )

    def settled(self) -> Allowed:
        """Return the values of the types that the keywords are about, if nothing else says of which types they are."""
        if not self.untyped or not self.hints:
            return self
        return replace(
            NONE,
            array=self.array if "array" in self.hints else None,
            objects=self.objects if "object" in self.hints else (),
        )


NONE = Allowed(null=False, boolean=False, number=None, text=None, array=None, objects=(), untyped=False)


def distinct(objects: Iterable[Object]) -> tuple[Object, ...]:
    """Return the objects, those of the same subschemas once."""
    return tuple({(one.source, one.required): one for one in objects}.values())


def merged(objects: Iterable[Object]) -> Object:
    """Return one object that allows what any of these allow: all their properties, of which those of each are required."""
    some = list(objects)
    if len(some) == 1:
        return some[0]
    names = {one.name for one in some}
    return Object(
        {key: either_of(*(one.properties[key] for one in some if key in one.properties)) for key in _keys(some)},
        frozenset.intersection(*(one.required for one in some)),
        tuple(node for one in some for node in one.more),
        any(one.is_open for one in some),
        _any_of(*(one.source for one in some)),
        names.pop() if len(names) == 1 else "",
        frozenset(
            key
            for key in _keys(some)
            for one in some
            if key in one.loose or (one.is_open and key not in one.properties)
        ),
    )


@lru_cache(1 << 16)
def _any_of(*_sources: Source) -> Source:
    """Return a short source for several, the same for the same: what holds them would double with each condition."""
    return ("any of", next(_numbers))


def _keys(objects: list[Object]) -> Iterator[str]:
    yield from dict.fromkeys(key for one in objects for key in one.properties)
