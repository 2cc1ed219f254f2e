"""The types of field objects: those of marshmallow's schemas and of Django REST framework's serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from serbench.schema.types import (
    ANY,
    BOOL,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    STR,
    TIME,
    TIMEDELTA,
    UUID,
    Enum,
    List,
    Map,
    Optional,
    Ref,
    SchemaError,
    Type,
)

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


_REST_FRAMEWORK: dict[str, Type] = {
    "CharField": STR,
    "IPAddressField": STR,
    "IntegerField": INT,
    "BooleanField": BOOL,
    "FloatField": FLOAT,
    "DecimalField": DECIMAL,
    "DateTimeField": DATETIME,
    "DateField": DATE,
    "TimeField": TIME,
    "DurationField": TIMEDELTA,
    "UUIDField": UUID,
    "JSONField": ANY,
    "_UnvalidatedField": ANY,
}


@dataclass(frozen=True)
class FieldObjects:
    """Reads the types of field objects.

    `record` reads a class that a field nests, `choice` gives the type of some constants, and `notes` is added to.
    """

    record: Callable[[Any], Ref]
    choice: Callable[[str, Iterable[Any]], Type]
    notes: list[str]

    def type(self, kind: str, field: Any, where: str) -> tuple[Type, bool]:
        """The type of a field of that kind of class, and whether it may be null.

        Raises:
            SchemaError: a field that serbench does not know.
        """
        if kind == "marshmallow":
            return self._marshmallow(field, where), field.allow_none
        return self._rest_framework(field, where), field.allow_null

    def _marshmallow(self, field: Any, where: str) -> Type:
        match type(field).__name__:
            case "List":
                return List(self._marshmallow(field.inner, where))
            case "Dict" | "Mapping":
                return Map(ANY if field.value_field is None else self._marshmallow(field.value_field, where))
            case "Nested":
                ref = self.record(type(field.schema))
                return List(ref) if field.many or field.schema.many else ref
            case "Enum":
                return Enum(field.enum.__name__, tuple((one.name, one.value) for one in field.enum))
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

    def _item(self, child: Any, where: str) -> Type:
        type_ = self._rest_framework(child, where)
        return Optional(type_) if child.allow_null and type_ != ANY else type_

    def _known(self, field: Any, where: str, known: dict[str, Type]) -> Type:
        """The type of a field by its class, or the nearest class above it that is known."""
        kind = type(field).__name__
        base = next((c.__name__ for c in type(field).__mro__ if c.__name__ in known), None)
        if base is None:
            raise SchemaError(f"{where}: no type for the field {kind}; leave it out")
        if base != kind:
            self.notes.append(f"{where} ({kind}, carried as {base})")
        return known[base]
