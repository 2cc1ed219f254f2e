"""The cases of the self-check: real ones under several names, of which some make 1.02, 1.05 or 1.20 times the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from serbench.measure.plan import Block
from serbench.model.data.dataset import Dataset
from serbench.model.data.generate import generate
from serbench.render.case import Case
from serbench.render.environments.environment import Environment
from serbench.render.format import codecs
from serbench.render.library import libraries
from serbench.render.rendering import lay_out, render
from serbench.results import Point

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
"""Library, codec and format of the cases that stand in one block: all take a few µs at most, with one record, so that a batch has enough calls for a factor of 1.02."""


def blocks(names: Sequence[str], count: int, conditions: str) -> Iterator[Block]:
    """So many blocks, each with other data; the sets of cases in turn."""
    for number in range(count):
        data = generate(WORKLOADS[number // len(SETS) % len(WORKLOADS)], 1, None, number)
        cases = [rendered(subject, data) for subject in SETS[number % len(SETS)]]
        yield block(names, data, cases, conditions)


def rendered(subject: LibraryCodec, data: Dataset, environment: Environment | None = None) -> Case:
    """The case as every run has it."""
    library, codec, format_ = subject
    served = next(one for one in codecs() if (one.name, one.format) == (codec, format_))
    return render(libraries()[library], "default", served, data.schema, environment)


def planted(case: Case, name: str) -> Case:
    """The case in a library of that name, with as many calls for each that is counted as the name stands for."""
    both = ("encode", "decode")
    library = replace(case.library, name=name)
    return replace(case, library=library, variant=case.library.name, operations=both, calls=FACTORS[name])


def block(
    names: Sequence[str],
    data: Dataset,
    cases: Sequence[Case],
    conditions: str,
    named: Callable[[Case, str], Case] = planted,
) -> Block:
    """The cases under each of these names, with the work that each name stands for."""
    point = Point(data.name, data.records, data.depth, data.seed, conditions)
    laid_out = lay_out(cases)
    return Block(point, data, [named(case, name) for name in names for case in laid_out])
