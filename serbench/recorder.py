"""Keeps what the engine tells, in the store as it comes, and shows it to whoever watches."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from serbench.cases import Case
from serbench.engine.listener import Progress
from serbench.engine.results import Cell, Sample
from serbench.environments import Environment
from serbench.environments.fingerprint import began, is_running
from serbench.formats import Codec
from serbench.libraries import Library
from serbench.store import Store


class Recorder:
    """The listener of one run.

    Args:
        store: where cells, samples and sources go at once; None to keep them in memory only.
        run: the run's id in the store; empty to remember nothing but work classes there.
        on_progress: hears each step.
        on_wave: hears the number of each wave that is complete.
        on_visit: is called when samples have come, several times a wave.
    """

    def __init__(
        self,
        store: Store | None = None,
        run: str = "",
        on_progress: Callable[[Progress], None] | None = None,
        on_wave: Callable[[int], None] | None = None,
        on_visit: Callable[[], None] | None = None,
    ) -> None:
        self.store, self.run = store, run
        self.known: dict[int, Cell] = {}
        self.taken: list[Sample] = []
        self.sources: dict[str, str] = {}
        self._on_progress, self._on_wave, self._on_visit = on_progress, on_wave, on_visit
        self._facts: dict[str, str | None] = {}
        self._fresh: dict[str, str] = {}
        self._lock = threading.Lock()

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""
        self.known |= {cell.id: cell for cell in cells}
        if self.store is None:
            return
        if self.run:
            self.store.put_cells(self.run, cells)
        with self._lock:
            fresh, self._fresh = self._fresh, {}
        for key, value in fresh.items():
            self.store.put_fact(key, value)

    def source(self, case: Case) -> None:
        """A case's text; what is remembered of its strictness is fetched while this thread has the store."""
        self.sources[case.source_sha256] = case.source
        if self.store is not None:
            if self.run:
                self.store.put_source(case.source_sha256, case.source)
            key = _key(case)
            self._facts[key] = self.store.fact(key)

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit."""
        if self.store is not None and self.run:
            self.store.add_samples(self.run, samples)
        self.taken += samples
        if self._on_visit is not None:
            self._on_visit()

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        if self._on_progress is not None:
            with self._lock:
                self._on_progress(progress)

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""
        if self._on_wave is not None:
            self._on_wave(wave)

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


def strictness_key(library: Library, variant: str, codec: Codec, environment: Environment) -> str:
    """Under what the store remembers the strictness of a case."""
    return f"strictness 2: {case_key(library, variant, codec, environment)}"


def case_key(library: Library, variant: str, codec: Codec, environment: Environment) -> str:
    """Everything that a case's conduct depends on: library, variant and codec in their versions, and Python's."""
    versions = "+".join(f"{name} {environment.installed(name)}" for name in library.distributions)
    served = f"{codec.name}/{codec.format} {environment.installed(codec.distribution)}"
    python = "Python" if environment.implementation == "CPython" else environment.implementation
    runs_on = f"{python} {environment.full_version}"
    return f"{library.name}[{variant}] {versions}, {served}, {runs_on}"


def _key(case: Case) -> str:
    return strictness_key(case.library, case.variant, case.codec, case.environment)


def at_work(store: Store, run: str) -> bool:
    """Whether another living process is measuring that run."""
    held = store.fact(_process(run))
    return held is not None and not _free(held)


def take(store: Store, run: str) -> bool:
    """Note that this process is measuring that run; False, and nothing noted, where another is."""
    return store.take(_process(run), {"pid": os.getpid(), "began": began(os.getpid())}, _free)


def _process(run: str) -> str:
    return f"process of {run}"


def _free(held: Any) -> bool:
    """Whether the process that held a run is gone, or is this one; another of the same number began at another time."""
    pid = held["pid"] if isinstance(held, dict) else held
    if pid == os.getpid() or not is_running(pid):
        return True
    return isinstance(held, dict) and held["began"] is not None and held["began"] != began(pid)
