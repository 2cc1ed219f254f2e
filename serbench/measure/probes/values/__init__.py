"""Awkward values that a library or codec may preserve, change or refuse; one file per family.

Each family's module defines `GROUPS`: record types with the values to try. To add a probe, add an entry there. `wrong`
has invalid inputs, which decoders should reject.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from serbench.model.records import Field, List, Record, Ref, Schema, Type

COMMON_FEATURES = frozenset({"list", "record"})  # of every probe's document


@dataclass(frozen=True)
class Probe:
    """One awkward value.

    Attributes:
        name: unique description.
        value: neutral value of the group's record, by wire name.
        edge: True if ordinary data has no such value, or if the formats' standards do not guarantee it.
        make: how the worker creates the value of the record's only field, and its size: ("repeat", 10) is a text of
            ten characters, ("nest", 10) ten nested lists, ("Text", 10) a text of a subclass of `str`.
        ordered: True if the order of keys matters, in the bytes and in the decoded value.
        subclass: name of the record whose objects are instances of a subclass.
        without: keys removed from the encoded document before decoding.
        beside: items added to the encoded document before decoding.
        raw: format → bytes to decode in place of the encoded ones.
    """

    name: str
    value: Mapping[str, Any] = field(default_factory=dict, hash=False)
    edge: bool = False
    make: tuple[str, int] | None = None
    ordered: bool = False
    subclass: str = ""
    without: tuple[str, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict, hash=False)
    raw: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    @property
    def rewritten(self) -> bool:
        """True if the decoded bytes differ from the encoded ones."""
        return bool(self.without or self.beside or self.raw)


@dataclass(frozen=True)
class Group:
    """A record type with the values to try, each in a document of one record."""

    name: str
    fields: tuple[Field, ...]
    probes: tuple[Probe, ...]
    records: tuple[Record, ...] = ()

    @cached_property
    def schema(self) -> Schema:
        """Schema of a list of the record, whose name is unique among groups."""
        name = "".join(word.capitalize() for word in self.name.split()) + "Probe"
        return Schema(List(Ref(name)), (*self.records, Record(name, self.fields)))

    @cached_property
    def features(self) -> frozenset[str]:
        """Schema features that these probes concern."""
        return self.schema.features - COMMON_FEATURES


def group_of(
    name: str, type_: Type, *values: tuple[str, Any], records: tuple[Record, ...] = (), edge: bool = False
) -> Group:
    """Make a group whose record has one field, `subject`, with named values."""
    probes = tuple(Probe(label, {"subject": value}, edge) for label, value in values)
    return Group(name, (Field("subject", type_),), probes, records)


def edges(*values: tuple[str, Any]) -> tuple[Probe, ...]:
    """Make probes of a field `subject` that ordinary data has not."""
    return tuple(Probe(label, {"subject": value}, edge=True) for label, value in values)


def with_more(group: Group, *probes: Probe) -> Group:
    """Return a group with more probes of its type, so that one module serves them all."""
    return replace(group, probes=(*group.probes, *probes))


@cache
def groups() -> tuple[Group, ...]:
    """Return the groups of all families, in alphabetical order of the families."""
    families = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(group for family in families for group in getattr(family, "GROUPS", ()))
