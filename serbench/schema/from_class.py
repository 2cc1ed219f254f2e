"""Reads the schema of a user's class, of any kind that `class_fields` supports."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections import abc
from datetime import datetime
from functools import partial
from typing import Any

from serbench.errors import SchemaError
from serbench.schema.class_fields import ClassField, class_record_name, computed_of, fields_of, kind_of
from serbench.schema.field_objects import FieldObjects
from serbench.schema.records import REQUIRED, Field, Record, Schema
from serbench.schema.scalars import ANY, CLASSES, DATETIME
from serbench.schema.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union, replace_inner

_SCALARS: dict[Any, Type] = {**CLASSES, datetime: DATETIME, object: ANY, Any: ANY, dict: Map(ANY), list: List(ANY)}
_SEQUENCES = (list, abc.Sequence, abc.Iterable, abc.Collection)
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)
_SETS = (set, frozenset, abc.Set)
_FIELD_OBJECTS = ("marshmallow", "djangorestframework")


@dataclasses.dataclass
class ParsedClass:
    """Schema of a class, its kind, and one note per constraint that a schema cannot express."""

    schema: Schema
    kind: str
    notes: list[str]


def from_class(class_: Any, *, drawing: bool = False) -> ParsedClass:
    """Return the schema of a class and the classes it refers to; the root is a list of the class's records.

    With `drawing=True` the schema fits for generating values: constants and choices become enumerations, and fields
    that may be absent but not null are always present.

    Raises:
        SchemaError: the class is not a model, or a field has an unsupported type.
    """
    kind, reading = kind_of(class_), _ClassReader(drawing)
    root = reading.record(class_)
    return ParsedClass(Schema(List(root), tuple(reading.records.values())), kind, reading.notes)


class _ClassReader:
    """Reads one class; `records` collects the record types it finds."""

    def __init__(self, drawing: bool) -> None:
        self.records: dict[str, Record] = {}
        self.notes: list[str] = []
        self.drawing = drawing
        self._classes: dict[str, Any] = {}

    def record(self, class_: Any, tag: str | None = None) -> Ref:
        """Return the record of a class; if `tag` is given, the field with that key becomes its tag."""
        name = class_record_name(class_)
        if self._classes.setdefault(name, class_) is not class_:
            raise SchemaError(f"two classes are called {name}; rename one of them")
        if name in self.records:
            return Ref(name)
        self.records[name] = Record(name, ())  # placeholder, so that the class may refer to itself
        given, value = fields_of(class_, self.notes), None
        if tag is not None:
            value = _tag_value(class_, tag, given)
            given = [one for one in given if one.wire != tag]
        kind = kind_of(class_)
        read = partial(self._object, kind) if kind in _FIELD_OBJECTS else self._field
        fields = [read(one, f"{class_.__name__}.{one.name}") for one in given]
        computed = computed_of(class_)
        self.notes += [f"{class_.__name__}.{key} (computed field)" for key in computed]
        ordered = tuple(sorted(fields, key=lambda f: not f.required))
        self.records[name] = Record(name, ordered, value, computed)
        return Ref(name)

    def _field(self, given: ClassField, where: str) -> Field:
        type_ = self.type(given.annotation, where, given.tag)
        if given.values and not self.drawing:
            type_ = _as_values(type_)
        default = given.default
        if default is not REQUIRED and not (default is None or type(default) in (str, int, float, bool)):
            default = REQUIRED
        if default is None and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        return Field(given.name, type_, _alias(given), default)

    def _object(self, kind: str, given: ClassField, where: str) -> Field:
        type_, null = FieldObjects(self.record, self._choice, self.notes).type(kind, given.annotation, where)
        null = null or (given.default is None and not self.drawing)
        return Field(given.name, Optional(type_) if null and type_ != ANY else type_, _alias(given), given.default)

    def _choice(self, where: str, constants: abc.Iterable[Any]) -> Type:
        """Return the type of a value that is one of these constants."""
        values = list(constants)
        kinds = {type(value) for value in values}
        if self.drawing and kinds in ({str}, {int}):
            name = "".join(part.title() for part in where.split("."))
            return Enum(name, tuple((f"value_{index}", value) for index, value in enumerate(values)))
        return _SCALARS.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY

    def type(self, annotation: Any, where: str, tag: str | None = None) -> Type:
        if annotation in (None, types.NoneType):
            return ANY
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if hasattr(annotation, "item_type"):  # pydantic 1: conlist or conset
            self.notes.append(f"{where} ({annotation.__name__})")
            origin, arguments = annotation.__origin__, (annotation.item_type,)
        if origin is typing.Annotated:
            return self.type(arguments[0], where, tag or _discriminator(arguments[1:]))
        if origin in (typing.Required, typing.NotRequired, typing.Final):
            return self.type(arguments[0], where, tag)
        if hasattr(annotation, "__value__"):  # `type X = …`
            return self.type(annotation.__value__, where, tag)
        if isinstance(annotation, typing.NewType):
            return self.type(annotation.__supertype__, where, tag)
        if origin in (typing.Union, types.UnionType):
            return self._union(arguments, where, tag)
        if origin is typing.Literal:
            return self._choice(where, arguments)
        if origin is not None:
            return self._generic(origin, arguments, where, tag)
        if annotation in _SCALARS:
            return _SCALARS[annotation]
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return Enum(annotation.__name__, tuple((one.name, one.value) for one in annotation))
        if annotation in (set, frozenset, tuple):
            raise SchemaError(f"{where}: {annotation.__name__} needs an item type, such as {annotation.__name__}[str]")
        return self._class(annotation, where)

    def _class(self, annotation: Any, where: str) -> Type:
        try:
            return self.record(annotation)
        except SchemaError:
            if isinstance(annotation, type):
                base = next((b for b in annotation.__mro__ if b in _SCALARS and b is not object), None)
                if base is None and annotation.__module__.startswith("pydantic"):
                    base = str
                if base is not None:
                    self.notes.append(f"{where} ({annotation.__name__}, carried as {base.__name__})")
                    return _SCALARS[base]
            raise

    def _generic(self, origin: Any, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        if origin in _SEQUENCES:
            return List(self.type(arguments[0], where, tag))
        if origin in _SETS:
            return Set(self.type(arguments[0], where))
        if origin in _MAPPINGS:
            return Map(self.type(arguments[1], where, tag))
        if origin is tuple and arguments[1:] == (...,):
            raise SchemaError(f"{where}: tuples of variable length are not supported; use a list")
        if origin is tuple:
            return Tuple(tuple(self.type(argument, where) for argument in arguments))
        raise SchemaError(f"{where}: unsupported type {origin}; use scalars, lists, sets, tuples, dicts or models")

    def _union(self, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        some = [argument for argument in arguments if argument is not types.NoneType]
        tag = tag or _common_tag(some)
        if len(some) > 1 and tag is not None:
            type_: Type = Union(tuple(self.record(member, tag) for member in some), tag)
        else:
            members = tuple(dict.fromkeys(self.type(argument, where) for argument in some))
            type_ = members[0] if len(members) == 1 else ANY if ANY in members else Union(members)
        return type_ if len(some) == len(arguments) or type_ == ANY else Optional(type_)


def _alias(given: ClassField) -> str | None:
    return None if given.wire == given.name else given.wire


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
        tags = {getattr(getattr(one, "__struct_config__", None), "tag_field", None) for one in classes}
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


def _constant(given: ClassField) -> str | None:
    values = typing.get_args(given.annotation) if typing.get_origin(given.annotation) is typing.Literal else ()
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def _tag_value(class_: Any, tag: str, given: list[ClassField]) -> str:
    config = getattr(class_, "__struct_config__", None)
    value = config.tag if config is not None else next((_constant(one) for one in given if one.wire == tag), None)
    if not isinstance(value, str):
        raise SchemaError(f'{class_.__name__}: the tag {tag!r} is not a str constant; declare it as Literal["…"]')
    return value
