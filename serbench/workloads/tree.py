"""Binary trees of one recursive record.

Recursion defeats code that is generated once per type and inlined, and depth meets the limits that
some codecs have.
"""

from __future__ import annotations

from random import Random

from serbench.schema import INT, STR, Field, List, Record, Ref
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import WORDS, pick, whole

BRANCHING = 2
NODE = Record("Node", (Field("name", STR), Field("value", INT), Field("children", List(Ref("Node")))))


def values(random: Random, records: int, depth: int) -> Values:
    """Full trees of `depth` levels."""
    return [_node(random, depth) for _ in range(records)]


def _node(random: Random, depth: int) -> dict[str, object]:
    return {
        "name": pick(random, WORDS),
        "value": whole(random, 0, 9999),
        "children": [_node(random, depth - 1) for _ in range(BRANCHING)] if depth > 1 else [],
    }


WORKLOAD = Workload(
    name="tree",
    summary="binary trees of one recursive record",
    records=10,
    depth=5,
    item=Ref("Node"),
    types=(NODE,),
    values=values,
    branching=BRANCHING,
)
