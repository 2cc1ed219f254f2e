"""Reads the schema of a class that somebody wrote: a dataclass, attrs, pydantic, msgspec, a tuple, a dict or marshmallow."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import types
import typing
import uuid
from collections import abc
from typing import Any

from serbench.schema.names import field_name
from serbench.schema.types import (
    ANY,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    REQUIRED,
    STR,
    TIME,
    TIMEDELTA,
    UUID,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    SchemaError,
    Set,
    Tuple,
    Type,
    Union,
)

_SCALARS: dict[Any, Type] = {
    str: STR,
    int: INT,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    dt.datetime: DATETIME,
    dt.date: DATE,
    dt.time: TIME,
    dt.timedelta: TIMEDELTA,
    decimal.Decimal: DECIMAL,
    uuid.UUID: UUID,
    object: ANY,
    Any: ANY,
    dict: Map(ANY),
    list: List(ANY),
}
_SEQUENCES = (list, abc.Sequence, abc.Iterable, abc.Collection)
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping)
_SETS = (set, frozenset, abc.Set)
_MARSHMALLOW: dict[str, Type] = {
    **dict.fromkeys(("String", "Email", "URL", "Url", "IP"), STR),
    **dict.fromkeys(("Integer", "Int"), INT),
    **dict.fromkeys(("Boolean", "Bool"), BOOL),
    **dict.fromkeys(("DateTime", "AwareDateTime"), DATETIME),
    "Float": FLOAT,
    "Number": FLOAT,
    "Decimal": DECIMAL,
    "UUID": UUID,
    "Date": DATE,
    "Time": TIME,
    "TimeDelta": TIMEDELTA,
    "Raw": ANY,
}


@dataclasses.dataclass
class Parsed:
    """What was read of a class: its schema, and what a schema cannot say, one line each."""

    schema: Schema
    kind: str
    notes: list[str]


def kind_of(class_: Any) -> str:
    """What the class is written with.

    Raises:
        SchemaError: nothing that is known.
    """
    if isinstance(class_, type) and hasattr(class_, "__pydantic_core_schema__") and hasattr(class_, "model_fields"):
        return "pydantic"
    if hasattr(class_, "__struct_fields__"):
        return "msgspec"
    if hasattr(class_, "__attrs_attrs__"):
        return "attrs"
    if dataclasses.is_dataclass(class_):
        return "dataclass"
    if isinstance(class_, type) and issubclass(class_, tuple) and hasattr(class_, "_fields"):
        return "namedtuple"
    if typing.is_typeddict(class_):
        return "typeddict"
    if hasattr(class_, "_declared_fields") and hasattr(class_, "to_internal_value"):
        raise SchemaError(f"{class_.__name__} is a Django REST framework serializer, which is not measured yet")
    if hasattr(class_, "_declared_fields"):
        return "marshmallow"
    if hasattr(class_, "__fields__") and hasattr(class_, "parse_obj"):
        raise SchemaError(
            f"{class_.__name__} is a model of pydantic 1, which is not measured yet; port it to pydantic 2"
        )
    name = getattr(class_, "__name__", repr(class_))
    raise SchemaError(
        f"{name} is no model; known are dataclasses, attrs, pydantic, msgspec, NamedTuple, TypedDict and marshmallow"
    )


def from_class(class_: Any) -> Parsed:
    """The schema of a class and of those it refers to; the root is a list of them.

    Raises:
        SchemaError: it is no model, or a field has a type that serbench does not know.
    """
    kind, reading = kind_of(class_), _Reading()
    root = reading.record(class_)
    return Parsed(Schema(List(root), tuple(reading.records.values())), kind, reading.notes)


@dataclasses.dataclass(frozen=True)
class _Given:
    """A field as its class has it: the name, the key in the bytes, the annotation, and the default."""

    name: str
    wire: str
    annotation: Any
    default: Any = REQUIRED
    tag: str | None = None  # by which its union is told apart


class _Reading:
    """One class being read; the records found on the way stand in `records`."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.notes: list[str] = []
        self._classes: dict[str, Any] = {}

    def record(self, class_: Any, tag: str | None = None) -> Ref:
        """The record of a class; with `tag`, the field of that key becomes its tag."""
        kind = kind_of(class_)
        name = class_.__name__.removesuffix("Schema") if kind == "marshmallow" else class_.__name__
        if self._classes.setdefault(name, class_) is not class_:
            raise SchemaError(f"two classes are called {name}; give one of them another name")
        if name in self.records:
            return Ref(name)
        self.records[name] = Record(name, ())  # in its place, until it is known
        given, value = list(_GIVEN[kind](class_, self.notes)), None
        if tag is not None:
            value = _tag_value(class_, tag, given)
            given = [one for one in given if one.wire != tag]
        if kind == "marshmallow":
            fields = [Field(one.name, self._marshmallow(one), _alias(one), one.default) for one in given]
        else:
            fields = [self._field(one, f"{name}.{one.name}") for one in given]
        computed = _computed(class_) if kind == "pydantic" else ()
        self.notes += [f"{name}.{key} (computed field)" for key in computed]
        ordered = tuple(sorted(fields, key=lambda f: not f.required))
        self.records[name] = Record(name, ordered, value, computed)
        return Ref(name)

    def _field(self, given: _Given, where: str) -> Field:
        type_ = self.type(given.annotation, where, given.tag)
        default = given.default
        if default is not REQUIRED and not (default is None or type(default) in (str, int, float, bool)):
            default = REQUIRED
        if default is None and type_ != ANY and not isinstance(type_, Optional):
            type_ = Optional(type_)
        return Field(given.name, type_, _alias(given), default)

    def type(self, annotation: Any, where: str, tag: str | None = None) -> Type:
        """The type of an annotation."""
        if annotation in (None, types.NoneType):
            return ANY
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
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
            kinds = {type(value) for value in arguments}
            return _SCALARS.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY
        if origin is not None:
            return self._generic(origin, arguments, where, tag)
        if annotation in _SCALARS:
            return _SCALARS[annotation]
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return Enum(annotation.__name__, tuple((one.name, one.value) for one in annotation))
        if annotation in (set, frozenset, tuple):
            raise SchemaError(f"{where}: say what the {annotation.__name__} holds, as in {annotation.__name__}[str]")
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
            raise SchemaError(f"{where}: a tuple of any length; make it a list")
        if origin is tuple:
            return Tuple(tuple(self.type(argument, where) for argument in arguments))
        raise SchemaError(f"{where}: no type for {origin}; known are scalars, lists, sets, tuples, dicts and models")

    def _union(self, arguments: tuple[Any, ...], where: str, tag: str | None) -> Type:
        some = [argument for argument in arguments if argument is not types.NoneType]
        tag = tag or _common_tag(some)
        if len(some) > 1 and tag is not None:
            type_: Type = Union(tuple(self.record(member, tag) for member in some), tag)
        else:
            members = tuple(dict.fromkeys(self.type(argument, where) for argument in some))
            type_ = members[0] if len(members) == 1 else ANY if ANY in members else Union(members)
        return type_ if len(some) == len(arguments) or type_ == ANY else Optional(type_)

    def _marshmallow(self, given: _Given) -> Type:
        type_ = self._marshmallow_type(given.annotation, given.name)
        return Optional(type_) if given.annotation.allow_none and type_ != ANY else type_

    def _marshmallow_type(self, field: Any, where: str) -> Type:
        kind = type(field).__name__
        match kind:
            case "List":
                return List(self._marshmallow_type(field.inner, where))
            case "Dict" | "Mapping":
                return Map(ANY if field.value_field is None else self._marshmallow_type(field.value_field, where))
            case "Nested":
                ref = self.record(type(field.schema))
                return List(ref) if field.many or field.schema.many else ref
            case "Enum":
                return Enum(field.enum.__name__, tuple((one.name, one.value) for one in field.enum))
        known = next((_MARSHMALLOW[c.__name__] for c in type(field).__mro__ if c.__name__ in _MARSHMALLOW), None)
        if known is None:
            raise SchemaError(f"{where}: no type for the field {kind}; leave it out")
        said = next(c.__name__ for c in type(field).__mro__ if c.__name__ in _MARSHMALLOW) if known else ""
        if kind not in _MARSHMALLOW:
            self.notes.append(f"{where} ({kind}, carried as {said})")
        return known


