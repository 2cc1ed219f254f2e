"""Measurements: integers of all magnitudes, floats of full precision, lists of floats.

Printing and parsing floats is the most expensive scalar operation of text formats; binary formats avoid it.
"""

from __future__ import annotations

from random import Random

from serbench.model.data.dataset import Value, Workload
from serbench.model.data.values import pick
from serbench.model.records import Field, List, Record, Ref
from serbench.model.scalars import FLOAT, INT

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


def value(random: Random, _number: int, _depth: int) -> Value:
    """Return a sample with three coordinates and sixteen readings."""
    return {
        "id": _integer(random),
        "offset": -_integer(random) - 1,
        "mean": random.random() * pick(random, _MAGNITUDES),
        "deviation": random.random(),
        "position": [random.random() * 360 - 180 for _ in range(3)],
        "readings": [random.random() * 100 for _ in range(16)],
    }


def _integer(random: Random) -> int:
    """Return an int from 0 to 2**63 - 1; every bit length is equally likely."""
    return random.getrandbits(1 + int(random.random() * 63))


WORKLOAD = Workload(
    name="numbers",
    summary="integers of all magnitudes, floats of full precision and lists of them",
    item=Ref("Sample"),
    types=(SAMPLE,),
    value=value,
)
