"""Lists of dataclasses, dates, floats and numbers in NumPy's arrays."""

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import List


@dataclass
class Member:
    id: int
    active: bool


@dataclass
class Group:
    id: int
    name: str
    members: List[Member]


def groups():
    """Return groups of ten members that make about half a megabyte of JSON."""
    return [Group(n, f"group {n}" * 3, [Member(m, m % 2 == 0) for m in range(10)]) for n in range(1500)]


def arrays(kind):
    import numpy

    draw = numpy.random.default_rng(1) if hasattr(numpy.random, "default_rng") else numpy.random
    if kind == "float64":
        return draw.random((2000, 100)) * 1000
    if kind == "bool":
        return draw.random((2000, 200)) < 0.5
    most = {"int32": 2**31, "int8": 2**7, "uint8": 2**8}[kind]
    return (draw.random((2000, 100)) * most).astype(kind)


def moments():
    first = datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=timezone.utc)
    return [first + timedelta(seconds=7 * n, microseconds=n) for n in range(1000)]


def floats():
    draw = random.Random(5)
    return [draw.uniform(-1e6, 1e6) for _ in range(5000)]


MAKERS = {"groups": groups, "moments": moments, "floats": floats}


def made(kind):
    return MAKERS[kind]() if kind in MAKERS else arrays(kind)


def prepare(kind, text=False):
    """Return objects of a kind; the text of the floats."""
    found = made(kind)
    return json.dumps(found).encode() if text else found
