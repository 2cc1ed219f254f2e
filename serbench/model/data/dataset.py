"""Workloads, found by listing their package, and the data sets generated from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from random import Random
from typing import Any, TypeAlias

from serbench.errors import PlugInError, WorkloadError, check
from serbench.model.inference.decided import Doubt
from serbench.model.plug_ins import check_types, installed, plug_in, plug_in_names, told
from serbench.model.records import Field, List, Optional, Record, Ref, Schema, Type, Union

MOST_RECORDS = 10_000_000
"""Maximum number of records in a data set, inner ones included; larger requests are assumed to be typing errors."""

Value: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Workload:
    """Description of a workload, which its file defines as `WORKLOAD`.

    Attributes:
        name: the file's name, with hyphens.
        summary: one-line description of the data.
        item: type of one record of the document: a Ref, or a Union of Refs.
        types: the record types that `item` needs.
        value: function of (random, number, depth) that returns the neutral value of the record of that number, from
            1; it calls only `random()` and `getrandbits()` of the random source, which are stable across Python versions.
        records: default number of records.
        depth: natural and default depth: the number of nesting levels of records.
        branching: records of the same type that each record contains, if `value` implements `depth` itself; 0 if the
            depth is fixed, so that greater depths append a chain of records to each (see `generate`).
    """

    name: str
    summary: str
    item: Type
    types: tuple[Record, ...]
    value: Callable[[Random, int, int], Value]
    records: int = 100
    depth: int = 1
    branching: int = 0

    def __post_init__(self) -> None:
        """Check what it says of itself.

        Raises:
            PlugInError: a field is of another type or out of range.
            SchemaError: `item` and `types` are no schema.
        """
        check_types(self)
        for one in self.types:
            if not isinstance(one, Record):
                raise PlugInError(f"types holds records only; {one!r} is the type of a field")
        if min(self.records, self.depth) < 1:
            raise PlugInError(f"records={self.records} and depth={self.depth} must both be at least 1")
        Schema(self.item, self.types)

    @property
    def shallowest(self) -> int:
        """Smallest depth allowed."""
        return 1 if self.branching else self.depth


@dataclass(frozen=True)
class Dataset:
    """A document as a neutral value, with its schema and its parameters.

    `records` is the number of items of the root list, or 1 if the root is the object itself. `sha256` is the hash of
    the payload's bytes; None for generated data. `draw` returns a further document of the same schema and size for each
    number from 1; None if there is only this one. `direction`
    is "reads" or "writes" if a class of the user's reads another document than it writes. For what it writes, `reads`
    returns of each number, from 0, the document that it reads, with attributes that each object has beside.
    `left_out` is what the class leaves out of this document, in the words of a work class; empty if it is whole.
    `written` is the schema of the documents, and of `value`, if `schema` has only a part of their fields.
    `inferred` is the schema of a list of documents that a class of the user's takes and its fields do not describe, which
    tells what these may lack; None if they do.
    `enough` is how many documents a run takes if it is asked for no number; None if their size decides.
    `sampled` is True if this is a part of a larger document; `doubts` are decisions of inference on little evidence.
    `unread` says what of a large file was not read; empty if nothing.
    """

    name: str
    records: int
    depth: int
    seed: int
    schema: Schema = field(repr=False)
    value: Any = field(repr=False)
    sha256: str | None = None
    draw: Callable[[int], Any] | None = field(default=None, repr=False, compare=False)
    direction: str = ""
    reads: Callable[[int], tuple[Any, list[Any]]] | None = field(default=None, repr=False, compare=False)
    left_out: str = ""
    written: Schema | None = field(default=None, repr=False)
    inferred: Schema | None = field(default=None, repr=False, compare=False)
    enough: int | None = None
    sampled: bool = False
    doubts: tuple[Doubt, ...] = field(default=(), repr=False, compare=False)
    unread: str = ""

    @property
    def spec(self) -> dict[str, Any]:
        """The schema for workers; under "written" that of the documents, if it is another."""
        more = {} if self.written is None else {"written": self.written.as_data()}
        return {**self.schema.as_data(), **more}

    def stream(self) -> Iterator[Any]:
        """Yield this document, and further ones without end if they can be drawn."""
        yield self.value
        if self.draw is not None:
            yield from map(self.draw, count(1))


def item_records(item: Type) -> set[str]:
    """Return the names of the records that an item of a document may be."""
    members = item.members if isinstance(item, Union) else (item,)
    return {member.record for member in members if isinstance(member, Ref)}


def with_inner(records: Iterable[Record], item: Type, key: str) -> tuple[Record, ...]:
    """Return the records, those of the item with an optional field for another item."""
    names, inner = item_records(item), Field(key, Optional(item), default=None)
    return tuple(replace(r, fields=(*r.fields, inner)) if r.name in names else r for r in records)


def check_parameters(records: int, depth: int, seed: int, *, shallowest: int = 1, of: str = "") -> None:
    """Check the parameters of a data set.

    Args:
        records: number of records, at least 1.
        depth: nesting levels, at least `shallowest`.
        seed: random seed, at least 0 and less than 2^63, as the store keeps it.
        shallowest: smallest depth of the data.
        of: the data, as errors about its depth name it.

    Raises:
        WorkloadError: a parameter is not an int or out of range.
    """
    for what, number, least in (("records", records, 1), ("depth", depth, shallowest), ("seed", seed, 0)):
        if type(number) is not int:
            raise WorkloadError(f"{what} must be a whole number, not {number!r}")
        if number >= 1 << 63:
            raise WorkloadError(f"{what} must be less than 2^63, not {number}")
        if number < least:
            whose = f" for {of}" if of and what == "depth" else ""
            raise WorkloadError(f"{what} must be at least {least}{whose}, not {number}")


def check_total(records: int, depth: int, each: int) -> None:
    """Raise WorkloadError if `records` records of `each` records, inner ones included, exceed `MOST_RECORDS`."""
    if records * each > MOST_RECORDS:
        raise WorkloadError(
            f"{records} records of depth {depth} exceed {MOST_RECORDS:,} records in total; lower one of them"
        )


_PACKAGE = "serbench.model.workloads"


def workload_names() -> list[str]:
    """Return the names of all workloads, those of installed plug-ins too, sorted."""
    return sorted([*_our_names(), *_installed()])


@cache
def _our_names() -> tuple[str, ...]:
    return tuple(name.replace("_", "-") for name in plug_in_names(_PACKAGE))


@cache
def _installed() -> dict[str, Workload]:
    return installed("workloads", Workload, _our_names())


def get(name: str) -> Workload:
    """Return the workload with this name.

    Raises:
        PlanError: the name is unknown; the message suggests the closest one.
    """
    if name not in _our_names():
        check("workload", name, workload_names())
        return _installed()[name]
    workload = plug_in(_PACKAGE, file := name.replace("-", "_"), "WORKLOAD", Workload)
    if workload.name != name:
        raise PlugInError(
            f"{_PACKAGE.replace('.', '/')}/{file}.py: its name is {workload.name!r}, but must be {name!r}"
        )
    return workload


def generate(name: str, records: int | None = None, depth: int | None = None, seed: int = 0) -> Dataset:
    """Generate a data set of a workload.

    If `depth` exceeds the natural depth, the root record gets an optional field `inner` of its own type that holds a
    chain of further records; the `tree` workload grows deeper trees instead. At the natural depth, the first n records
    are the same for every number of records.

    Args:
        name: one of `workload_names()`.
        records: number of items in the root list; if 1, the document is the object itself.
        depth: nesting levels of records.
        seed: random seed, 0 or more.

    Raises:
        PlanError: the name is unknown.
        WorkloadError: a parameter is out of range.
    """
    workload = get(name)
    records = workload.records if records is None else records
    depth = workload.depth if depth is None else depth
    check_parameters(records, depth, seed, shallowest=workload.shallowest, of=f"the workload {workload.name!r}")
    # Capped, because the powers of a huge depth would take forever.
    branches = (workload.branching**level for level in range(min(depth, 64)))
    check_total(records, depth, sum(branches) if workload.branching else depth - workload.depth + 1)
    extra = 0 if workload.branching else depth - workload.depth
    types = with_inner(workload.types, workload.item, "inner") if extra else workload.types

    def value(random: Random, number: int) -> Value:
        try:
            return workload.value(random, number, depth)
        except Exception as error:
            raise PlugInError(told(error, name)) from error

    def document(number: int) -> Any:
        random = Random(f"{seed} {number}" if number else seed)
        numbers = count(number * records + 1)
        values = [value(random, next(numbers)) for _ in range(records)]
        links = (value(random, number) for number in count(1))
        for record in values if extra else ():
            last = record
            for _ in range(extra):
                last["inner"] = last = next(links)
            last["inner"] = None
        return values[0] if records == 1 else values

    root = workload.item if records == 1 else List(workload.item)
    return Dataset(name, records, depth, seed, Schema(root, types), document(0), draw=document)
