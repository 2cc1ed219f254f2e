"""The vocabulary in which data is described: scalars, containers, records and unions.

A *neutral value* of a type is made of plain Python values:

- a scalar is a `str`, `int` (an "int" has 64 bits with a sign, a "uint64" 64 without, a "bigint" any number),
  `float`, `bool`, `bytes`, `datetime`, `date`, `time`, `timedelta`, `Decimal` or `UUID`; an enum is its member's *value*; "any JSON" is whatever `json.loads` gives;
- a list is a `list`, a tuple a `tuple`, a set a `set`, a map a `dict` with `str` keys;
- a record is a `dict` with one item for each field, keyed by the field's *wire* name (its alias if
  it has one), absent optional fields being present as `None`; a record that is a member of a tagged
  union holds its tag as well, as the first item.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from serbench.schema.names import function_of


class SchemaError(ValueError):
    """A schema that cannot be: the message says which part and what to do instead."""


class _Required:
    """The type of `REQUIRED`, the mark of a field without a default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()

INTEGER_KINDS = ("int", "uint64", "bigint")
"""The kinds whose neutral values are ints."""

SCALAR_KINDS = (
    "str",
    *INTEGER_KINDS,
    "float",
    "bool",
    "bytes",
    "datetime",
    "naive_datetime",
    "date",
    "time",
    "timedelta",
    "decimal",
    "uuid",
    "any",
)


@dataclass(frozen=True)
class Scalar:
    """A value without parts, or "any JSON" (`kind` "any")."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in SCALAR_KINDS:
            raise SchemaError(f"unknown kind {self.kind!r}; known are {', '.join(SCALAR_KINDS)}")


STR, INT, FLOAT, BOOL, BYTES = (Scalar(k) for k in ("str", "int", "float", "bool", "bytes"))
UINT64, BIGINT = Scalar("uint64"), Scalar("bigint")
INTEGERS = frozenset({INT, UINT64, BIGINT})
DATETIME, NAIVE_DATETIME = Scalar("datetime"), Scalar("naive_datetime")
DATE, TIME, TIMEDELTA = Scalar("date"), Scalar("time"), Scalar("timedelta")
DECIMAL, UUID, ANY = Scalar("decimal"), Scalar("uuid"), Scalar("any")


@dataclass(frozen=True)
class Enum:
    """An enumeration: class name and (member name, value) pairs, the values all `str` or all `int`."""

    name: str
    members: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Optional:
    """The item's type, or None."""

    item: Type


@dataclass(frozen=True)
class List:
    """Any number of items of one type, in order."""

    item: Type


@dataclass(frozen=True)
class Tuple:
    """A fixed number of items, each with its own type."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Set:
    """Distinct scalar or enum items without order."""

    item: Type


@dataclass(frozen=True)
class Map:
    """A dictionary with data-dependent string keys and values of one type."""

    value: Type


@dataclass(frozen=True)
class Ref:
    """A record of the schema, by name; recursion is a Ref to a record that is being described."""

    record: str


@dataclass(frozen=True)
class Union:
    """One of several types.

    With `tag`, every member is a Ref to a record with a `tag_value`, and the wire form holds that
    value under the key `tag`. Without, a value is told apart by its own type.
    """

    members: tuple[Type, ...]
    tag: str | None = None


Type: TypeAlias = Scalar | Enum | Optional | List | Tuple | Set | Map | Ref | Union


@dataclass(frozen=True)
class Field:
    """One field of a record: its Python name, and its wire name where that differs (`alias`)."""

    name: str
    type: Type
    alias: str | None = None
    default: Any = REQUIRED

    @property
    def wire(self) -> str:
        """The key in the neutral value and in the bytes."""
        return self.name if self.alias is None else self.alias

    @property
    def required(self) -> bool:
        """Whether the field has no default."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class Record:
    """A record type: class name, fields (those with a default last) and the tag it bears in a tagged union.

    `computed` are the keys that its author's own class may write beside the fields.
    """

    name: str
    fields: tuple[Field, ...]
    tag_value: str | None = None
    computed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schema:
    """The type of a whole document and the records it refers to; checked when it is made.

    Raises:
        SchemaError: a name that is not an identifier, a duplicate, an unknown Ref, a set of
            something unhashable, a tagged union with a member that has no tag, a required field
            after one with a default.
    """

    root: Type
    records: tuple[Record, ...] = ()
    _by_name: dict[str, Record] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.records:
            if record.name in self._by_name:
                raise SchemaError(f"record {record.name}: described twice; give one of them another name")
            self._by_name[record.name] = record
        by_functions: dict[str, str] = {}
        for record in self.records:
            _check_record(record)
            other = by_functions.setdefault(function_of(record.name), record.name)
            if other != record.name:
                raise SchemaError(
                    f"records {other} and {record.name}: their functions would have one name; rename one of them"
                )
        for type_ in self.types():
            _check_type(type_, self._by_name)

    def record(self, name: str) -> Record:
        """The record of that name."""
        return self._by_name[name]

    def types(self) -> Iterator[Type]:
        """Every type that occurs: the root's and each field's, outer before inner."""
        yield from walk(self.root)
        for record in self.records:
            for item in record.fields:
                yield from walk(item.type)

    @cached_property
    def enums(self) -> tuple[Enum, ...]:
        """The enumerations that occur, once each, in order of appearance."""
        return tuple(dict.fromkeys(t for t in self.types() if isinstance(t, Enum)))

    @cached_property
    def tags(self) -> dict[str, str]:
        """Record name → the key that holds its tag, for the members of tagged unions."""
        return {
            member.record: type_.tag
            for type_ in self.types()
            if isinstance(type_, Union) and type_.tag is not None
            for member in type_.members
            if isinstance(member, Ref)
        }

    @cached_property
    def features(self) -> frozenset[str]:
        """What the schema uses, in one word each: scalar kinds, containers and structure.

        The words are the scalar kinds, "enum", "optional", "list", "tuple", "set", "map", "record",
        "tagged_union", "untagged_union", "recursion", "default" and "alias".
        """
        found = {_feature(type_) for type_ in self.types()}
        for record in self.records:
            found |= {"default" for f in record.fields if not f.required and f.default is not None}
            found |= {"alias" for f in record.fields if f.alias is not None}
            if record.name in self.reachable(record):
                found.add("recursion")
        return frozenset(found)

    def reachable(self, record: Record) -> set[str]:
        """The names of the records that stand inside of a record, at any depth."""
        seen: set[str] = set()
        queue = [record]
        while queue:
            names = {t.record for f in queue.pop().fields for t in walk(f.type) if isinstance(t, Ref)}
            queue += [self._by_name[name] for name in names - seen]
            seen |= names
        return seen

    def as_data(self) -> dict[str, Any]:
        """The schema as lists, dicts and strings, for a process that has no serbench.

        Types are lists: `["str"]`, `["enum", name]`, `["optional", type]`, `["list", type]`,
        `["tuple", [type, …]]`, `["set", type]`, `["map", type]`, `["ref", record]` and
        `["union", [type, …], tag or None]`. A record is `{"tag": [key, value] or None,
        "fields": [[name, wire, type], …]}`, with `"computed": [key, …]` where there are such.
        """
        return {
            "root": _type_data(self.root),
            "records": {
                record.name: {
                    "tag": [self.tags[record.name], record.tag_value] if record.name in self.tags else None,
                    "fields": [[f.name, f.wire, _type_data(f.type)] for f in record.fields],
                    **({"computed": list(record.computed)} if record.computed else {}),
                }
                for record in self.records
            },
        }


