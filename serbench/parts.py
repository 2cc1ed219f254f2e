"""Values made of parts: dataclasses within a dataclass, whose facts are read, given and written flat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar, get_type_hints

T = TypeVar("T")


@cache
def flat_facts(shape: type) -> dict[str, tuple[str, str]]:
    """Fact → the field of a value of parts that has it, itself or as one of its part's, and its annotation."""
    facts: dict[str, tuple[str, str]] = {}
    hints = get_type_hints(shape)
    for one in fields(shape):
        inside = flat_facts(hints[one.name]) if is_dataclass(hints[one.name]) else {}
        facts |= {name: (one.name, annotation) for name, (_, annotation) in inside.items()}
        if not inside:
            facts[one.name] = (one.name, str(one.type))
    return facts


class OfParts:
    """A dataclass with dataclasses as fields, its parts, whose facts can be given by their own names as well."""

    @classmethod
    def of(cls, **facts: Any) -> Self:
        """The value of these facts; a part without any has its default.

        Raises:
            TypeError: a fact is unknown, or one without a default is missing.
        """
        shapes = get_type_hints(cls)
        fields_, parts = by_part(cls, facts)
        return cls(**fields_, **{part: shapes[part](**members) for part, members in parts.items()})

    def changed(self, **facts: Any) -> Self:
        """The same value with other facts, each in the part that has it.

        Raises:
            TypeError: a fact is unknown.
        """
        fields_, parts = by_part(type(self), facts)
        made = {part: replace(getattr(self, part), **members) for part, members in parts.items()}
        return replace(self, **fields_, **made)  # type: ignore[type-var]  # every subclass is a dataclass


def by_part(shape: type, facts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The facts that are fields themselves, and by part those that are a part's."""
    known = flat_facts(shape)
    direct: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in facts.items():
        part, _ = known.get(name, (name, ""))
        (direct if part == name else parts.setdefault(part, {}))[name] = value
    return direct, parts


class FactOf(Generic[T]):
    """A fact of a part, to be read as the whole's own."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __set_name__(self, _: type, name: str) -> None:
        self._name, self._read = name, attrgetter(f"{self._part}.{name}")

    def __get__(self, whole: object, _: type) -> T:
        value: T = self._read(whole)
        return value

    def __set__(self, whole: object, value: T) -> None:
        raise AttributeError(f"{self._name} can only be read: replace {self._part}")


class FilledFactOf(FactOf[T]):
    """A fact that is filled in later: its part is replaced."""

    def __set__(self, whole: object, value: T) -> None:
        setattr(whole, self._part, replace(getattr(whole, self._part), **{self._name: value}))
