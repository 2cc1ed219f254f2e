"""Schema types, records and whole schemas, checked when they are made, and printed as a tree; and walks of a value along its type."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.fidelity.kinds import KINDS
from serbench.model.names import field_name, function_key
from serbench.model.scalars import ANY, SCALAR_KINDS, Scalar

_TEXT = Scalar("str")


@dataclass(frozen=True)
class Enum:
    """An enumeration: a class name and (member name, value) pairs; only a class of the user's has floats or several kinds."""

    name: str
    members: tuple[tuple[str, str | float], ...]

    @property
    def kinds(self) -> set[type]:
        """The classes of its values."""
        return {type(value) for _, value in self.members}

    @property
    def mixed(self) -> bool:
        """Whether its values are not all texts or all integers."""
        return self.kinds not in ({str}, {int})


@dataclass(frozen=True)
class Optional:
    """The item's type, or None."""

    item: Type


@dataclass(frozen=True)
class List:
    """An ordered sequence of any number of items of one type; a class of the user's may hold it as a "tuple" or as one of `SETS`."""

    item: Type
    held: str = "list"


SETS = ("set", "frozenset")


@dataclass(frozen=True)
class Tuple:
    """A fixed number of items, each with its own type."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Set:
    """An unordered collection of distinct scalar or enum items; a class of the user's may hold it as a "frozenset"."""

    item: Type
    held: str = "set"


@dataclass(frozen=True)
class Map:
    """A dictionary with data-dependent keys and values of one type; only in a class of the user's are keys no strings."""

    value: Type
    key: Type = _TEXT


@dataclass(frozen=True)
class Ref:
    """A reference to a record by name; a recursive record refers to itself."""

    record: str


@dataclass(frozen=True)
class Union:
    """One of several types.

    If `tag` is set, every member is a Ref to a record with a `tag_value`, and the wire form holds that value under
    the key `tag`. Otherwise the type of a value determines its member.
    """

    members: tuple[Type, ...]
    tag: str | None = None


Type: TypeAlias = Scalar | Enum | Optional | List | Tuple | Set | Map | Ref | Union


_INNER = {Optional: "item", List: "item", Set: "item", Map: "value", Tuple: "items", Union: "members"}
"""Kind of type → its attribute that has the types of the values directly inside a value, or the one of all of them."""


def kind_of(type_: Type) -> str:
    """The kind of a scalar, or a word for another type: "enum", "optional", "list", "tuple", "set", "map", "ref" or "union"."""
    return type_.kind if isinstance(type_, Scalar) else type(type_).__name__.lower()


def parts(type_: Type) -> tuple[Type, ...]:
    """The types of the values directly inside a value; none for a scalar, an enum and a Ref. The keys of a map have another."""
    inner = getattr(type_, _INNER.get(type(type_), ""), ())
    return inner if isinstance(inner, tuple) else (inner,)


def walk(*types: Type) -> Iterator[Type]:
    """Yield each type and every type inside it, outer before inner; Refs are not followed."""
    for type_ in types:
        yield type_
        yield from walk(*parts(type_))
        if isinstance(type_, Map) and type_.key != _TEXT:
            yield from walk(type_.key)


def replace_inner(type_: Type, change: Callable[[Type], Type]) -> Type:
    """Return the type with `change` applied to each type directly inside it."""
    if (name := _INNER.get(type(type_))) is None:
        return type_
    inner: Any = getattr(type_, name)
    changed: Any = {name: tuple(map(change, inner)) if isinstance(inner, tuple) else change(inner)}
    return replace(type_, **changed)


def bare(type_: Type) -> Type:
    """The type of a value that is not None."""
    return type_.item if isinstance(type_, Optional) else type_


def nullable(type_: Type) -> Type:
    """The type of a value of the type, or None."""
    return type_ if type_ == ANY or isinstance(type_, Optional) else Optional(type_)


