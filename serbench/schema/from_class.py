"""Reads the schema of a user's class, of any kind that `class_fields` supports."""

from __future__ import annotations

import dataclasses
import enum
import re
import types
import typing
from collections import OrderedDict, abc, defaultdict
from datetime import datetime
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path, PurePath
from typing import Any

from serbench.errors import SchemaError
from serbench.schema.class_fields import (
    ClassField,
    class_record_name,
    computed_of,
    fields_of,
    is_array,
    kind_of,
    origin_of,
)
from serbench.schema.field_objects import FieldObjects
from serbench.schema.names import field_name
from serbench.schema.records import REQUIRED, Field, Record, Schema
from serbench.schema.scalars import ANY, BYTES, CLASSES, DATETIME, OWN_KINDS, STR, Scalar
from serbench.schema.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union, replace_inner

_SCALARS: dict[Any, Type] = {
    **CLASSES,
    datetime: DATETIME,
    **dict.fromkeys((object, Any, typing.Hashable), ANY),
    dict: Map(ANY),
    list: List(ANY),
    tuple: List(ANY, "tuple"),
    set: Set(STR),
    frozenset: Set(STR, "frozenset"),
    PurePath: Scalar("path"),
    Path: Scalar("path"),
    Fraction: Scalar("fraction"),
    complex: Scalar("complex"),
    bytearray: Scalar("bytearray"),
}
_SEQUENCES = (list, abc.Sequence, abc.Iterable, abc.Collection, abc.MutableSequence)
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping, OrderedDict, defaultdict)
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_FIELD_OBJECTS = ("marshmallow", "djangorestframework")
_CARRYING = ("pydantic", "pydantic1", "marshmallow", "djangorestframework")  # kinds of classes with types of their own
FOREIGN = Scalar("foreign")


@dataclasses.dataclass
class ParsedClass:
    """Schema of a class, its kind, and one note per constraint that a schema cannot express.

    `schema` describes the documents, `own` the class's objects: with types and keys that documents have as text.
    `classes` maps the names of records and enums to their classes, and `limits` the place of a value ("Model.x", and
    "Model.x[]" for its items) to what limits it.
    """

    own: Schema
    kind: str
    notes: list[str]
    classes: dict[str, Any]
    limits: dict[str, tuple[Any, ...]]
    roots: frozenset[str]

    @cached_property
    def schema(self) -> Schema:
        """The schema of the document."""
        return _documented(self.own, self.roots)


def from_class(class_: Any, *, drawing: bool = False, writing: bool = False) -> ParsedClass:
    """Return the schema of a class and the classes it refers to; the root is a list of the class's records.

    With `drawing=True` the schema fits for generating values: constants and choices become enumerations, and fields
    that may be absent but not null are always present. With `writing=True` it describes what the class writes, otherwise
    what it reads.

    Raises:
        SchemaError: the class is not a model, or a field has an unsupported type.
    """
    kind, reading = kind_of(class_), _ClassReader(drawing, writing)
    root = reading.record(class_)
    own = Schema(List(root), tuple(reading.records.values()))
    return ParsedClass(own, kind, reading.notes, reading.classes, reading.limits, frozenset(reading.roots))


def _documented(own: Schema, roots: frozenset[str]) -> Schema:
    """The schema of the documents: what only objects have is text there, and a custom root is what is in it."""
    inside = {record.name: record.fields[0].type for record in own.records if record.name in roots}

    def plain(type_: Type) -> Type:
        match type_:
            case Scalar("bytearray"):
                return BYTES
            case Scalar(kind) if kind in OWN_KINDS:
                return STR
            case Ref(name) if name in inside:
                return plain(inside[name])
            case List(item) | Set(item):
                return type(type_)(plain(item))
            case Map(value):
                return Map(plain(value))
            case Optional(item) if isinstance(found := plain(item), Optional) or found == ANY:
                return found
        return replace_inner(type_, plain)

    def public(field: Field) -> Field:
        name = field_name(field.name) if field.name.startswith("_") else field.name
        return Field(name, plain(field.type), None if field.wire == name else field.wire, field.default)

    records = tuple(
        dataclasses.replace(r, fields=tuple(map(public, r.fields)), absent=())
        for r in own.records
        if r.name not in inside
    )
    return Schema(plain(own.root), records)


