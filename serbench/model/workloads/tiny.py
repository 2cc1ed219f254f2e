"""A record of two small fields.

With almost nothing to convert, it shows the fixed cost of a call and of an object.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.records import Field, Record, Ref
from serbench.model.scalars import BOOL, INT

FLAG = Record("Flag", (Field("id", INT), Field("on", BOOL)))


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a flag with a small id."""
    return {"id": int(random.random() * 100), "on": random.random() < 0.5}


WORKLOAD = Workload(
    name="tiny",
    summary="two small fields: the fixed cost of a call and of an object",
    item=Ref("Flag"),
    types=(FLAG,),
    value=value,
)
