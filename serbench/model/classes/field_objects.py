"""A field of a user's class, and fields declared as objects: marshmallow's and Django REST framework's."""

from __future__ import annotations

import dataclasses
import os
from collections import abc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import PurePath
from typing import Any

from serbench.errors import SchemaError
from serbench.model.records import REQUIRED, Enum, List, Map, Optional, Ref, Tuple, Type
from serbench.model.scalars import ANY, STR, Scalar


class _Made:
    """Type of `MADE`, which marks a default that a function makes."""


MADE = _Made()


def plainly(default: Any, factory: abc.Callable[[], Any] | None = None) -> abc.Callable[[], Any]:
    """Return a function that gives a default, or what a factory makes, as JSON."""

    def filled() -> Any:
        value = default if factory is None else factory()
        return import_module("msgspec").to_builtins(value, enc_hook=_text_of, str_keys=True)

    return filled


def _text_of(value: Any) -> str:
    if isinstance(value, PurePath | Fraction | complex):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON")


@dataclasses.dataclass(frozen=True)
class ClassField:
    """A field as its class declares it.

    Attributes:
        name: the attribute or, if the class has dicts, the key.
        wire: the key in a document that the class reads; empty if it does not read the field.
        annotation: the annotation, or the field object.
        default: its default, whatever it is; `REQUIRED` if it has none, `MADE` if a function makes it.
        tag: the discriminator of its union.
        values: whether it holds enum values instead of members.
        written: the key in a document that the class writes; None if that is `wire`, empty if it is not written.
        limits: constraints beside the annotation, of any library.
        texts: whether bytes in it are written as text.
        absent: whether a document may lack it, and then it is not null.
        filled: gives the default as JSON; raises any exception if it has none.
    """

    name: str
    wire: str
    annotation: Any
    default: Any = REQUIRED
    tag: str | None = None
    values: bool = False
    written: str | None = None
    limits: tuple[Any, ...] = ()
    texts: bool = False
    absent: bool = False
    filled: abc.Callable[[], Any] = dataclasses.field(default=lambda: REQUIRED, compare=False)

    def key(self, *, writing: bool) -> str:
        """The key in a document of that direction; empty if the field is no part of it."""
        return self.wire if self.written is None or not writing else self.written