class _ClassReader:
    """Reads one class; `records` collects the record types it finds."""

    def __init__(self, drawing: bool, writing: bool) -> None:
        self.records: dict[str, Record] = {}
        self.notes: list[str] = []
        self.drawing, self.writing = drawing, writing
        self.classes: dict[str, Any] = {}
        self.limits: dict[str, tuple[Any, ...]] = {}
        self.roots: set[str] = set()
        self._carries = self._texts = False

    def _named(self, name: str, class_: Any) -> None:
        if self.classes.setdefault(name, class_) is not class_ and self.classes[name] != class_:
            raise SchemaError(f"two classes are called {name}; rename one of them")

    def record(self, class_: Any, tag: str | None = None) -> Ref:
        """Return the record of a class; if `tag` is given, the field with that key becomes its tag."""
        kind, name = kind_of(class_), class_record_name(class_)
        self._named(name, class_)
        if name in self.records:
            return Ref(name)
        self.records[name] = Record(name, ())  # placeholder, so that the class may refer to itself
        if (hasattr(class_, "__pydantic_root_model__") and class_.__pydantic_root_model__) or (
            kind == "pydantic1" and "__root__" in class_.__fields__
        ):
            self.roots.add(name)
        given, value = fields_of(class_, self.notes), None
        if tag is None:
            given = [*_own_tag(class_), *given] if is_array(class_) else [*given, *_own_tag(class_)]
        else:
            value = _tag_value(class_, tag, given)
            given = [one for one in given if one.wire != tag]
        before = self._carries, self._texts
        read = partial(self._object, kind) if kind in _FIELD_OBJECTS else self._field
        fields = []
        for one in given:
            if key := one.key(writing=self.writing):
                self._carries, self._texts = kind in _CARRYING, one.texts
                where = f"{getattr(class_, '__name__', name)}.{one.name}"
                self.limits[where] = one.limits
                field = read(one, where)
                if name in self.roots:
                    field, key = dataclasses.replace(field, name="root"), "root"
                fields.append(dataclasses.replace(field, alias=None if key == field.name else key))
        self._carries, self._texts = before
        computed = computed_of(class_)
        self.notes += [f"{origin_of(class_).__name__}.{key} (computed field)" for key in computed]
        if is_array(class_):  # its fields keep their order, so that none with a default stands before one without
            last = max((place for place, f in enumerate(fields) if f.required), default=0)
            fields[:last] = [dataclasses.replace(f, default=REQUIRED) for f in fields[:last]]
        ordered = tuple(sorted(fields, key=lambda f: not f.required))
        absent = tuple(one.wire for one in given if one.absent)
        self.records[name] = Record(name, ordered, value, computed, absent)
        return Ref(name)

    def _field(self, given: ClassField, where: str) -> Field:
        type_ = self.type(given.annotation, where, given.tag)
        if given.values and not self.drawing:
            type_ = _as_values(type_)
        default = given.default
        if default is not REQUIRED and not (default is None or type(default) in (str, int, float, bool)):
            default = REQUIRED
        if default is None and not self.drawing and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        return Field(given.name, type_, None, default)

    def _object(self, kind: str, given: ClassField, where: str) -> Field:
        reader = FieldObjects(self.record, self._choice, self.notes, self.limits)
        type_, null = reader.type(kind, given.annotation, where)
        null = null or (given.default is None and not self.drawing)
        return Field(given.name, Optional(type_) if null and type_ != ANY else type_, None, given.default)

    def _choice(self, where: str, constants: abc.Iterable[Any]) -> Type:
        """Return the type of a value that is one of these constants."""
        values = [getattr(one, "value", one) for one in constants]
        kinds = {type(value) for value in values}
        if self.drawing and kinds in ({str}, {int}):
            name = re.sub(r"\W", "_", "".join(part.title() for part in where.split(".")))
            return Enum(name, tuple((f"value_{index}", value) for index, value in enumerate(values)))
        return _SCALARS.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY

    def type(self, annotation: Any, where: str, tag: str | None = None) -> Type:
        """Return the type of an annotation."""
        if annotation in (None, types.NoneType):
            return ANY
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if hasattr(annotation, "item_type"):  # pydantic 1: conlist or conset
            self.notes.append(f"{where} ({annotation.__name__})")
            self.limits[where] = (*self.limits.get(where, ()), annotation)
            origin, arguments = annotation.__origin__, (annotation.item_type,)
        if origin is typing.Annotated:
            self.limits[where] = (*self.limits.get(where, ()), *arguments[1:])
            return self.type(arguments[0], where, tag or _discriminator(arguments[1:]))
        if origin in (typing.Required, typing.NotRequired, typing.Final):
            return self.type(arguments[0], where, tag)
        if hasattr(annotation, "__value__"):  # `type X = …`
            return self.type(annotation.__value__, where, tag)
        if isinstance(annotation, typing.NewType):
            return self.type(annotation.__supertype__, where, tag)
        if isinstance(annotation, typing.TypeVar):
            return self.type(annotation.__bound__ or (annotation.__constraints__ or (Any,))[0], where, tag)
        if origin in (typing.Union, types.UnionType):
            return self._union(arguments, where, tag)
        if origin is typing.Literal:
            return self._choice(where, arguments)
        if origin is not None:
            return self._generic(annotation, origin, arguments, where, tag)
        if annotation is bytes and self._texts:
            return FOREIGN
        if isinstance(annotation, abc.Hashable) and annotation in _SCALARS:
            return _SCALARS[annotation]
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return self._enum(annotation)
        return self._class(annotation, where)

    def _enum(self, class_: Any) -> Type:
        members = list(class_)
        if not members or any(
            type(one.value) not in (str, int) and not isinstance(one.value, str | int) for one in members
        ):
            return FOREIGN
        self._named(class_.__name__, class_)
        return Enum(class_.__name__, tuple((one.name, one.value) for one in members))

    def _class(self, annotation: Any, where: str) -> Type:
        if kind_is_known(annotation):
            return self.record(annotation)
        name = getattr(annotation, "__name__", str(annotation))
        base = next((b for b in getattr(annotation, "__mro__", ()) if b in _SCALARS and b is not object), None)
        if base is not None and (base is str or not self._carries or annotation.__module__.startswith("pydantic")):
            self.notes.append(f"{where} ({name}, carried as {base.__name__})")
            self.limits[where] = (*self.limits.get(where, ()), annotation)
            return _SCALARS[base]
        if self._carries:
            self.notes.append(f"{where} ({name}, carried as text)")
            self.limits[where] = (*self.limits.get(where, ()), annotation)
            return FOREIGN
        raise SchemaError(
            f"{where}: {name} is not a type that serbench knows, nor a model; use scalars, containers or models"
        )

    def _generic(self, annotation: Any, origin: Any, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        items = f"{where}[]"
        if origin in _SEQUENCES:
            return List(self.type(arguments[0], items, tag))
        if origin in _SETS:
            item = self.type(arguments[0], items)
            return Set(STR if item == ANY else item, "frozenset" if origin is frozenset else "set")
        if origin in _MAPPINGS:
            key = self.type(arguments[0], f"{where}{{}}")
            return Map(self.type(arguments[1], items, tag), STR if key == ANY else key)
        if origin is tuple and arguments[1:] == (...,):
            return List(self.type(arguments[0], items), "tuple")
        if origin is tuple:
            return Tuple(tuple(self.type(argument, f"{where}[{i}]") for i, argument in enumerate(arguments)))
        if kind_is_known(annotation):
            return self.record(annotation)
        if self._carries:
            return FOREIGN
        raise SchemaError(f"{where}: unsupported type {origin}; use scalars, lists, sets, tuples, dicts or models")

    def _union(self, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        some = [one for one in arguments if one is not types.NoneType and getattr(one, "__name__", "") != "UnsetType"]
        tag = tag or _common_tag(some)
        if len(some) > 1 and tag is not None:
            type_: Type = Union(tuple(self.record(member, tag) for member in some), tag)
        else:
            members = tuple(dict.fromkeys(self.type(argument, where) for argument in some))
            type_ = members[0] if len(members) == 1 else ANY if ANY in members else Union(members)
        null = types.NoneType in arguments or (len(some) < len(arguments) and not self.drawing)
        return Optional(type_) if null and type_ != ANY else type_


def kind_is_known(class_: Any) -> bool:
    """Return True for a class, or a parametrised one, of a supported kind."""
    try:
        return bool(kind_of(class_))
    except SchemaError:
        return False


def _as_values(type_: Type) -> Type:
    if isinstance(type_, Enum):
        return _SCALARS.get(type(type_.members[0][1]), ANY)
    return replace_inner(type_, _as_values)


def _discriminator(metadata: tuple[Any, ...]) -> str | None:
    found = (getattr(one, "discriminator", None) for one in metadata)
    return next((tag for tag in found if isinstance(tag, str)), None)


def _common_tag(classes: list[Any]) -> str | None:
    """Return the key that has a different constant in each of these classes, or None."""
    if any(hasattr(one, "__struct_config__") for one in classes):
        configs = [getattr(origin_of(one), "__struct_config__", None) for one in classes]
        tags = {getattr(config, "tag_field", None) for config in configs}
        return tags.pop() if len(tags) == 1 else None
    try:
        fields = [{one.wire: one for one in fields_of(class_, [])} for class_ in classes]
    except SchemaError:
        return None
    for key in fields[0] if fields else ():
        values = [_constant(found[key]) if key in found else None for found in fields]
        if None not in values and len(set(values)) == len(values):
            return key
    return None


def _constant(given: ClassField) -> str | int | None:
    values = typing.get_args(given.annotation) if typing.get_origin(given.annotation) is typing.Literal else ()
    value = getattr(values[0], "value", values[0]) if len(values) == 1 else None
    return str(value) if isinstance(value, str) else value if isinstance(value, int) else None


def _own_tag(class_: Any) -> list[ClassField]:
    """The tag of a Struct that stands alone, as a field with one value."""
    config = getattr(origin_of(class_), "__struct_config__", None)
    if config is None or config.tag is None:
        return []
    return [ClassField(field_name(config.tag_field), config.tag_field, typing.Literal[config.tag])]


def _tag_value(class_: Any, tag: str, given: list[ClassField]) -> str | int:
    config = getattr(origin_of(class_), "__struct_config__", None)
    value = config.tag if config is not None else next((_constant(one) for one in given if one.wire == tag), None)
    if not isinstance(value, str | int):
        raise SchemaError(f'{class_.__name__}: the tag {tag!r} is not a constant; declare it as Literal["…"]')
    return value
