"""Stores what a run measures as it comes, and passes it on to a listener."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2s
from pathlib import Path
from typing import Literal, TypeAlias

from serbench import render
from serbench.measure import probes
from serbench.measure.listener import Forwarder, Listener, Progress
from serbench.render.case import Case
from serbench.render.codec import Codec
from serbench.render.environments import Environment
from serbench.render.library import Library
from serbench.results import Cell, Sample
from serbench.store.run import Run
from serbench.store.store import Store

SoFar: TypeAlias = Callable[[], Run]


class RunListener(Listener):
    """Receives each step of a run; override the methods that you need.

    `progress` may be called from several threads. `wave` and `visit` get a function that returns the run so far; call it
    only if you need the run, because putting it together takes time.
    """

    def wave(self, so_far: SoFar) -> None:
        """Every case has been visited once more."""

    def visit(self, so_far: SoFar) -> None:
        """A few cases have been measured; this comes several times a wave."""


class Recorder(Forwarder):
    """Keeps the cells and sources of one run, and stores its samples, which `Finished` holds in memory.

    Args:
        store: the store that gets them at once; None keeps them in memory only.
        run: the run's id in the store; if it is empty, the store remembers only work classes.
        listener: hears of everything too.
        so_far: returns the run so far; None if nobody will ask.
    """

    listener: RunListener

    def __init__(
        self,
        store: Store | None = None,
        run: str = "",
        listener: RunListener | None = None,
        so_far: SoFar | None = None,
    ) -> None:
        super().__init__(listener or RunListener())
        self.store, self.run, self.so_far = store, run, so_far
        self.known: dict[int, Cell] = {}
        self.sources: dict[str, str] = {}
        self._facts: dict[str, str | None] = {}
        self._fresh: dict[str, str] = {}
        self._lock = threading.Lock()

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""
        self.known |= {cell.id: cell for cell in cells}
        self.listener.cells(cells)
        if self.store is None:
            return
        if self.run:
            self.store.put_cells(self.run, cells)
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        if fresh:
            self.store.put_facts(fresh)

    def source(self, case: Case) -> None:
        """Keep a case's text, and fetch what is remembered of its strictness while this thread has the store."""
        self.sources[case.source_sha256] = case.source
        self.listener.source(case)
        if self.store is not None:
            if self.run:
                self.store.put_source(case.source_sha256, case.source)
            key = _key(case)
            self._facts[key] = self.store.fact(key, str)

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit."""
        if self.store is not None and self.run:
            self.store.add_samples(self.run, samples)
        self.listener.samples(samples)
        if self.so_far is not None:
            self.listener.visit(self.so_far)

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        with self._lock:
            self.listener.progress(progress)

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""
        self.listener.wave_done(wave)
        if self.so_far is not None:
            self.listener.wave(self.so_far)

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:
        """The strictness that the store remembers for these versions, or measured now."""
        key = _key(case)
        remembered = self._facts.get(key)
        if remembered is not None:
            return remembered
        measured = measure()
        with self._lock:
            self._facts[key] = self._fresh[key] = measured
        return measured


def conduct_prefix(kind: Literal["strictness", "behaviour"]) -> str:
    """Return the prefix of the store's keys for what probes have found: other probes or other code find something else."""
    return f"{kind} {_digest()}: "


@cache
def _digest() -> str:
    """A digest of the source that renders and probes cases; one of its repr would differ between processes."""
    rooms = [Path(render.__file__).parent, Path(probes.__file__).parent]
    said = b"".join(path.read_bytes() for room in rooms for path in sorted(room.rglob("*.py")))
    return blake2s(said, digest_size=6).hexdigest()


def strictness_key(library: Library, variant: str, codec: Codec, environment: Environment) -> str:
    """Return the store's key for the strictness of a case."""
    return conduct_prefix("strictness") + case_key(library, variant, codec, environment)


def case_key(library: Library, variant: str, codec: Codec, environment: Environment) -> str:
    """Name everything that a case's conduct depends on: library, variant and codec in their versions, and Python's."""
    versions = "+".join(f"{name} {environment.installed(name)}" for name in library.distributions)
    served = f"{codec.name}/{codec.format} {environment.installed(codec.distribution)}"
    python = "Python" if environment.implementation == "CPython" else environment.implementation
    runs_on = f"{python} {environment.full_version}"
    return f"{library.name}[{variant}] {versions}, {served}, {runs_on}"


def _key(case: Case) -> str:
    return strictness_key(case.library, case.variant, case.codec, case.environment)