def walk(type_: Type) -> Iterator[Type]:
    """The type and every type inside it, outer before inner; a Ref is not followed."""
    yield type_
    match type_:
        case Optional(item) | List(item) | Set(item) | Map(item):
            yield from walk(item)
        case Tuple(items) | Union(items):
            for item in items:
                yield from walk(item)


def _feature(type_: Type) -> str:
    match type_:
        case Scalar(kind):
            return kind
        case Union(_, tag):
            return "untagged_union" if tag is None else "tagged_union"
        case Ref(_):
            return "record"
        case _:
            return type(type_).__name__.lower()


def _type_data(type_: Type) -> list[Any]:
    match type_:
        case Scalar(kind):
            return [kind]
        case Enum(name):
            return ["enum", name]
        case Optional(item) | List(item) | Set(item) | Map(item):
            return [type(type_).__name__.lower(), _type_data(item)]
        case Tuple(items):
            return ["tuple", [_type_data(item) for item in items]]
        case Ref(record):
            return ["ref", record]
        case Union(members, tag):
            return ["union", [_type_data(member) for member in members], tag]


def _check_name(name: str, what: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise SchemaError(f"{what} {name!r} is not a Python identifier; give it one, and an alias for the wire")


def _check_record(record: Record) -> None:
    _check_name(record.name, "record")
    optional_from: str | None = None
    for name in (f.name for f in record.fields):
        _check_name(name, f"record {record.name}: field")
    for seen, label in (([f.name for f in record.fields], "name"), ([f.wire for f in record.fields], "alias")):
        if len(set(seen)) != len(seen):
            twice = next(name for name in seen if seen.count(name) > 1)
            raise SchemaError(f"record {record.name}: field {label} {twice!r} occurs twice")
    for f in record.fields:
        if not f.required:
            optional_from = f.name
        elif optional_from is not None:
            raise SchemaError(
                f"record {record.name}: required field {f.name} stands after {optional_from}, which has a default; put it first"
            )


def _check_type(type_: Type, records: dict[str, Record]) -> None:
    match type_:
        case Enum(name, members):
            _check_name(name, "enum")
            if not members:
                raise SchemaError(f"enum {name} has no members")
            for member, _ in members:
                _check_name(member, f"enum {name}: member")
        case Set(item) if not isinstance(item, Scalar | Enum) or item == ANY:
            raise SchemaError(f"a set of {_feature(item)} cannot be hashed; use a list")
        case Tuple(()):
            raise SchemaError("a tuple without items; use a list")
        case Ref(name) if name not in records:
            raise SchemaError(f"record {name} is referred to but not described")
        case Union(members, tag):
            _check_union(members, tag, records)


def _check_union(members: tuple[Type, ...], tag: str | None, records: dict[str, Record]) -> None:
    if len(members) < 2:
        raise SchemaError("a union of fewer than two types; use the type itself")
    if tag is None:
        return
    for member in members:
        if not isinstance(member, Ref) or member.record not in records or records[member.record].tag_value is None:
            raise SchemaError(f"the union tagged by {tag!r} has a member without a tag value; give each record one")
        if tag in {name for f in records[member.record].fields for name in (f.name, f.wire)}:
            raise SchemaError(f"record {member.record}: field {tag!r} is also the union's tag; leave the field out")
