"""Times any functions against each other in chosen environments: each is tried out first, then timed wave by wave."""

from __future__ import annotations

import os
import pickle
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from serbench.engine.order import orders
from serbench.engine.process import Fault, Process, Watchdog
from serbench.engine.results import Cell, Point, Sample
from serbench.engine.seats import SIZING_NS
from serbench.engine.waves import ROUNDS, ROUNDS_OF_SLOW, pinned
from serbench.environments import Environment, main_environment
from serbench.schema import STR, Schema

POINT = Point("functions", 1, 1, 0)
OPERATION = "encode"  # the worker's word for "call it with its argument"
SECONDS = 60.0


@dataclass(frozen=True)
class Entrant:
    """A function that is timed, as a module: its `encode`, called with what its `build` makes of `values`.

    Attributes:
        name: a flat module name, its own among the entrants.
        label: what tables call it.
        source: the module's text.
        environment: where it runs.
        values: what `build` is given; without a `build`, a text that is the argument itself.
        seat: entrants of one seat and environment share a process; empty for one of its own.
    """

    name: str
    label: str
    source: str
    environment: Environment
    values: Any = ""
    seat: str = ""


@dataclass(frozen=True)
class Answer:
    """What an entrant gave before it was timed: JSON text, and the size where it is bytes."""

    text: str
    size_bytes: int | None


