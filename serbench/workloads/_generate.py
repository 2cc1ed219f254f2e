"""Finds workloads by listing their package, and makes data sets of them."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from dataclasses import replace
from random import Random

from serbench import workloads
from serbench.schema import Field, List, Optional, Record, Ref, Schema, Union
from serbench.workloads._contract import Dataset, Values, Workload, WorkloadError

MOST_RECORDS = 10_000_000
"""Records, inner ones included, that a data set may have; more is taken for a slip of the hand."""


def workload_names() -> list[str]:
    """The names of all workloads, sorted."""
    return sorted(
        m.name.replace("_", "-") for m in pkgutil.iter_modules(workloads.__path__) if not m.name.startswith("_")
    )


def get(name: str) -> Workload:
    """The workload of that name.

    Raises:
        WorkloadError: there is none.
    """
    names = workload_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"
        raise WorkloadError(f"there is no workload {name!r}; {hint}")
    module = importlib.import_module(f"{workloads.__name__}.{name.replace('-', '_')}")
    workload: Workload = module.WORKLOAD
    return workload


def generate(name: str, records: int | None = None, depth: int | None = None, seed: int = 0) -> Dataset:
    """A data set of a workload.

    A depth beyond the natural one gives the root record an optional field `inner` of its own type,
    and each record a chain of further records there; a tree grows instead. At the natural depth the
    first n records are the same however many there are.

    Args:
        name: one of `workload_names()`.
        records: items of the root list; with 1 the document is the object itself.
        depth: nesting levels of a record.
        seed: 0 or more.

    Raises:
        WorkloadError: a parameter out of range.
    """
    workload = get(name)
    records = workload.records if records is None else records
    depth = workload.depth if depth is None else depth
    _check(workload, records, depth, seed)
    if workload.branching:
        types, values = workload.types, workload.values(Random(seed), records, depth)
    else:
        types, values = _chained(workload, records, depth, seed)
    root, value = (workload.item, values[0]) if records == 1 else (List(workload.item), values)
    return Dataset(name, records, depth, seed, Schema(root, types), value)


def _check(workload: Workload, records: int, depth: int, seed: int) -> None:
    for what, number, least in (("records", records, 1), ("depth", depth, workload.shallowest), ("seed", seed, 0)):
        if type(number) is not int:
            raise WorkloadError(f"{what} must be a whole number, not {number!r}")
        if number < least:
            whose = f" for the workload {workload.name!r}" if what == "depth" else ""
            raise WorkloadError(f"{what} must be at least {least}{whose}, not {number}")
    each = depth - workload.depth + 1
    if workload.branching:
        # Capped before the power is taken, which would be endless for a huge depth.
        each = sum(workload.branching**level for level in range(min(depth, 64)))
    if records * each > MOST_RECORDS:
        raise WorkloadError(
            f"{records} records of depth {depth} are more than {MOST_RECORDS:,} records in all; lower one of them"
        )


def _chained(workload: Workload, records: int, depth: int, seed: int) -> tuple[tuple[Record, ...], Values]:
    random, extra = Random(seed), depth - workload.depth
    outer = workload.values(random, records, workload.depth)
    if not extra:
        return workload.types, outer
    links = iter(workload.values(random, records * extra, workload.depth))
    for record in outer:
        last = record
        for _ in range(extra):
            last["inner"] = last = next(links)
        last["inner"] = None
    return _with_inner(workload), outer


def _with_inner(workload: Workload) -> tuple[Record, ...]:
    members = workload.item.members if isinstance(workload.item, Union) else (workload.item,)
    roots = {member.record for member in members if isinstance(member, Ref)}
    inner = Field("inner", Optional(workload.item), default=None)
    return tuple(replace(t, fields=(*t.fields, inner)) if t.name in roots else t for t in workload.types)
