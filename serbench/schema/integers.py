"""Integer types as wide as the values that they have to hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from serbench.schema.types import (
    BIGINT,
    INT,
    INTEGERS,
    UINT64,
    List,
    Map,
    Optional,
    Scalar,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
)

_HELD = {INT: (-(2**63), 2**63 - 1), UINT64: (0, 2**64 - 1), BIGINT: (-math.inf, math.inf)}


def integer(low: int, high: int, declared: Scalar = INT) -> Scalar:
    """The declared type where it holds all ints between these two, and otherwise the narrowest that does."""
    candidates = (declared, INT, UINT64, BIGINT)
    return next(type_ for type_ in candidates if _HELD[type_][0] <= low and high <= _HELD[type_][1])


def widened(schema: Schema, extents: Mapping[tuple[str, str], Sequence[int]]) -> Schema:
    """The schema with integers that hold what was found: the least and the greatest int by record and field.

    The root's stand under two empty names.
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
    match type_:
        case Scalar() if type_ in INTEGERS:
            return integer(low, high, type_)
        case Optional(item):
            return Optional(_wide(item, low, high))
        case List(item):
            return List(_wide(item, low, high))
        case Set(item):
            return Set(_wide(item, low, high))
        case Map(value):
            return Map(_wide(value, low, high))
        case Tuple(items):
            return Tuple(tuple(_wide(item, low, high) for item in items))
        case Union(members, tag):
            return Union(tuple(_wide(member, low, high) for member in members), tag)
    return type_
