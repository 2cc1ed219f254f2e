"""What a workload's file provides, and the data set that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from serbench.schema import Record, Schema, Type

Values: TypeAlias = list[dict[str, Any]]


class WorkloadError(ValueError):
    """A data set that cannot be made: one line that says what, where and what to type instead."""


@dataclass(frozen=True)
class Workload:
    """What a workload's file defines as `WORKLOAD`.

    Attributes:
        name: the file's name, with hyphens.
        summary: what the data is, in one line.
        records: how many records there are by default.
        depth: natural depth, which is the default: how many records stand inside one another.
        item: type of one record of the document: a Ref, or a Union of Refs.
        types: the record types that `item` needs.
        values: makes that many neutral values of `item` from a random source, of which it uses only
            `random` and `getrandbits`: these are stable from one Python to the next.
        branching: how many records of the same type each record holds on the way down, if `values`
            follows `depth` by itself; 0 if depth is the same for all values, in which case a greater
            one hangs further records behind each (see `generate`).
    """

    name: str
    summary: str
    records: int
    depth: int
    item: Type
    types: tuple[Record, ...]
    values: Callable[[Random, int, int], Values]
    branching: int = 0

    @property
    def shallowest(self) -> int:
        """The least depth."""
        return 1 if self.branching else self.depth


@dataclass(frozen=True)
class Dataset:
    """A document as a neutral value, with its schema and what identifies it.

    `records` is the number of items of the root list, or 1 where the root is the object itself;
    `sha256` is that of the bytes of the payload the data was read from, None for generated data.
    """

    name: str
    records: int
    depth: int
    seed: int
    schema: Schema = field(repr=False)
    value: Any = field(repr=False)
    sha256: str | None = None
