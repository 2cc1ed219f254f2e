"""Scalar types, what is said of all scalars by the table of their kinds, and integer types wide enough for the values found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from serbench.errors import SchemaError
from serbench.model.fidelity.kinds import KINDS

SCALAR_KINDS = tuple(kind for kind, row in KINDS.items() if not row.of_user)
USER_KINDS = tuple(kind for kind, row in KINDS.items() if row.of_user)
"""Kinds that only classes of the user's have; in a document they are text, bytes for a bytearray, any JSON if "opaque"."""
INTEGER_KINDS = tuple(kind for kind, row in KINDS.items() if row.cls is int)
"""Scalar kinds whose neutral values are ints."""
TEXT_KINDS = frozenset(kind for kind, row in KINDS.items() if row.builtin)
"""Scalar kinds that are text, or a timedelta's seconds, where no codec carries them."""
JSON_KINDS = frozenset(kind for kind, row in KINDS.items() if row.cls and not row.builtin)
"""The kinds that JSON has itself: text, numbers and booleans."""
READERS = {kind: row.read for kind, row in KINDS.items() if row.read and not row.of_user}
"""Kind → what makes a value of its text; it raises ValueError for malformed text."""
MOMENTS = frozenset(kind for kind, row in KINDS.items() if row.cls is datetime)
"""The kinds of one class: a datetime has an offset or none."""
DATES = MOMENTS | {"date", "time"}


@dataclass(frozen=True)
class Scalar:
    """A single value, or any JSON value (`kind` "any")."""

    kind: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SchemaError(f"unknown scalar kind {self.kind!r}; choose from {', '.join(SCALAR_KINDS)}")


STR, INT, FLOAT, BOOL, BYTES = (Scalar(k) for k in ("str", "int", "float", "bool", "bytes"))
UINT64, BIGINT = Scalar("uint64"), Scalar("bigint")
INTEGERS = frozenset({INT, UINT64, BIGINT})
DATETIME, NAIVE_DATETIME = Scalar("datetime"), Scalar("naive_datetime")
DATE, TIME, TIMEDELTA = Scalar("date"), Scalar("time"), Scalar("timedelta")
DECIMAL, UUID, ANY = Scalar("decimal"), Scalar("uuid"), Scalar("any")

CLASSES: dict[type, Scalar] = {}
"""Class of neutral values → its type; for int, datetime and str the type depends on the whole column."""
USER_CLASSES: dict[type, Scalar] = {}
"""Class that only a class of the user's has values of → its type."""
for _kind, _row in KINDS.items():
    if _row.cls:
        (USER_CLASSES if _row.of_user else CLASSES).setdefault(_row.cls, Scalar(_kind))

_HELD = {INT: (-(2**63), 2**63 - 1), UINT64: (0, 2**64 - 1), BIGINT: (-math.inf, math.inf)}


def integer(low: int, high: int, declared: Scalar = INT) -> Scalar:
    """Return the declared type if it holds all ints from `low` to `high`, otherwise the narrowest type that does."""
    candidates = (declared, INT, UINT64, BIGINT)
    return next(type_ for type_ in candidates if _HELD[type_][0] <= low and high <= _HELD[type_][1])


def scalar_of(value: object) -> Scalar:
    """Return the type of a single value, for an int `INT`; `ANY` for anything else."""
    type_ = CLASSES.get(type(value), ANY)
    return NAIVE_DATETIME if type_ == DATETIME and getattr(value, "tzinfo", None) is None else type_
