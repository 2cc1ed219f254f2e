"""Measurements: integers of all magnitudes, floats of full precision, lists of floats.

Printing and parsing floats is the dearest thing that a text format does with scalars, and a binary
one does it for nothing.
"""

from __future__ import annotations

from random import Random

from serbench.schema import FLOAT, INT, Field, List, Record, Ref
from serbench.workloads._contract import Values, Workload
from serbench.workloads._draw import pick

SAMPLE = Record(
    "Sample",
    (
        Field("id", INT),
        Field("offset", INT),
        Field("mean", FLOAT),
        Field("deviation", FLOAT),
        Field("position", List(FLOAT)),
        Field("readings", List(FLOAT)),
    ),
)

_MAGNITUDES = (1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12, 1e100)


def values(random: Random, records: int, _depth: int) -> Values:
    """Samples with three coordinates and sixteen readings."""
    return [
        {
            "id": _integer(random),
            "offset": -_integer(random) - 1,
            "mean": random.random() * pick(random, _MAGNITUDES),
            "deviation": random.random(),
            "position": [random.random() * 360 - 180 for _ in range(3)],
            "readings": [random.random() * 100 for _ in range(16)],
        }
        for _ in range(records)
    ]


def _integer(random: Random) -> int:
    """From 0 to 2**63 - 1, every number of bits equally often."""
    return random.getrandbits(1 + int(random.random() * 63))


WORKLOAD = Workload(
    name="numbers",
    summary="integers of all magnitudes, floats of full precision and lists of them",
    records=100,
    depth=1,
    item=Ref("Sample"),
    types=(SAMPLE,),
    values=values,
)
