"""The cases of the self-check with planted ratios, conducted as a run is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.judge.control import Pair, pairs
from serbench.judge.waves import Samples
from serbench.keep.recorder import Recorder
from serbench.keep.store import Store
from serbench.machine.platform import machine
from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Progress
from serbench.measure.plan import Block, Plan
from serbench.model.data.dataset import Dataset, generate
from serbench.render.case import Case
from serbench.render.environments import Environment
from serbench.render.format import codecs
from serbench.render.library import libraries
from serbench.render.rendering import lay_out, render
from serbench.results import Cell, Point, Sample

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


PLAN = Plan(paired=True)
"""The plan of `gate`, with every other setting at its default."""


class Meter(Recorder):
    """A recorder that adds up the CPU time of the conductor, and all the time, of the visits to cases.

    Work classes are not looked for: what is measured here is time.
    """

    conductor_ns = wall_ns = 0
    _began = _began_wall = 0

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; the time it takes to write them is the conductor's too."""
        super().samples(samples)
        now, wall = time.thread_time_ns(), time.perf_counter_ns()
        self.conductor_ns += now - self._began
        self.wall_ns += wall - self._began_wall
        self._began, self._began_wall = now, wall

    def progress(self, progress: Progress) -> None:
        """A step forward; the conducting of a visit begins with its first."""
        if progress.what == "measuring":
            self._began, self._began_wall = time.thread_time_ns(), time.perf_counter_ns()
        super().progress(progress)

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:  # noqa: ARG002  # the listener's signature
        """All cases of a block are one class."""
        return "objects, unchecked"


@dataclass(frozen=True)
class Trial:
    """The measurement of one block."""

    cells: list[Cell]
    samples: Samples
    pairs: list[Pair]
    failures: list[str]
    conductor_ns: int
    wall_ns: int


def measured_trials(
    blocks: Iterable[Block], scratch: Path, group: str | None = None, *, plan: Plan = PLAN
) -> Iterator[Trial]:
    """Conduct each block as a run of its own, kept in a store in `scratch` until it ends.

    Their pairs are in groups by the names of their cases, hidden duplicates as "again"; or all in one. The seconds of a
    pair are the block's, divided by the pairs that were asked for, which hidden duplicates were not.
    """
    with Store(scratch / "trials.sqlite") as store:
        for block in blocks:
            run = store.begin(command="serbench selfcheck", plan=plan.as_data(), machine=machine())
            meter = Meter(store, run)
            began = time.monotonic()
            finished = Finished()
            conduct(plan, [block], meter, finished)
            seconds = time.monotonic() - began
            store.finish(run, seconds=seconds)
            cells, samples = list(meter.known.values()), finished.samples.array()
            calls = {case.library.name: case.calls for case in block.cases}
            measured = pairs(cells, samples, _wanted(cells, group, calls))
            asked = sum(not cell.control and cell.library != BASE for cell in cells)
            told = [replace(pair, seconds=seconds / max(asked, 1)) for pair in measured]
            failures = [f"{c.library} {c.variant}: {c.reason}" for c in cells if c.reason and c.operation == "encode"]
            yield Trial(cells, samples, told, failures, meter.conductor_ns, meter.wall_ns)


def _wanted(
    cells: Sequence[Cell], group: str | None, calls: Mapping[str, float]
) -> Iterator[tuple[str, str, float | None, Cell, Cell]]:
    """Each case beside its baseline, and each hidden duplicate beside its original."""
    originals = {(c.library, c.variant, c.codec, c.operation): c for c in cells if not c.control}
    for cell in cells:
        library, control = (cell.library, True) if cell.control else (BASE, False)
        base = originals.get((library, cell.variant, cell.codec, cell.operation))
        if base is not None and base is not cell:
            name = f"{cell.variant}/{cell.codec} {cell.operation}"
            factor = 1.0 if control else FACTORS[cell.library]
            if not control and cell.loops and calls[cell.library] != 1.0:
                factor = round(cell.loops * factor) / cell.loops  # a batch makes whole calls
            yield group or ("again" if control else cell.library), name, factor, base, cell
