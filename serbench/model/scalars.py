"""The kinds of scalars, their Python classes, and integer types wide enough for the values found."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal

from serbench.errors import SchemaError

INTEGER_KINDS = ("int", "uint64", "bigint")
"""Scalar kinds whose neutral values are ints."""

SCALAR_KINDS = (
    "str",
    *INTEGER_KINDS,
    "float",
    "bool",
    "bytes",
    "datetime",
    "naive_datetime",
    "date",
    "time",
    "timedelta",
    "decimal",
    "uuid",
    "any",
)
USER_KINDS = ("path", "fraction", "complex", "bytearray", "foreign", "opaque")
"""Kinds that only classes of the user's have; in a document they are text, bytes for a bytearray, any JSON if "opaque"."""


@dataclass(frozen=True)
class Scalar:
    """A single value, or any JSON value (`kind` "any")."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in SCALAR_KINDS + USER_KINDS:
            raise SchemaError(f"unknown scalar kind {self.kind!r}; choose from {', '.join(SCALAR_KINDS)}")


STR, INT, FLOAT, BOOL, BYTES = (Scalar(k) for k in ("str", "int", "float", "bool", "bytes"))
UINT64, BIGINT = Scalar("uint64"), Scalar("bigint")
INTEGERS = frozenset({INT, UINT64, BIGINT})
DATETIME, NAIVE_DATETIME = Scalar("datetime"), Scalar("naive_datetime")
DATE, TIME, TIMEDELTA = Scalar("date"), Scalar("time"), Scalar("timedelta")
DECIMAL, UUID, ANY = Scalar("decimal"), Scalar("uuid"), Scalar("any")

CLASSES = {
    float: FLOAT,
    int: INT,
    bool: BOOL,
    str: STR,
    bytes: BYTES,
    date: DATE,
    time: TIME,
    timedelta: TIMEDELTA,
    Decimal: DECIMAL,
    uuid.UUID: UUID,
}
"""Python class → scalar type; for datetime and str the type depends on the whole column."""
_HELD = {INT: (-(2**63), 2**63 - 1), UINT64: (0, 2**64 - 1), BIGINT: (-math.inf, math.inf)}


def integer(low: int, high: int, declared: Scalar = INT) -> Scalar:
    """Return the declared type if it holds all ints from `low` to `high`, otherwise the narrowest type that does."""
    candidates = (declared, INT, UINT64, BIGINT)
    return next(type_ for type_ in candidates if _HELD[type_][0] <= low and high <= _HELD[type_][1])