def referred(*types: Type) -> Iterator[str]:
    """Yield the name of the record of each Ref in the types."""
    return (type_.record for type_ in walk(*types) if isinstance(type_, Ref))


class _Required:
    """Type of `REQUIRED`, which marks a field that has no default."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True)
class Field:
    """One field of a record; `alias` is the wire name if it differs from the Python name.

    `fill` is what a class of the user's has, as JSON, if a document lacks the field; the schema has no default for it.
    `ignored` says that documents have the key, and what reads them has no such field.
    """

    name: str
    type: Type
    alias: str | None = None
    default: Any = REQUIRED
    fill: Any = field(default=REQUIRED, compare=False)
    ignored: bool = False

    @property
    def wire(self) -> str:
        """Key of the field in the neutral value and in the bytes."""
        return self.name if self.alias is None else self.alias

    @property
    def required(self) -> bool:
        """True if the field has no default."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class Record:
    """A record type: class name, fields (those with defaults last) and its tag value in a tagged union.

    `computed` lists extra keys that the user's own class may write, and `absent` those that its documents may lack but
    that are never null; a neutral value has None for a lacking one. `root` says that a
    class of the user's stands in a document as its only field: an "alias" has no objects of its own, "one" is made of
    that value, and "items" of each of its items. `tag_argument` is the argument by which such a class is given its tag. `is_open` says that a document
    may have further keys, which are ignored.
    """

    name: str
    fields: tuple[Field, ...]
    tag_value: str | int | None = None
    computed: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    root: str = ""
    tag_argument: str = ""
    is_open: bool = field(default=False, compare=False, repr=False)

    @property
    def types(self) -> list[Type]:
        """The types of the fields."""
        return [f.type for f in self.fields]


FEATURES = (
    *SCALAR_KINDS,
    *("enum", "optional", "list", "tuple", "set", "map", "record", "tagged_union", "untagged_union"),
    *("int_tag", "key", "recursion", "default", "alias"),
)
"""The words for what a schema may use: "int_tag" is a numeric tag, "key" a map key of another type than text."""


