"""Finds the values that subschemas allow, by JSON type: the type that holds those of two subschemas at once, or of either."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import chain, count
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.fidelity.kinds import KINDS
from serbench.model.json_schema.references import ANYTHING, NOTHING, TYPES, Notes, References, Subschema, short
from serbench.model.json_schema.write import X_KINDS
from serbench.model.names import word_set
from serbench.model.scalars import BYTES, FLOAT, INT, INTEGERS, STR, UINT64, Scalar

Source: TypeAlias = tuple[Any, ...]
"""What is equal for objects that the same subschemas describe."""


AllOf: TypeAlias = tuple[Subschema, ...]
"""Subschemas that all describe a value."""
AnyOf: TypeAlias = tuple[AllOf, ...]
"""Alternatives of which at least one describes a value."""
ANY_VALUE: AnyOf = ((),)
_MOST_ALTERNATIVES = 64


def key_of(node: Iterable[AllOf]) -> tuple[tuple[int, ...], ...]:
    """Return what is equal for the same alternatives of the same subschemas."""
    return tuple(tuple(part.key for part in parts) for parts in node)


def either_of(*nodes: AnyOf) -> AnyOf:
    """Return the alternatives of all, each once."""
    return tuple({key_of((parts,)): parts for node in nodes for parts in node}.values())


def both_of(a: AnyOf, b: AnyOf) -> AnyOf:
    """Return the alternatives of both at once; if they are too many, those of the first alone, which allow more."""
    if key_of(a) == key_of(b) or len(a) * len(b) > _MOST_ALTERNATIVES:
        return a
    return either_of(tuple(tuple({one.key: one for one in (*x, *y)}.values()) for x in a for y in b))


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

    def shares(self, other: Plain) -> bool:
        """Return True if both allow a value."""
        alike = any(self._narrower(a, b) for a in self.kinds for b in other.kinds)
        return alike and (self.values is None or other.values is None or not {*self.values}.isdisjoint(other.values))

    def _narrower(self, a: Scalar, b: Scalar) -> Scalar | None:
        """Return the kind of which the other one has all values, or None."""
        wider = {self.widest: 2, INT: 1}
        pair = sorted((a, b), key=lambda kind: wider.get(kind, 0))
        return pair[0] if a == b or pair[1] in wider else None

    def either(self, other: Plain) -> Plain:
        """Return what at least one of the two allows."""
        kinds = tuple(dict.fromkeys((*self.kinds, *other.kinds)))
        if self.values is None or other.values is None:
            return replace(self, kinds=kinds, values=None, names=(), title="")
        values = tuple(dict.fromkeys((*self.values, *other.values)))
        names = self.names if values == self.values else ()  # of more values, each is called after itself
        return replace(
            self, kinds=kinds, values=values, names=names, title=self.title if self.title == other.title else ""
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
    def key(self) -> Hashable:
        """What is equal for arrays that the same subschemas describe."""
        return (tuple(map(key_of, self.first)), key_of(self.items or ()), self.least, self.most, self.is_set)

    @property
    def is_tuple(self) -> bool:
        """True if every array has the first items and no others."""
        return bool(self.first) and self.least == self.most == len(self.first)

    @property
    def any_item(self) -> AnyOf:
        """The values that an item may have, at any position."""
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
        """Return what at least one of the two allows; tuples of one length are one tuple."""
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
    def key(self) -> Hashable:
        """What is equal for the same values of objects that the same subschemas describe."""
        objects = tuple((one.source, one.required, one.name) for one in self.objects)
        array = self.array and self.array.key
        return (self.null, self.boolean, self.number, self.text, array, objects, self.untyped, self.hints)

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
        """Return what at least one of the two allows; each kind of object stays one of its own."""
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


_FORMATS = {"byte": BYTES} | {
    row.json_schema["format"]: Scalar(kind)
    for kind, row in KINDS.items()
    if row.builtin and "format" in row.json_schema
}
_OBJECT = ("properties", "required", "patternProperties", "additionalProperties", "unevaluatedProperties")
_ARRAY = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "unevaluatedItems")
_UNCHECKED = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"),
    *("minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependencies", "not"),
    *("contentEncoding", "contentMediaType", "contentSchema"),
)
_DYNAMIC = {"$dynamicRef", "$recursiveRef"}
_SAYING = frozenset({*_OBJECT, *_ARRAY, *_UNCHECKED, *_DYNAMIC}) | word_set(
    "type format enum const x-kind x-names $ref allOf anyOf oneOf discriminator if then else dependentSchemas additionalItems"
)
"""The keywords that say something of the values; all others, also those that nobody knows, are remarks."""


@dataclass
class _Conjunction:
    """Subschemas that apply to the same value, the alternatives of which some apply too, and the name of the whole.

    Of alternatives that `choices` has with True, exactly one applies. `is_any` is true if no one reads all of them.
    """

    parts: list[Subschema] = field(default_factory=list)
    choices: list[tuple[list[AllOf], bool]] = field(default_factory=list)
    name: str | None = None
    is_any: bool = False
    seen: set[int] = field(default_factory=set)


def _overlap(some: Sequence[Allowed]) -> bool:
    """Return True if two of these allow null, or the same number or text; of listed values each is looked up."""
    for plains in ([one.number for one in some if one.number], [one.text for one in some if one.text]):
        met: defaultdict[object, list[Plain]] = defaultdict(list)
        for plain in plains:
            values = (None,) if plain.values is None else plain.values
            alike = met.values() if plain.values is None else (met[value] for value in (None, *values))
            if any(plain.shares(other) for other in chain.from_iterable(alike)):
                return True
            for value in values:
                met[value].append(plain)
    return sum(one.null for one in some) > 1


@dataclass
class Applying:
    """Finds the values that subschemas allow: resolves `$ref` by `references`, and reports to `notes` what it widens."""

    references: References
    notes: Notes
    _inside: set[Hashable] = field(default_factory=set)
    _made: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _known: dict[Any, Allowed] = field(default_factory=dict)
    _chosen_from: dict[Any, Allowed] = field(default_factory=dict)  # while one node is looked at, which has one place
    _cycles: int = 0

    def allowed(self, node: AnyOf) -> Allowed:
        """Return what the alternatives allow."""
        key = (key_of(node), self.notes.is_quiet)
        allowed = None if self._inside else self._known.get(key)
        if allowed is None:
            allowed = self._either([self._all_of(parts, Allowed()) for parts in node])
        if not self._inside:
            self._known[key] = allowed
            self._chosen_from.clear()
        return allowed

    def annotation(self, node: AnyOf, keyword: str) -> Any:
        """Return what the subschemas say by a keyword, the outermost first; None if they or the alternatives do not say one thing."""
        said = [[one.part[keyword] for one in self._flat(parts).parts if keyword in one.part] for parts in node]
        return said[0][0] if said and all(values and values[0] == said[0][0] for values in said) else None

    def tag(self, objects: tuple[Object, ...]) -> tuple[str, dict[str, list[Object]]] | None:
        """Return the key that has one constant text in each of the objects, and the objects of each text; or None."""
        common = [key for key in objects[0].properties if all(key in one.properties for one in objects)]
        for key in common:
            groups: dict[str, list[Object]] = {}
            for one in objects:
                value = self._constant(one.properties[key])
                if value is None:
                    break
                groups.setdefault(value, []).append(one)
            else:
                if len(groups) > 1:
                    return key, groups
        return None

    def _constant(self, node: AnyOf) -> str | None:
        """Return the only text that a property may have, or None."""
        with self.notes.quiet():
            allowed = self.allowed(node)
        values = allowed.text.values if allowed.text and replace(allowed, text=None).is_nothing else None
        return values[0] if values and len(values) == 1 else None

    def _either(self, options: list[Allowed]) -> Allowed:
        some = [option.settled() for option in options if not option.is_nothing]
        if any(option.untyped and option.hints for option in options):
            self.notes.narrowly("objects or arrays alone, where their keywords stand without a type")
        if not some:
            return NONE
        arrays = {key_of(one.array.any_item) for one in some if one.array}
        if len(arrays) > 1 and not any(one.is_anything for one in some):
            self.notes.widely("different arrays, as one list of any of their items")
        allowed = reduce(Allowed.either, some)
        return replace(allowed, objects=distinct(allowed.objects))

    def _all_of(self, parts: AllOf, base: Allowed) -> Allowed:
        inside = {part.key for part in parts if part.part}
        if inside & self._inside:
            self.notes.widely("what contains itself, as any JSON")
            self._cycles += 1
            return base
        self._inside |= inside
        allowed = self._applied(self._flat(parts), base)
        self._inside -= inside
        return replace(allowed, null=True) if any(part.part.get("nullable") is True for part in parts) else allowed

    def _applied(self, flat: _Conjunction, base: Allowed) -> Allowed:
        if flat.is_any:
            return Allowed()
        allowed = reduce(Allowed.both, map(self._of_keywords, flat.parts), base)
        closed = [one for one in flat.parts if one.part.get("additionalProperties") in (False, NOTHING)]
        known = {key for one in flat.parts for key in one.named("properties")} if closed else set()
        if any(not known <= one.named("properties").keys() and "patternProperties" not in one.part for one in closed):
            self.notes.widely("properties beside a part that allows no further ones, as if it did")
        if flat.name:
            allowed = replace(allowed, objects=tuple(replace(one, name=flat.name) for one in allowed.objects))
        for options, only_one in flat.choices:
            allowed = self._chosen(options, allowed, only_one=only_one)
        return allowed

    def _chosen(self, options: list[AllOf], base: Allowed, *, only_one: bool) -> Allowed:
        """Return what one of the options allows beside the base, found once: several references may lead to them."""
        key, cycles = (key_of(options), only_one, base.key, self.notes.is_quiet), self._cycles
        if key not in self._chosen_from:
            allowed = self._either_of(options, base, only_one=only_one)
            if self._cycles > cycles:  # depends on what it stands in
                return allowed
            self._chosen_from[key] = allowed
        return self._chosen_from[key]

    def _either_of(self, options: list[AllOf], base: Allowed, *, only_one: bool) -> Allowed:
        if len(base.objects) > 1 and self.tag(base.objects) is None:
            base = replace(base, objects=(self.one_object(base.objects),))
        alone = len(base.objects) <= 1
        some = [self._all_of(option, base if alone else Allowed()) for option in options]
        if only_one and _overlap([one.settled() for one in some]):
            self.notes.widely("oneOf, as anyOf: no model checks that no other alternative fits")
        beside = self._either(some)
        return (
            beside
            if alone
            else base.both(replace(beside, objects=(self.one_object(beside.objects),) if beside.objects else ()))
        )

    def one_object(self, objects: tuple[Object, ...]) -> Object:
        """Return one object for several that no constant tells apart, and note what that widens."""
        widest = merged(objects)
        if len(objects) > 1 and any(one.is_any for one in objects):
            self.notes.widely("objects of which one alternative says nothing, as a map of any JSON")
            return Object(source=widest.source)
        shapes = {tuple((key, key_of(node)) for key, node in one.properties.items()) for one in objects}
        if len(shapes) > 1:
            self.notes.widely("objects that no constant tells apart, as one record with the fields of all")
        elif any(one.required != widest.required for one in objects):
            self.notes.widely("keys that only some alternatives require, as optional")
        return widest

    def _flat(self, parts: AllOf) -> _Conjunction:
        """Follow references and `allOf`."""
        flat = _Conjunction()
        for part in parts:
            self._add(part, flat, ())
        return flat

    def _add(self, subschema: Subschema, flat: _Conjunction, outer: tuple[int, ...]) -> None:
        if subschema.key in outer and flat.name is None:
            raise SchemaError("the JSON Schema has a reference that resolves to itself; replace it by a type")
        if subschema.key in flat.seen and subschema.part:
            return
        outer = (*outer, subschema.key)
        flat.seen.add(subschema.key)
        if "$ref" in subschema.part and subschema.older:
            subschema = self._alone(subschema)
        if subschema.part.keys() & _DYNAMIC:
            self.notes.widely("$dynamicRef and $recursiveRef, as any JSON")
            flat.is_any = True
        inner = subschema.those("allOf")
        says = (subschema.part.keys() & _SAYING) - {"$ref", "allOf"}
        if flat.name is None and (says or len(inner) + ("$ref" in subschema.part) > 1):
            flat.name = str(subschema.part.get("title") or subschema.name)
        flat.parts.append(subschema)
        for target in self._target(subschema):
            self._add(target, flat, outer)
        for each in inner:
            self._add(replace(each, name=subschema.name), flat, outer)
        for word in ("oneOf", "anyOf"):
            if word in subschema.part:
                options = [self._option(subschema, option) for option in subschema.those(word)]
                flat.choices.append((options, word == "oneOf"))
        flat.choices += ((options, False) for options in self._conditions(subschema))

    def _conditions(self, subschema: Subschema) -> Iterator[list[AllOf]]:
        """Yield what `if`, `then`, `else` and dependent keys say, as alternatives of which one applies."""
        if {"if"} < subschema.part.keys() & {"if", "then", "else"}:
            self.notes.widely("if, then and else, which no model checks")
            yield [(subschema.one("if"), subschema.one("then")), (subschema.one("else"),)]
        for part in (*subschema.named("dependentSchemas").values(), *subschema.named("dependencies").values()):
            self.notes.widely("the schemas of dependent keys, which no model checks")
            yield [(), (part,)]

    def _alone(self, subschema: Subschema) -> Subschema:
        """Return a reference of an older draft, which ignores all keywords beside it that say something."""
        ignored = (subschema.part.keys() & _SAYING) - {"$ref"}
        if ignored:
            self.notes.ignored("what stands beside $ref, as its draft says")
        kept = {key: value for key, value in subschema.part.items() if key not in ignored}
        return replace(subschema, part=self._made.setdefault(("alone", id(subschema.part)), kept))

    def _target(self, subschema: Subschema) -> Iterator[Subschema]:
        """Yield what the reference of a subschema refers to, if it has one and no network is needed."""
        if "$ref" not in subschema.part:
            return
        reference = str(subschema.part["$ref"])
        target = self.references.target(subschema, reference)
        if target is not None:
            yield target
        elif self.notes.where:
            self.notes.widely(f"{short(reference)}, which is not in the folder, as any JSON")
        else:
            raise SchemaError(
                f"the JSON Schema refers to {short(reference)}, which is not in its folder; copy it there"
            )

    def _option(self, subschema: Subschema, inner: Subschema) -> AllOf:
        """Return an option, and the value that the discriminator beside it says of it."""
        named = subschema.part.get("discriminator")
        key = named.get("propertyName") if isinstance(named, dict) else None
        if not isinstance(named, dict) or not isinstance(key, str) or "$ref" not in inner.part:
            return (inner,)
        with self.notes.quiet():
            objects = self._all_of((inner,), Allowed()).objects
        if all(key in each.properties and self._constant(each.properties[key]) for each in objects):
            return (inner,)
        reference, mapping = inner.part["$ref"], named.get("mapping")
        last = reference.rpartition("/")[2]
        known = [k for k, to in mapping.items() if to in (reference, last)] if isinstance(mapping, dict) else []
        made = {"type": "object", "properties": {key: {"enum": known or [last]}}, "required": [key]}
        return (inner, replace(inner, part=self._made.setdefault(("tag", id(inner.part)), made), name=""))

    def _of_keywords(self, subschema: Subschema) -> Allowed:
        """Return what a subschema allows, but for its references and alternatives."""
        part = subschema.part
        if _allows_nothing(part):
            return NONE
        for word in _UNCHECKED:
            if _is_lost(word, part):
                self.notes.unchecked(word, part)
        if "x-kind" in part and not _x_kind(part):
            self.notes.ignored("an x-kind that serbench does not write")
        allowed = self._of_type(part).both(self._of_values(part))
        if allowed.text and part.get("format") not in (None, *_FORMATS):
            self.notes.unchecked(f"format {short(part['format'])[1:-1]}", part)
        if any(word in part for word in _OBJECT):
            allowed = allowed.both(Allowed(objects=(_object(subschema),), hints=frozenset({"object"})))
        if any(word in part for word in _ARRAY):
            allowed = allowed.both(Allowed(array=_array(subschema), hints=frozenset({"array"})))
        return allowed

    def _of_type(self, part: dict[str, Any]) -> Allowed:
        kinds = _json_types(part)
        for kind in kinds:
            if kind not in TYPES:  # below a keyword that is newer than the schema's draft
                raise SchemaError(f"the JSON Schema has an unknown type {short(kind)}; use {', '.join(TYPES)}")
        known, coded = _scalar(part), Allowed()
        if known is not None:
            number = known in INTEGERS
            coded = Allowed(number=Plain(FLOAT, (known,))) if number else Allowed(text=Plain(STR, (known,)))
        if not kinds:
            return coded
        numbers = [FLOAT] * ("number" in kinds) + [INT] * ("integer" in kinds)
        typed = Allowed(
            null="null" in kinds or part.get("nullable") is True,
            boolean="boolean" in kinds,
            number=Plain(FLOAT, tuple(numbers)) if numbers else None,
            text=Plain(STR, (STR,)) if "string" in kinds else None,
            array=Array() if "array" in kinds else None,
            objects=(Object(),) if "object" in kinds else (),
            untyped=False,
        )
        return typed.both(coded)

    def _of_values(self, part: dict[str, Any]) -> Allowed:
        """Return what `enum` and `const` allow."""
        if "enum" not in part and "const" not in part:
            return Allowed()
        values = part["enum"] if "enum" in part else [part["const"]]
        if "enum" in part and "const" in part:
            values = [value for value in values if (type(value), value) == (type(part["const"]), part["const"])]
        by_type: dict[type, list[Any]] = {}
        for value in values:
            if value not in by_type.setdefault(type(value), []):
                by_type[type(value)].append(value)
        names, title = part.get("x-names"), str(part.get("title", ""))
        kinds = by_type.keys() - {type(None)}
        listed = next((tuple(by_type[kind]) for kind in (str, int) if kinds == {kind}), None)
        if kinds and listed is None and not (kinds == {bool} and len(by_type[bool]) > 1):
            self.notes.widely("values that are not all texts or all ints, as any of their types")
        named = tuple(map(str, names)) if isinstance(names, list) else ()
        text = Plain(STR, (STR,), listed, named, title) if str in kinds else None
        number = Plain(FLOAT, (FLOAT,) if float in kinds else (INT,), listed, named, title)
        return Allowed(
            null=type(None) in by_type or part.get("nullable") is True,
            boolean=bool in kinds,
            number=number if kinds & {int, float} else None,
            text=text,
            array=Array() if list in kinds else None,
            objects=(Object(),) if dict in kinds else (),
            untyped=False,
        )


def _allows_nothing(part: dict[str, Any]) -> bool:
    return "not" in part and part["not"] in (ANYTHING, True)


def _is_lost(word: str, part: dict[str, Any]) -> bool:
    """Return True if a keyword says something that no type can hold."""
    if word not in part or part[word] in (False, 0):
        return False
    if word == "contentEncoding":
        return bool(part[word] != "base64")
    if word == "dependencies":
        return any(isinstance(needed, list) for needed in part[word].values())
    if word in ("minItems", "maxItems"):
        return "prefixItems" not in part and not isinstance(part.get("items"), list)
    return not (word == "uniqueItems" and part.get("x-kind") == "set")


def _json_types(part: dict[str, Any]) -> list[Any]:
    named = part.get("type")
    return named if isinstance(named, list) else [] if named is None else [named]


def _x_kind(part: dict[str, Any]) -> str:
    """Return the x-kind of a subschema if serbench writes it beside such a type, or else ""."""
    kind = part.get("x-kind")
    return kind if isinstance(kind, str) and X_KINDS.get(kind) in _json_types(part) else ""


def _scalar(part: dict[str, Any]) -> Scalar | None:
    """Return the kind of text or number that a subschema names beside its type."""
    kind = _x_kind(part)
    if kind and kind != "set":
        return Scalar(kind)
    if part.get("format") == "uint64" and part.get("type") == "integer":
        return UINT64
    if part.get("contentEncoding") == "base64":
        return BYTES
    return _FORMATS.get(str(part.get("format")))


def _object(subschema: Subschema) -> Object:
    word = "additionalProperties" if "additionalProperties" in subschema.part else "unevaluatedProperties"
    further = subschema.one(word)
    some = [*subschema.named("patternProperties").values(), *([] if _allows_nothing(further.part) else [further])]
    more = [inner for inner in some if inner.part.keys() & _SAYING]
    return Object(
        {key: ((inner,),) for key, inner in subschema.named("properties").items()},
        frozenset(map(str, subschema.part.get("required", ()))),
        tuple(((inner,),) for inner in more),
        len(more) < len(some),
        (subschema.key,),
    )


def _array(subschema: Subschema) -> Array:
    older = isinstance(subschema.part.get("items"), list)  # the name of prefixItems before draft 2020-12
    first = subschema.those("items" if older else "prefixItems")
    word = "additionalItems" if older else "items" if "items" in subschema.part else "unevaluatedItems"
    rest = subschema.one("items" if word == "unevaluatedItems" and "contains" in subschema.part else word)
    most = subschema.part.get("maxItems")
    if _allows_nothing(rest.part):
        most = len(first) if most is None else min(most, len(first))
    return Array(
        tuple(((inner,),) for inner in first),
        None if rest.part == ANYTHING or _allows_nothing(rest.part) else ((rest,),),
        int(subschema.part.get("minItems", 0)),
        None if most is None else int(most),
        subschema.part.get("x-kind") == "set",
    )
