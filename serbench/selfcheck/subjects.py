"""The cases of the self-check: real ones, with the work repeated so that it is exactly 1.02, 1.05 or 1.20 times as much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from serbench.cases import Case, lay_out, render
from serbench.engine.plan import Block
from serbench.environments import Environment
from serbench.formats import codecs
from serbench.libraries import libraries
from serbench.results import Point
from serbench.workloads import Dataset, generate

CALLS = 200
"""Calls of the case's own function that one operation of the baseline makes: 204 of them are 1.02 times the work.

Fewer, and the call of the function around them, which is not repeated, would weigh more in the ratio;
more, and an operation would fill a batch alone.
"""
BASE, AGAIN = "base", "again"
FACTORS = {BASE: 1.0, AGAIN: 1.0, "x1.02": 1.02, "x1.05": 1.05, "x1.20": 1.20}
"""The name of a case in a block → the factor of its work. Module names begin so, and mashumaro needs identifiers."""
WORKLOADS = ("client", "tiny")
LibraryCodec = tuple[str, str, str]
SETS: tuple[tuple[LibraryCodec, ...], ...] = (
    (
        ("dataclasses", "orjson", "json"),
        ("msgspec", "msgspec", "json"),
        ("class", "msgpack", "msgpack"),
        ("typeddict", "json", "json"),
    ),
    (
        ("namedtuple", "orjson", "json"),
        ("msgspec", "msgspec", "msgpack"),
        ("mashumaro", "orjson", "json"),
        ("dataclasses", "pickle", "pickle"),
    ),
)
"""Library, codec and format of the cases that stand in one block: all take a few µs at most, with one record."""
SCALED = """

from itertools import repeat  # noqa: E402


def scaled(function, calls):
    def several(argument):
        for _ in repeat(None, calls - 1):
            function(argument)
        return function(argument)

    return several


{functions} = {calls}
"""


def blocks(names: Sequence[str], count: int) -> Iterator[Block]:
    """So many blocks, each with other data; the sets of cases in turn."""
    for number in range(count):
        data = generate(WORKLOADS[number // len(SETS) % len(WORKLOADS)], 1, None, number)
        cases = [rendered(subject, data) for subject in SETS[number % len(SETS)]]
        yield block(names, data, cases)


def block(names: Sequence[str], data: Dataset, cases: Sequence[Case]) -> Block:
    """The cases under each of these names, with the work that each name stands for."""
    point = Point(data.name, data.records, data.depth, data.seed)
    laid_out = lay_out(cases)
    return Block(point, data, [scaled(case, name) for name in names for case in laid_out])


def rendered(subject: LibraryCodec, data: Dataset, environment: Environment | None = None) -> Case:
    """The case as every run has it."""
    library, codec, format_ = subject
    served = next(one for one in codecs() if (one.name, one.format) == (codec, format_))
    return render(libraries()[library], "default", served, data.schema, environment)


def scaled(case: Case, name: str) -> Case:
    """The case with each of its functions called `CALLS` times the factor of the name, in a library of that name."""
    both = ("encode", "decode")
    calls = ", ".join(f"scaled({function}, {_calls(name)})" for function in both)
    source = case.source + SCALED.format(functions=", ".join(both), calls=calls)
    library = replace(case.library, name=name)
    return replace(case, library=library, variant=case.library.name, source=source, operations=both)


def calls_made(name: str) -> int:
    """Count the calls of a function that the text which scales the work really makes."""
    made = 0

    def counted(_: object) -> None:
        nonlocal made
        made += 1

    namespace: dict[str, Any] = {"counted": counted}
    exec(SCALED.format(functions="operation", calls=f"scaled(counted, {_calls(name)})"), namespace)  # noqa: S102  # ours
    namespace["operation"](None)
    return made


def _calls(name: str) -> int:
    return round(CALLS * FACTORS[name])