@dataclass(frozen=True)
class Schema:
    """The type of a document and the records it refers to; validated on construction.

    `notes` say in a line each what the JSON Schema says that it was read from, and the types do not.

    Raises:
        SchemaError: a name is not an identifier or occurs twice, a Ref is unknown, a set has unhashable items, a
            member of a tagged union has no tag, or a required field follows one with a default.
    """

    root: Type
    records: tuple[Record, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    _by_name: dict[str, Record] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        for record in self.records:
            if record.name in self._by_name:
                raise SchemaError(f"record {record.name}: described twice; rename one of them")
            self._by_name[record.name] = record
        by_functions: dict[str, str] = {}
        for record in self.records:
            _check_record(record)
            other = by_functions.setdefault(function_key(record.name), record.name)
            if other != record.name:
                raise SchemaError(
                    f"records {other} and {record.name}: their functions would have the same name; rename one of them"
                )
        for type_ in self.types():
            _check_type(type_, self._by_name)

    def record(self, name: str) -> Record:
        """Return the record with this name."""
        return self._by_name[name]

    def types(self) -> Iterator[Type]:
        """Yield every type in the root and in each field, outer types before inner ones."""
        return walk(self.root, *(type_ for record in self.records for type_ in record.types))

    @property
    def item(self) -> Type:
        """The type of the document, or of its items if it is a list."""
        return self.root.item if isinstance(self.root, List) else self.root

    @property
    def row(self) -> Record | None:
        """The record if the document is a list of one."""
        return self.record(self.item.record) if isinstance(self.item, Ref) and self.item is not self.root else None

    @cached_property
    def enums(self) -> tuple[Enum, ...]:
        """Distinct enumerations, in order of appearance."""
        return tuple(dict.fromkeys(t for t in self.types() if isinstance(t, Enum)))

    @cached_property
    def tags(self) -> dict[str, str]:
        """Record name → tag key, for the members of tagged unions."""
        return {
            member.record: type_.tag
            for type_ in self.types()
            if isinstance(type_, Union) and type_.tag is not None
            for member in type_.members
            if isinstance(member, Ref)
        }

    @cached_property
    def features(self) -> frozenset[str]:
        """Those of `FEATURES` that the schema uses, and what only a class of the user's has: its kinds, "private" names."""
        features = {_feature(type_) for type_ in self.types()}
        features |= {"key" for type_ in self.types() if isinstance(type_, Map) and type_.key != Scalar("str")}
        features |= {"set" for type_ in self.types() if isinstance(type_, List) and type_.held in SETS}
        for record in self.records:
            features |= {"default" for f in record.fields if not f.required and f.default is not None}
            features |= {"alias" for f in record.fields if f.alias is not None}
            features |= {"int_tag"} if isinstance(record.tag_value, int) else set()
            features |= {"root"} if record.root else set()
            features |= {"private" for f in record.fields if f.name.startswith("_")}
            if record.name in self.reachable(record):
                features.add("recursion")
        return frozenset(features)

    def reachable(self, record: Record) -> set[str]:
        """Return the names of the records nested in a record, at any depth."""
        seen: set[str] = set()
        queue = [record]
        while queue:
            names = set(referred(*queue.pop().types))
            queue += [self._by_name[name] for name in names - seen]
            seen |= names
        return seen

    @cached_property
    def levels(self) -> dict[str, int]:
        """Record name → the fewest records that must lie within one another in one, itself included."""
        levels = {record.name: 1 for record in self.records}
        for _ in self.records:
            for record in self.records:
                needed = (self._levels(f.type, levels) for f in record.fields if f.wire not in record.absent)
                levels[record.name] = 1 + max(needed, default=0)
        return levels

    def _levels(self, type_: Type, levels: Mapping[str, int]) -> int:
        match type_:
            case Ref(name):
                return levels[name]
            case Union(members):
                return min(self._levels(member, levels) for member in members)
            case Tuple(items):
                return max((self._levels(item, levels) for item in items), default=0)
        return 0

    @property
    def nests(self) -> bool:
        """Whether a record within the root holds records of its own type, so that a document can be nested deeper."""
        names = referred(self.root)
        return any(
            name in self.reachable(self.record(name))
            for one in names
            for name in {one, *self.reachable(self.record(one))}
        )

    def as_data(self) -> dict[str, Any]:
        """Return the schema as lists, dicts and strings, for worker processes that cannot import serbench.

        Types are lists: `["str"]`, `["enum", name]`, `["optional", type]`, `["list", type]`,
        `["tuple", [type, …]]`, `["set", type]`, `["map", type]`, `["ref", record]` and
        `["union", [type, …], tag or None]`. A list held as a tuple, a set held as a frozenset and a map with keys that
        are no strings have this as a third item. "enums" has the values of each enumeration. A record is `{"tag": [key, value, attribute] or None,
        "fields": [[name, wire, type], …]}`, plus `"computed": [key, …]` and `"absent": [key, …]` if it has such keys, and
        `"root"` or `"tag_argument"` if it has one.
        """
        return {
            "root": type_data(self.root),
            "records": {
                record.name: {
                    "tag": [self.tags[record.name], record.tag_value, self.tag_name(record)]
                    if record.name in self.tags
                    else None,
                    "fields": [[f.name, f.wire, type_data(f.type)] for f in record.fields],
                    **{key: list(keys) for key in ("computed", "absent") if (keys := getattr(record, key))},
                    **{key: text for key in ("root", "tag_argument") if (text := getattr(record, key))},
                }
                for record in self.records
            },
            "enums": {enum.name: [value for _, value in enum.members] for enum in self.enums},
        }

    def tag_name(self, record: Record) -> str:
        """Return the attribute in which an object has its tag, if its class has one for it."""
        return field_name(self.tags[record.name], [f.name for f in record.fields])


def _feature(type_: Type) -> str:
    if isinstance(type_, Union):
        return "untagged_union" if type_.tag is None else "tagged_union"
    return "record" if isinstance(type_, Ref) else kind_of(type_)


def type_data(type_: Type) -> list[Any]:
    """Return a type as `Schema.as_data` has it."""
    kind, inside = kind_of(type_), list(map(type_data, parts(type_)))
    match type_:
        case Enum(name) | Ref(name):
            return [kind, name]
        case List(_, held) | Set(_, held) if held != kind:
            return [kind, *inside, held]
        case Map(_, key) if key != _TEXT:
            return [kind, *inside, type_data(key)]
        case Tuple():
            return [kind, inside]
        case Union(_, tag):
            return [kind, inside, tag]
    return [kind, *inside]


def _check_name(name: str, what: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise SchemaError(f"{what} {name!r} is not a Python identifier; use one, and set the wire name as its alias")


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
                f"record {record.name}: required field {f.name} follows {optional_from}, which has a default; put it first"
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
            raise SchemaError(f"a set cannot hold {_feature(item)} items, which are unhashable; use a list")
        case Tuple(()):
            raise SchemaError("a tuple needs at least one item; use a list")
        case Ref(name) if name not in records:
            raise SchemaError(f"record {name} is referenced but not defined; add it to records")
        case Union(members, tag):
            _check_union(members, tag, records)


def _check_union(members: tuple[Type, ...], tag: str | None, records: dict[str, Record]) -> None:
    if len(members) < 2:
        raise SchemaError("a union needs at least two types; use the type itself")
    if tag is None:
        return
    for member in members:
        if not isinstance(member, Ref) or member.record not in records or records[member.record].tag_value is None:
            raise SchemaError(
                f"the union tagged by {tag!r} has a member without a tag value; set tag_value on each record"
            )
        if tag in {name for f in records[member.record].fields for name in (f.name, f.wire)}:
            raise SchemaError(f"record {member.record}: field {tag!r} is also the union's tag; remove the field")


def tree(schema: Schema) -> str:
    """Return one line per field, indented below its record.

    A record is expanded at its first occurrence; later ones show only its name.
    """
    seen: set[str] = set()
    return "\n".join([type_text(schema.root), *_below(schema.root, schema, seen, 1)])


def type_text(type_: Type) -> str:
    """Describe a type in one line."""
    inside = [type_text(part) for part in parts(type_)]
    match type_:
        case Scalar(kind):
            return KINDS[kind].title or kind
        case Enum(name, members):
            return f"{name}: {' | '.join(repr(value) for _, value in members)}"
        case Ref(name):
            return name
        case Union(_, tag):
            names = " | ".join(inside)
            return f"({names})" if tag is None else f"({names}) by {tag!a}"
    return f"{inside[0]} or null" if isinstance(type_, Optional) else f"{kind_of(type_)} of {', '.join(inside)}"


def _below(type_: Type, schema: Schema, seen: set[str], level: int) -> Iterator[str]:
    for inner in walk(type_):
        if not isinstance(inner, Ref) or inner.record in seen:
            continue
        seen.add(inner.record)
        record = schema.record(inner.record)
        headed = any(isinstance(part, Ref) and part is not inner for part in walk(type_))
        if headed:
            tag = f" ({schema.tags[record.name]}: {record.tag_value!a})" if record.name in schema.tags else ""
            yield f"{'  ' * level}{record.name}{tag}"
        deeper = level + headed
        for f in record.fields:
            alias = "" if f.alias is None else f" ({f.alias!a})"
            default = "" if f.required or f.default is None else f" = {f.default!a}"
            yield f"{'  ' * deeper}{f.name}{alias}: {type_text(f.type)}{default}"
            yield from _below(f.type, schema, seen, deeper + 1)


Path: TypeAlias = tuple[str | int, ...]


def walk_value(schema: Schema, type_: Type, value: Any) -> Iterator[tuple[Path, Type, Any]]:
    """Yield the value and every value inside it, each with its path and type, outer before inner.

    A value of an optional type or of a union is yielded again as one of the type inside or of its member. What does not
    have its type has no values inside.
    """
    todo: list[tuple[Path, Type, Any]] = [((), type_, value)]
    while todo:
        path, type_, value = todo.pop()
        yield path, type_, value
        todo += [((*path, *step), inner, part) for step, inner, part in _inside(schema, type_, value)][::-1]


def _inside(schema: Schema, type_: Type, value: Any) -> Iterator[tuple[Path, Type, Any]]:
    match type_:
        case Optional(item) if value is not None:
            yield (), item, value
        case List(item) | Set(item) if isinstance(value, list | set):
            yield from (((index,), item, part) for index, part in enumerate(value))
        case Tuple(items) if isinstance(value, list | tuple):
            yield from (((index,), *pair) for index, pair in enumerate(zip(items, value, strict=False)))
        case Map(item) if isinstance(value, dict):
            yield from (((key,), item, part) for key, part in value.items())
        case Ref(name) if isinstance(value, dict):
            fields = schema.record(name).fields
            yield from (((f.wire,), f.type, value[f.wire]) for f in fields if f.wire in value)
        case Union() if (member := member_of(schema, type_, value)) is not None:
            yield (), member, value


def every_value(value: Any) -> Iterator[Any]:
    """Yield a value and every value inside its dicts, lists, tuples and sets, in no order; iterative, because it may be deep."""
    todo = [value]
    while todo:
        one = todo.pop()
        yield one
        if isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list | tuple | set):
            todo += one


def at(value: Any, path: Path) -> Any:
    """The part at a path in a value; None if it is not there, or within a set."""
    with suppress(KeyError, IndexError, TypeError):
        for key in path:
            value = value[key]
        return value
    return None


def replaced(document: Any, path: Path, value: Any) -> Any:
    """A document with another part at a path; the rest is shared."""
    if not path:
        return value
    key: Any = path[0]
    rest = path[1:]
    if isinstance(document, tuple):
        return tuple(replaced(one, rest, value) if index == key else one for index, one in enumerate(document))
    copy = document.copy()
    copy[key] = replaced(copy[key], rest, value)
    return copy


def member_of(schema: Schema, union: Union, value: Any) -> Type | None:
    """The member of a union that a value is of: by its tag, its keys or its class; None if there is none."""
    refs = (member for member in union.members if isinstance(member, Ref))
    if union.tag is not None:
        tag = value.get(union.tag) if isinstance(value, dict) else None
        return next((ref for ref in refs if schema.record(ref.record).tag_value == tag), None)
    if not isinstance(value, dict):
        alike = (member for member in union.members if neutral_class(member) is type(value))
        as_list = (member for member in union.members if isinstance(value, list) and isinstance(member, Set | Tuple))
        return next(chain(alike, as_list), None)
    others = [member for member in union.members if isinstance(member, Map | Union)]
    known = list(refs)
    fitting = [ref for ref in known if _has_keys(schema, ref, value)] or others or known[: len(known) == 1]
    return next(iter(fitting), None)


def _has_keys(schema: Schema, ref: Ref, value: dict[str, Any]) -> bool:
    record = schema.record(ref.record)
    needed, known = {f.wire for f in record.fields if f.required}, {f.wire for f in record.fields}
    return not record.root and needed <= value.keys() <= known


def neutral_class(type_: Type) -> type:
    """Return the Python class of a type's neutral values; for an optional type, that of values other than None."""
    match bare(type_):
        case Scalar(kind):
            return KINDS[kind].cls or object
        case Enum(_, members):
            return type(members[0][1])
    return {"list": list, "set": set, "tuple": tuple}.get(kind_of(bare(type_)), dict)


def json_type(type_: Type) -> type:
    """Return the Python type that a union member's values have in a parsed document."""
    class_ = neutral_class(type_)
    return list if class_ in (set, tuple) else class_ if class_ in (int, float, bool, list, dict) else str