class Place(Protocol):
    """Where a function is timed: a worker process, or a worker in this one."""

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer a request as the worker does."""


class Arena:
    """The entrants of one contest, their cells and their processes; a context manager that leaves nothing running.

    Args:
        entrants: the first one that can be timed is the reference.
        seconds: the longest that one request to a worker may take.
        seed: of the order in which they take turns.
        on_one_core: whether all share a core, as they should where CPU time counts; not where waiting does.
    """

    def __init__(
        self, entrants: Sequence[Entrant], *, seconds: float = SECONDS, seed: int = 0, on_one_core: bool = True
    ) -> None:
        self.entrants = {entrant.name: entrant for entrant in entrants}
        self.cells = cells_of({entrant.name: entrant.label for entrant in entrants})
        self.unready: dict[str, str] = {}
        self._seconds = seconds
        self._rng = random.Random(seed)
        self._wave = 0
        self._core = max(os.sched_getaffinity(0)) if on_one_core and hasattr(os, "sched_getaffinity") else None
        self._folder = tempfile.TemporaryDirectory(prefix="serbench-arena-")
        self._scratch = Path(self._folder.name)
        self._watchdog = Watchdog()
        for name, entrant in self.entrants.items():
            (self._scratch / f"{name}.py").write_text(entrant.source, encoding="utf-8")
            (self._scratch / f"{name}.pickle").write_bytes(pickle.dumps(entrant.values, protocol=4))
            self.cells[name].environment = entrant.environment.name
            self.cells[name].python = entrant.environment.runs_on

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watchdog.close()
        self._folder.cleanup()

    def try_out(self) -> dict[str, Answer]:
        """Call each once in a process of its own, and size its batches; those that cannot have their reason.

        `unready` has the reasons of those that could not even be prepared.
        """
        found = {}
        for name, entrant in self.entrants.items():
            cell = self.cells[name]
            if entrant.environment.reason is not None:
                cell.status, cell.reason = "unavailable", entrant.environment.reason
                continue
            try:
                with self._open(entrant.environment) as process:
                    self._prepare(process, name)
                    reply = process.ask("answer", case=name)
                    found[name] = Answer(reply["answer"], reply["size_bytes"])
                    self._size(process, name)
            except Fault as fault:
                cell.status, cell.reason = fault.status, fault.reason
                if name not in found:
                    self.unready[name] = fault.reason
        alive = [cell for cell in self.cells.values() if cell.status == "unresolved"]
        for cell in self.cells.values():
            cell.reference = cell is alive[0] if alive else False
        return found

    def wave(self) -> list[Sample]:
        """One wave: fresh processes, in which all that can be timed take turns."""
        self._wave += 1
        taking_part = [name for name, cell in self.cells.items() if cell.status == "unresolved"]
        opened: dict[tuple[str, str], Process] = {}
        places: dict[str, Place] = {}
        try:
            with pinned(self._core):
                for name in taking_part:
                    entrant = self.entrants[name]
                    seat = (entrant.environment.name, entrant.seat or name)
                    if seat not in opened:
                        opened[seat] = self._open(entrant.environment)
                    places[name] = process = opened[seat]
                    fails(self.cells[name], partial(self._enter, process, name))
                return rounds(self._wave, self.cells, places, self._rng)
        finally:
            for process in opened.values():
                process.close()

    def _enter(self, process: Process, name: str) -> None:
        self._prepare(process, name)
        if self._core is not None:
            process.pin(self._core)
        if self.entrants[name].environment.has_jit:
            self._warm_up(process, name)

    def _open(self, environment: Environment) -> Process:
        return Process(environment.python, self._watchdog, self._scratch, self._seconds, 0).start()

    def _prepare(self, process: Place, name: str) -> None:
        process.ask("add_data", name=name, spec=Schema(STR).as_data(), values=str(self._scratch / f"{name}.pickle"))
        path = str(self._scratch / f"{name}.py")
        process.ask("prepare", case=name, module=name, path=path, data=name, writer=None)
        process.ask("freeze", case=name)

    def _size(self, process: Place, name: str) -> None:
        """Fix how many calls a batch has, after the warm-up where a JIT is at work."""
        cell = self.cells[name]
        cell.loops = process.ask("calibrate", case=name, operation=OPERATION, target_ns=SIZING_NS)["loops"]
        if self.entrants[name].environment.has_jit:
            self._warm_up(process, name)
            cell.loops = process.ask("calibrate", case=name, operation=OPERATION, target_ns=SIZING_NS)["loops"]

    def _warm_up(self, process: Place, name: str) -> None:
        cell = self.cells[name]
        reply = process.ask("warm_up", case=name, operation=OPERATION, loops=cell.loops)
        cell.warmup_ns = max(cell.warmup_ns or 0, reply["warmup_ns"])


def cells_of(labels: Mapping[str, str]) -> dict[str, Cell]:
    """A cell for each entrant by its name, the first one the reference."""
    python = main_environment().runs_on
    return {
        name: Cell(number, POINT, label, "default", "", "", OPERATION, python=python, reference=number == 0)
        for number, (name, label) in enumerate(labels.items())
    }


def fails(cell: Cell, work: Callable[[], Any]) -> bool:
    """Whether the work ends in a fault, which the cell then has as its status."""
    try:
        work()
    except Fault as fault:
        cell.status, cell.reason = fault.status, fault.reason
        return True
    return False


def rounds(wave: int, cells: Mapping[str, Cell], places: Mapping[str, Place], rng: random.Random) -> list[Sample]:
    """The rounds of one wave: a batch of each in turn, in orders that favour nobody."""
    known = [name for name, cell in cells.items() if name in places and cell.status == "unresolved"]
    samples: list[Sample] = []
    lost: list[Place] = []  # whoever else was in a process that is gone sits out this wave
    for turn, order in enumerate(orders(known, ROUNDS, rng)):
        for name in order:
            cell = cells[name]
            if cell.status != "unresolved" or places[name] in lost or (cell.loops == 1 and turn >= ROUNDS_OF_SLOW):
                continue
            warmup = max(1, cell.loops // 2)  # a first call after other code may cost three times as much
            try:
                reply = places[name].ask("measure", case=name, operation=OPERATION, loops=cell.loops, warmup=warmup)
            except Fault as fault:
                cell.status, cell.reason = fault.status, fault.reason
                if fault.fatal:
                    lost.append(places[name])
            else:
                samples.append(Sample(cell.id, wave, wave, turn, *reply["times"]))
    return samples
