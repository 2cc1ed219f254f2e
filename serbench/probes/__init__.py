"""Probes: awkward values that a library and a codec may keep, change or refuse; one file per family.

A family's module has one constant, `GROUPS`: schemas, each with the values that are tried with it. A further
probe is one more entry there. `wrong` has the inputs that a decoder ought to refuse.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from serbench.schema import Field, List, Record, Ref, Schema, Type

BASICS = frozenset({"list", "record"})  # what every probe's document is made of


@dataclass(frozen=True)
class Probe:
    """One awkward value.

    Attributes:
        name: what it is; unique among all probes.
        value: the neutral value of the group's record, by wire name.
        edge: whether it stands beyond what people's data ordinarily holds, or what the formats' standards promise.
        make: how the worker makes the value of the record's only field, and how large: ("repeat", 10) is a text of
            ten characters, ("nest", 10) as many lists in one another.
        ordered: whether the order of keys counts, in the bytes and in what comes back.
        subclass: the record whose objects are of a subclass of its class.
        without: keys that are taken out of the bytes' document before it is read.
        beside: what is put into that document.
        raw: format → bytes that are read in place of those written.
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
        """Whether other bytes are read than were written."""
        return bool(self.without or self.beside or self.raw)


@dataclass(frozen=True)
class Group:
    """A record with the values that are tried in it, one document with one record for each."""

    name: str
    fields: tuple[Field, ...]
    probes: tuple[Probe, ...]
    records: tuple[Record, ...] = ()

    @cached_property
    def schema(self) -> Schema:
        """A list of the record, under a name that no other group has."""
        name = "".join(word.capitalize() for word in self.name.split()) + "Probe"
        return Schema(List(Ref(name)), (*self.records, Record(name, self.fields)))

    @cached_property
    def features(self) -> frozenset[str]:
        """What a schema uses for which these probes matter."""
        return self.schema.features - BASICS


def of(name: str, type_: Type, *values: tuple[str, Any], records: tuple[Record, ...] = (), edge: bool = False) -> Group:
    """A group whose record has one field, `subject`, with named values."""
    probes = tuple(Probe(label, {"subject": value}, edge) for label, value in values)
    return Group(name, (Field("subject", type_),), probes, records)


def made(name: str, type_: Type, label: str, how: str, size: int) -> Group:
    """A group with one value that is too large to be written down."""
    return Group(name, (Field("subject", type_),), (Probe(label, {}, edge=True, make=(how, size)),))


@cache
def groups() -> tuple[Group, ...]:
    """Every group of every family, the families in the order of their names."""
    found: list[Group] = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found += getattr(module, "GROUPS", ())
    return tuple(found)