def of_marshmallow(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    """The fields of a Schema of marshmallow."""
    name = class_.__name__
    hooks = [hook for of_event in getattr(class_, "_hooks", {}).values() for hook in of_event]
    notes += [f"{name}.{hook if isinstance(hook, str) else hook[0]} (hook)" for hook in hooks]
    declared: dict[str, Any] = vars(class_)["_declared_fields"]
    for key, field in declared.items():
        if field.validators:
            notes.append(f"{name}.{key} (validator)")
        computed = type(field).__name__ in ("Method", "Function") and not (
            getattr(field, "deserialize_method_name", None) or getattr(field, "deserialize_func", None)
        )
        wire = "" if field.dump_only or computed else field.data_key or key
        written = "" if field.load_only else field.data_key or key
        default = REQUIRED if field.required or not wire else None
        yield ClassField(key, wire, field, default, written=written, limits=(*field.validators, field))


def of_rest_framework(class_: Any, notes: list[str]) -> abc.Iterator[ClassField]:
    """The fields of a serializer of Django REST framework, but for those that it computes."""
    name, fields = class_.__name__, serializer_fields(class_)
    checks = [key for key in dir(class_) if key.startswith("validate_") and key.removeprefix("validate_") in fields]
    ours = ("validate", "to_internal_value", "to_representation")
    checks += [key for key in ours if not getattr(class_, key).__module__.startswith("rest_framework.")]
    notes += [f"{name}.{key} (method)" for key in checks]
    meta = getattr(getattr(class_, "Meta", None), "validators", ())
    notes += [f"{name}.Meta.validators ({type(one).__name__})" for one in meta]
    for key, field in fields.items():
        if type(field).__name__ == "SerializerMethodField":
            continue  # computed
        nested = hasattr(type(field), "_declared_fields")  # read as a class of its own
        validators = (
            []
            if nested
            else [getattr(validator, "__name__", type(validator).__name__) for validator in field.validators]
        )
        notes += [
            f"{name}.{key} ({validator})" for validator in validators if not validator.startswith("Prohibit")
        ]  # validators that every text field has
        if field.source != key:
            notes.append(f"{name}.{key} (source={field.source})")
        simple = type(field.default) in (str, int, float, bool)
        default = REQUIRED if field.required or field.read_only else field.default if simple else None
        hidden = type(field).__name__ == "HiddenField"
        wire, written = "" if field.read_only or hidden else key, "" if field.write_only else key
        attribute = field.source if field.source.isidentifier() else key
        yield ClassField(attribute, wire, field, default, written=written, limits=(field,))


def serializer_fields(class_: Any) -> dict[str, Any]:
    """Return a serializer's fields; configures Django first, with TIME_ZONE="UTC" unless the project has settings."""
    try:
        django, settings = import_module("django"), import_module("django.conf").settings
        if not settings.configured and "DJANGO_SETTINGS_MODULE" not in os.environ:
            settings.configure(TIME_ZONE="UTC")
        django.setup()
        return dict(class_().fields)
    except Exception as error:  # the project's settings or models may raise anything
        said = " ".join(str(error).split())
        raise SchemaError(f"the fields of {class_.__name__} cannot be read: {type(error).__name__}: {said}") from None


_CLASSES = {
    "str": ("String Email URL Url IP", "CharField IPAddressField"),
    "int": ("Integer Int", "IntegerField"),
    "bool": ("Boolean Bool", "BooleanField"),
    "float": ("Float Number", "FloatField"),
    "decimal": ("Decimal", "DecimalField"),
    "datetime": ("DateTime AwareDateTime", "DateTimeField"),
    "date": ("Date", "DateField"),
    "time": ("Time", "TimeField"),
    "timedelta": ("TimeDelta", "DurationField"),
    "uuid": ("UUID", "UUIDField"),
    "any": ("Raw", "JSONField _UnvalidatedField"),
}
"""Kind → the field classes of marshmallow and of Django REST framework that hold it."""
_MARSHMALLOW, _REST_FRAMEWORK = (
    {name: Scalar(kind) for kind, names in _CLASSES.items() for name in names[library].split()} for library in (0, 1)
)


@dataclass(frozen=True)
class FieldObjects:
    """Reads the types of field objects.

    `record` reads a nested class, `choice` returns the type of a set of constants, and `notes` collects the
    constraints that a schema cannot express.
    """

    record: Callable[[Any], Ref]
    choice: Callable[[str, Iterable[Any]], Type]
    notes: list[str]
    limits: dict[str, tuple[Any, ...]]

    def type(self, kind: str, field: Any, where: str) -> tuple[Type, bool]:
        """Return a field's type and whether it may be null; `kind` is the kind of class that has the field."""
        if kind == "marshmallow":
            return self._marshmallow(field, where), field.allow_none
        return self._rest_framework(field, where), field.allow_null

    def _marshmallow(self, field: Any, where: str) -> Type:
        match type(field).__name__:
            case "List":
                return List(self._inner(field.inner, where))
            case "Tuple":
                return Tuple(tuple(self._inner(one, where) for one in field.tuple_fields))
            case "Dict" | "Mapping":
                key = STR if field.key_field is None else self._marshmallow(field.key_field, where)
                return Map(ANY if field.value_field is None else self._inner(field.value_field, where), key)
            case "Pluck":
                return self._marshmallow(field.schema.fields[field.field_name], where)
            case "Nested":
                ref = self.record(type(field.schema))
                return List(ref) if field.many or field.schema.many else ref
            case "Enum" if not field.by_value:
                return self.choice(where, [one.name for one in field.enum])
            case "Enum":
                return Enum(field.enum.__name__, tuple((one.name, one.value) for one in field.enum))
        if getattr(field, "format", None) not in (None, "iso", "iso8601"):
            return Scalar("foreign")  # a date in a form of its own
        return self._known(field, where, _MARSHMALLOW)

    def _rest_framework(self, field: Any, where: str) -> Type:
        match type(field).__name__:
            case "ListField" | "ListSerializer":
                return List(self._item(field.child, where))
            case "DictField" | "HStoreField":
                return Map(self._item(field.child, where))
            case "ChoiceField":
                self.notes.append(f"{where} (choices {', '.join(map(str, field.choices))})")
                return self.choice(where, field.choices)
        if hasattr(type(field), "_declared_fields"):
            return self.record(type(field))
        return self._known(field, where, _REST_FRAMEWORK)

    def _inner(self, field: Any, where: str) -> Type:
        self.limits[f"{where}[]"] = (*field.validators, field)
        return self._marshmallow(field, f"{where}[]")

    def _item(self, child: Any, where: str) -> Type:
        self.limits[f"{where}[]"] = (child,)
        type_ = self._rest_framework(child, f"{where}[]")
        return Optional(type_) if child.allow_null and type_ != ANY else type_

    def _known(self, field: Any, where: str, known: dict[str, Scalar]) -> Type:
        """Return the type of a field from its class or its nearest known base class."""
        kind = type(field).__name__
        base = next((c.__name__ for c in type(field).__mro__ if c.__name__ in known), None)
        if base is None:
            self.notes.append(f"{where} ({kind}, carried as what it writes)")
            return Scalar("foreign")
        if base != kind:
            self.notes.append(f"{where} ({kind}, carried as {base})")
        return known[base]
