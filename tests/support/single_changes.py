"""Values with exactly one change, and objects of many kinds of classes that hold values, right or wrong."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections import namedtuple
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st

from serbench.measure.probes.drawing import strategy
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.model.scalars import CLASSES, SCALAR_KINDS, Scalar
from serbench.render.source.models import tag_field

_ZONE = timezone(timedelta(hours=9))


def single_changes(value: Any, others: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Yield the value with one change, each in turn; `others` are members and tags that may stand for one another."""
    if isinstance(value, dict):
        yield from _changed_dicts(value, others)
    elif isinstance(value, list | tuple | set):
        yield from _changed_sequences(value, others)
    else:
        yield from _changed_scalars(value)
        yield from (other for other in others if type(other) is type(value) and other != value)
    if value is not None:
        yield None


def _changed_dicts(value: dict[str, Any], others: tuple[Any, ...]) -> Iterator[Any]:
    yield {**value, "surplus": 0}
    for key, item in value.items():
        rest = {name: one for name, one in value.items() if name != key}
        yield rest
        yield {**rest, f"{key}x": item}
        yield from ({**value, key: changed} for changed in single_changes(item, others))
    yield list(value.values())


def _changed_sequences(value: Any, others: tuple[Any, ...]) -> Iterator[Any]:
    cls, items = type(value), list(value)
    yield from (other(items) for other in (list, tuple) if other is not cls)
    yield cls([*items, "surplus"])
    if items:
        yield cls(items[:-1])
        yield cls([*items, items[0]])
        yield cls(items[::-1])
    for index, item in enumerate(items):
        for changed in single_changes(item, others):
            if cls is not set or changed.__hash__ is not None:
                yield cls([*items[:index], changed, *items[index + 1 :]])


