"""Binary trees of one recursive record.

Recursion prevents generated code from being inlined, and depth reaches the nesting limits of some codecs.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import WORDS, pick, random_int
from serbench.model.records import Field, List, Record, Ref
from serbench.model.scalars import INT, STR

BRANCHING = 2
NODE = Record("Node", (Field("name", STR), Field("value", INT), Field("children", List(Ref("Node")))))


def value(random: Random, number: int, depth: int) -> Value:
    """Return a full tree of `depth` levels."""
    return {
        "name": pick(random, WORDS),
        "value": random_int(random, 0, 9999),
        "children": [value(random, number, depth - 1) for _ in range(BRANCHING)] if depth > 1 else [],
    }


WORKLOAD = Workload(
    name="tree",
    summary="binary trees of one recursive record",
    records=10,
    depth=5,
    item=Ref("Node"),
    types=(NODE,),
    value=value,
    branching=BRANCHING,
)