def _alias(given: _Given) -> str | None:
    return None if given.wire == given.name else given.wire


def _hints(class_: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(class_, include_extras=True)
    except (NameError, TypeError) as error:
        raise SchemaError(
            f"{class_.__name__}: an annotation cannot be resolved ({error}); import what it names"
        ) from None


def _of_dataclass(class_: Any, notes: list[str]) -> abc.Iterator[_Given]:
    hints = _hints(class_)
    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    for f in dataclasses.fields(class_):
        default = REQUIRED if f.default is dataclasses.MISSING else f.default
        yield _Given(f.name, f.name, hints[f.name], default)


def _of_attrs(class_: Any, notes: list[str]) -> abc.Iterator[_Given]:
    hints = _hints(class_)
    for a in class_.__attrs_attrs__:
        notes += [f"{class_.__name__}.{a.name} ({what})" for what in ("validator", "converter") if getattr(a, what)]
        simple = type(a.default) in (str, int, float, bool, types.NoneType)
        yield _Given(a.name, a.name, hints.get(a.name, Any), a.default if simple else REQUIRED)


def _of_msgspec(class_: Any, notes: list[str]) -> abc.Iterator[_Given]:
    import msgspec

    if hasattr(class_, "__post_init__"):
        notes.append(f"{class_.__name__}.__post_init__")
    for f in msgspec.structs.fields(class_):
        default = REQUIRED if f.default is msgspec.NODEFAULT else f.default
        yield _Given(f.name, f.encode_name, f.type, default)


def _of_tuple(class_: Any, _notes: list[str]) -> abc.Iterator[_Given]:
    hints = _hints(class_)
    for name in class_._fields:
        yield _Given(name, name, hints.get(name, Any), class_._field_defaults.get(name, REQUIRED))


def _of_typeddict(class_: Any, _notes: list[str]) -> abc.Iterator[_Given]:
    for key, hint in _hints(class_).items():
        yield _Given(field_name(key), key, hint, REQUIRED if key in class_.__required_keys__ else None)


def _of_pydantic(class_: Any, notes: list[str]) -> abc.Iterator[_Given]:
    decorators = class_.__pydantic_decorators__
    for what in (
        "field_validators",
        "model_validators",
        "field_serializers",
        "model_serializers",
        "validators",
        "root_validators",
    ):
        notes += [f"{class_.__name__}.{name} ({what[:-1].replace('_', ' ')})" for name in getattr(decorators, what)]
    for name, info in class_.model_fields.items():
        wire = info.serialization_alias or info.alias or name
        limits = [str(limit) for limit in info.metadata if type(limit).__name__ not in ("FieldInfo", "Discriminator")]
        if limits:
            notes.append(f"{class_.__name__}.{name} ({', '.join(limits)})")
        default = REQUIRED if info.is_required() or info.default_factory is not None else info.default
        tag = info.discriminator if isinstance(info.discriminator, str) else None
        yield _Given(name, wire, info.annotation, default, tag)


def _of_marshmallow(class_: Any, notes: list[str]) -> abc.Iterator[_Given]:
    name = class_.__name__
    hooks = [hook for found in getattr(class_, "_hooks", {}).values() for hook in found]
    notes += [f"{name}.{hook if isinstance(hook, str) else hook[0]} (hook)" for hook in hooks]
    declared: dict[str, Any] = vars(class_)["_declared_fields"]
    for key, field in declared.items():
        if field.validators:
            notes.append(f"{name}.{key} (validator)")
        yield _Given(key, field.data_key or key, field, REQUIRED if field.required else None)


_GIVEN = {
    "dataclass": _of_dataclass,
    "attrs": _of_attrs,
    "msgspec": _of_msgspec,
    "namedtuple": _of_tuple,
    "typeddict": _of_typeddict,
    "pydantic": _of_pydantic,
    "marshmallow": _of_marshmallow,
}


def _computed(class_: Any) -> tuple[str, ...]:
    return tuple(info.alias or name for name, info in class_.model_computed_fields.items())


def _discriminator(metadata: tuple[Any, ...]) -> str | None:
    found = (getattr(one, "discriminator", None) for one in metadata)
    return next((tag for tag in found if isinstance(tag, str)), None)


def _common_tag(classes: list[Any]) -> str | None:
    """The key that has another constant in each of these classes."""
    if any(hasattr(one, "__struct_config__") for one in classes):
        tags = {getattr(getattr(one, "__struct_config__", None), "tag_field", None) for one in classes}
        return tags.pop() if len(tags) == 1 else None
    try:
        fields = [{one.wire: one for one in _GIVEN[kind_of(class_)](class_, [])} for class_ in classes]
    except SchemaError:
        return None
    for key in fields[0] if fields else ():
        values = [_constant(found[key]) if key in found else None for found in fields]
        if None not in values and len(set(values)) == len(values):
            return key
    return None


def _constant(given: _Given) -> str | None:
    values = typing.get_args(given.annotation) if typing.get_origin(given.annotation) is typing.Literal else ()
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def _tag_value(class_: Any, tag: str, given: list[_Given]) -> str:
    config = getattr(class_, "__struct_config__", None)
    value = config.tag if config is not None else next((_constant(one) for one in given if one.wire == tag), None)
    if not isinstance(value, str):
        raise SchemaError(f"{class_.__name__}: its tag {tag!r} is no text; give it one")
    return value