def _changed_scalars(value: Any) -> Iterator[Any]:
    yield from (str(value), [value], {"a": value}, 0, False, "")
    match value:
        case bool():
            yield from (not value, int(value), float(value))
        case int():
            yield from (value + 1, -value, bool(value), _subclass(value))
            if abs(value) < 2**53:
                yield from (float(value), Decimal(value))
        case float():
            yield from (-value, value * 2 + 1, bool(value), _subclass(value))
            if math.isfinite(value):
                yield from (math.nextafter(value, math.inf), int(value), Decimal(value), float(f"{value:.3g}"))
        case str():
            yield from (f"{value}x", value[:-1], value.upper(), value.encode(), _subclass(value))
        case bytes():
            yield from (value + b"x", value[:-1], bytearray(value), value.decode("latin-1"))
        case datetime():
            yield from (value + timedelta(microseconds=1), value.replace(microsecond=value.microsecond // 1000 * 1000))
            yield from (value.replace(tzinfo=None), value.replace(tzinfo=UTC), value.replace(tzinfo=_ZONE))
            yield from (value.isoformat()[:-3], value.date(), value.timestamp() + 1e-3)
            if value.tzinfo:
                yield value.astimezone(_ZONE)
        case date():
            yield from (value + timedelta(days=1), datetime(value.year, value.month, value.day))  # noqa: DTZ001
        case time():
            yield from (value.replace(microsecond=(value.microsecond + 1) % 1000), value.replace(tzinfo=UTC))
        case timedelta():
            yield from (value + timedelta(microseconds=1), -value, value.total_seconds() + 1)
        case Decimal():
            yield from (value + Decimal("1e-9"), -value, float(value), value.normalize())
        case UUID():
            yield from (UUID(int=value.int ^ 1), value.int)


def _subclass(value: Any) -> Any:
    return type("Special", (type(value),), {})(value)


class Unrepresentable(Exception):
    """Objects of this kind cannot be so."""


_Make = Callable[[dict[str, Any]], Any]


def _filled(cls: Any) -> _Make:
    def make(attributes: dict[str, Any]) -> Any:
        made = cls.__new__(cls)
        try:
            for name, value in attributes.items():
                object.__setattr__(made, name, value)
        except AttributeError:
            raise Unrepresentable from None
        return made

    return make


def _called(cls: Any) -> _Make:
    def make(attributes: dict[str, Any]) -> Any:
        try:
            return cls(**attributes)
        except TypeError:
            raise Unrepresentable from None

    return make


def _model(name: str, names: list[str]) -> _Make:
    allowing = pydantic.ConfigDict(extra="allow", protected_namespaces=())
    return pydantic.create_model(name, __config__=allowing, **dict.fromkeys(names, (Any, ...))).model_construct


def _on_one(make: Callable[..., Any]) -> _Make:
    return lambda attributes: make(**attributes)


KINDS_OF_CLASSES: dict[str, Callable[[str, list[str]], _Make]] = {
    "dataclass": lambda name, names: _filled(dataclasses.make_dataclass(name, [(one, object) for one in names])),
    "slots": lambda name, names: _filled(
        dataclasses.make_dataclass(name, [(one, object) for one in names], slots=True, eq=False)
    ),
    "attrs": lambda name, names: _filled(attrs.make_class(name, names, slots=True)),
    "pydantic": lambda name, names: _on_one(_model(name, names)),
    "msgspec": lambda name, names: _called(msgspec.defstruct(name, names)),
    "namedtuple": lambda name, names: _called(namedtuple(name, names)),  # noqa: PYI024
    "class": lambda name, _: _filled(type(name, (), {})),
    "slotted class": lambda name, names: _filled(type(name, (), {"__slots__": tuple(names)})),
}
"""Kind → function that makes a class of a name and its attributes, and returns what makes an object of attributes."""

TAGGED = ("dataclass", "pydantic", "class")
"""Kinds whose classes have an attribute for the tag here, as those of some libraries have."""

HOLDERS = ("dicts", *KINDS_OF_CLASSES)


class Holder:
    """Makes objects of values of a schema: dicts, or objects of classes of a kind, wrong ones too."""

    def __init__(self, schema: Schema, kind: str) -> None:
        self.schema, self.kind = schema, kind
        self.enums = {one.name: enum.Enum(one.name, one.members) for one in schema.enums}
        self.makers: dict[str, _Make] = {}
        for record in schema.records if kind != "dicts" else ():
            names = [f.name for f in record.fields]
            if self.tag(record):
                names.append(tag_field(schema, record).name)
            self.makers[record.name] = KINDS_OF_CLASSES[kind](record.name, names)

    def tag(self, record: Record) -> str:
        """The key of a record's tag, if its class has an attribute for it."""
        return self.schema.tags.get(record.name, "") if self.kind in TAGGED else ""

    def objects(self, type_: Type, value: Any) -> Any:
        """The value as objects, as far as it has the form of the type."""
        match type_:
            case Optional(item):
                return None if value is None else self.objects(item, value)
            case List(item) | Set(item) if type(value) in (list, set, tuple):
                return type(value)([self.objects(item, one) for one in value])
            case Tuple(items) if type(value) in (list, tuple) and len(value) == len(items):
                return type(value)([self.objects(*pair) for pair in zip(items, value, strict=True)])
            case Map(item) if type(value) is dict:
                return {key: self.objects(item, one) for key, one in value.items()}
            case Enum(name, members) if any(_same(value, one) for _, one in members):
                return self.enums[name](value)
            case Ref(name) if type(value) is dict:
                return self.record(self.schema.record(name), value)
            case Union(members):
                member = self.member(members, type_.tag, value)
                return value if member is None else self.objects(member, value)
        return value

    def record(self, record: Record, value: dict[str, Any]) -> Any:
        """The dict as an object of the record's class, with more attributes or fewer if it has such keys."""
        types = {f.wire: f.type for f in record.fields}
        made = {key: self.objects(types[key], item) if key in types else item for key, item in value.items()}
        if self.kind == "dicts":
            return made
        names = {f.wire: f.name for f in record.fields}
        key = self.schema.tags.get(record.name)
        if key is not None and self.tag(record) and key in made:  # without the attribute, the class says it
            names[key] = tag_field(self.schema, record).name
        elif key is not None and not _same(made.pop(key, None), record.tag_value):
            raise Unrepresentable
        return self.makers[record.name]({names.get(key, key): item for key, item in made.items()})

    def member(self, members: tuple[Type, ...], tag: str | None, value: Any) -> Type | None:
        """The member of a union that the value has the form of: of several records, that with most of its keys."""
        if type(value) is not dict:
            return next((one for one in members if _fits(one, value)), None)
        records = [self.schema.record(one.record) for one in members if isinstance(one, Ref)]
        if tag is not None and (self.kind not in TAGGED and self.kind != "dicts"):
            found = [one for one in records if _same(one.tag_value, value.get(tag))]
            if not found:
                raise Unrepresentable
            return Ref(found[0].name)
        if records:
            alike = [len({f.wire for f in one.fields} ^ (value.keys() - {tag})) for one in records]
            wrong = [tag is not None and not _same(one.tag_value, value.get(tag)) for one in records]
            return Ref(min(zip(alike, wrong, records, strict=True), key=lambda three: three[:2])[2].name)
        return next((one for one in members if isinstance(one, Map)), None)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _fits(type_: Type, value: Any) -> bool:
    match type_:
        case Enum(_, members):
            return any(_same(value, one) for _, one in members)
        case List(item):
            return type(value) is list and all(_fits(item, one) for one in value)
        case Scalar(kind):
            return type(value) is CLASSES.get(kind)
        case _:
            return type(value) is {Tuple: tuple, Set: set}.get(type(type_), dict)


def others_of(schema: Schema) -> tuple[Any, ...]:
    """The members of enumerations and the tags of a schema."""
    tags = [record.tag_value for record in schema.records if record.tag_value is not None]
    return (*(value for one in schema.enums for _, value in one.members), *tags)


@st.composite
def examples(draw: st.DrawFn) -> tuple[Schema, Any]:
    """A schema of any types, with tagged and untagged unions and records in one another, and a value of it."""
    inner = Record("Inner", _fields(draw, _types([])))
    shapes = [Record(name, _fields(draw, _types(["Inner"])), tag_value=name.lower()) for name in ("Circle", "Square")]
    union = Union((Ref("Circle"), Ref("Square")), draw(st.sampled_from(("type", "@kind"))))
    types = _types(["Inner"], union)
    row = Record("Row", _fields(draw, types))
    root = draw(st.sampled_from((Ref("Row"), List(Ref("Row")), Map(Ref("Row")), List(union))) | types)
    schema = Schema(root, (inner, *shapes, row))
    return schema, draw(strategy(schema, root))


def _fields(draw: st.DrawFn, types: st.SearchStrategy[Type]) -> tuple[Field, ...]:
    names = draw(st.lists(st.sampled_from(("x", "y", "class_", "a_b")), min_size=1, max_size=3, unique=True))
    wires = {"class_": "class", "a_b": "a-b"}
    return tuple(Field(name, draw(types), wires.get(name)) for name in names)


_LEVEL = Enum("Level", (("LOW", 1), ("HIGH", 2)))
_ROLE = Enum("Role", (("ADMIN", "admin"), ("USER", "user")))


def _types(records: list[str], *unions: Union) -> st.SearchStrategy[Type]:
    flat: st.SearchStrategy[Type] = st.sampled_from([*(Scalar(kind) for kind in SCALAR_KINDS), _LEVEL, _ROLE])
    plain = st.one_of(flat, st.sampled_from([*map(Ref, records), *unions]), flat) if records else flat
    several = st.lists(plain | flat.map(List), min_size=2, max_size=3, unique=True)
    either = several.filter(lambda some: not any(isinstance(one, Union) or one == Scalar("any") for one in some))
    return st.recursive(
        plain | either.map(lambda some: Union(tuple(some))),
        lambda some: st.one_of(
            some.map(List),
            some.filter(lambda one: not isinstance(one, Optional)).map(Optional),
            some.map(Map),
            st.lists(some, min_size=1, max_size=2).map(lambda two: Tuple(tuple(two))),
            flat.filter(lambda one: one != Scalar("any")).map(Set),
        ),
        max_leaves=3,
    )
