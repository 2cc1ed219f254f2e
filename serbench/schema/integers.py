"""Chooses integer types wide enough for the values found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from serbench.schema.records import Schema
from serbench.schema.scalars import BIGINT, INT, INTEGERS, UINT64, Scalar
from serbench.schema.types import Type, replace_inner

_HELD = {INT: (-(2**63), 2**63 - 1), UINT64: (0, 2**64 - 1), BIGINT: (-math.inf, math.inf)}


def integer(low: int, high: int, declared: Scalar = INT) -> Scalar:
    """Return the declared type if it holds all ints from `low` to `high`, otherwise the narrowest type that does."""
    candidates = (declared, INT, UINT64, BIGINT)
    return next(type_ for type_ in candidates if _HELD[type_][0] <= low and high <= _HELD[type_][1])


def widened(schema: Schema, extents: Mapping[tuple[str, str], Sequence[int]]) -> Schema:
    """Widen a schema's integer types to the values found.

    `extents` maps (record, field) to the smallest and greatest int; ("", "") is the root.
    """
    records = tuple(
        replace(
            record,
            fields=tuple(
                replace(f, type=_wide(f.type, *extents.get((record.name, f.name), (0, 0)))) for f in record.fields
            ),
        )
        for record in schema.records
    )
    return Schema(_wide(schema.root, *extents.get(("", ""), (0, 0))), records)


def _wide(type_: Type, low: int, high: int) -> Type:
    if isinstance(type_, Scalar):
        return integer(low, high, type_) if type_ in INTEGERS else type_
    return replace_inner(type_, lambda inner: _wide(inner, low, high))
