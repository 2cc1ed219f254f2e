"""A record of two small fields.

There is hardly anything to convert, so what is left is the fixed cost of a call and of an object.
"""

from __future__ import annotations

from random import Random

from serbench.schema import BOOL, INT, Field, Record, Ref
from serbench.workloads._contract import Values, Workload

FLAG = Record("Flag", (Field("id", INT), Field("on", BOOL)))


def values(random: Random, records: int, _depth: int) -> Values:
    """Flags with small ids."""
    return [{"id": int(random.random() * 100), "on": random.random() < 0.5} for _ in range(records)]


WORKLOAD = Workload(
    name="tiny",
    summary="two small fields: the fixed cost of a call and of an object",
    records=100,
    depth=1,
    item=Ref("Flag"),
    types=(FLAG,),
    values=values,
)
