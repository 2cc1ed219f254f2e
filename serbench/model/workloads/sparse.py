"""Profiles with forty optional fields, of which four in five are None.

The cost depends on defaults, checks for None, and whether nulls are written or omitted.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import sentence
from serbench.model.records import Field, Optional, Record, Ref
from serbench.model.scalars import BOOL, FLOAT, INT, STR, Scalar

_FIELDS = {
    STR: "nickname title company department street city region country phone mobile fax website language time_zone "
    "currency avatar biography twitter github referrer",
    INT: "age floor employees visits orders points level rank children birth_year",
    FLOAT: "height_m weight_kg latitude longitude rating",
    BOOL: "verified subscribed married smoker retired",
}
_COLUMNS: list[tuple[str, Scalar]] = [(name, kind) for kind, names in _FIELDS.items() for name in names.split()]
PROFILE = Record("Profile", (Field("id", INT), *(Field(name, Optional(kind), default=None) for name, kind in _COLUMNS)))


def value(random: Random, number: int, _depth: int) -> Value:
    """Return a profile with its number as id; each other field is None with probability 0.8."""
    return {"id": number, **{name: _value(random, kind) if random.random() >= 0.8 else None for name, kind in _COLUMNS}}


def _value(random: Random, kind: Scalar) -> object:
    if kind == STR:
        return sentence(random, 2)
    if kind == INT:
        return int(random.random() * 2000)
    return random.random() * 100 if kind == FLOAT else random.random() < 0.5


WORKLOAD = Workload(
    name="sparse",
    summary="forty optional fields, four in five None",
    item=Ref("Profile"),
    types=(PROFILE,),
    value=value,
)
