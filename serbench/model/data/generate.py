"""Finds workloads by listing their package, and generates data sets from them."""

from __future__ import annotations

from functools import cache
from itertools import count
from random import Random
from typing import Any

from serbench.errors import PlugInError, check
from serbench.model.data.dataset import Dataset, Value, Workload, check_parameters, check_total, with_inner
from serbench.model.installed_plug_ins import installed
from serbench.model.plug_ins import plug_in, plug_in_names, told
from serbench.model.records import Schema
from serbench.model.types import List

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
