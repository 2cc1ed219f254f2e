"""Reads the types of field objects in marshmallow schemas and Django REST framework serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from serbench.model.scalars import ANY, STR, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Tuple, Type

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
