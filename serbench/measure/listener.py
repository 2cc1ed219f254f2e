"""The interface by which the engine reports what it measures."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from serbench.judge.waves import SampleTable
from serbench.render.case import Case
from serbench.results import Cell, Sample


@dataclass(frozen=True)
class Progress:
    """The progress of a run: the present step, the wave (0 while verifying), steps done of all known, seconds left.

    `block` of `blocks` is the size and workload that is measured; `seconds_left` are those of the whole run, and `part`
    is how much of it is done; None if that is not known.
    """

    what: str
    wave: int
    done: int
    total: int
    seconds_left: float | None = None
    block: int = 1
    blocks: int = 1
    part: float | None = None


class Listener:
    """Hears of each step of the engine; each method does nothing until a subclass overrides it.

    `progress` and `strictness` may be called from several threads, the others only from the one that conducts.
    """

    def progress(self, progress: Progress) -> None:
        """A step forward."""

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""

    def source(self, case: Case) -> None:
        """A case's text, before it is measured."""

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; they are safe once this returns."""

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:  # noqa: ARG002  # subclasses look it up
        """Return the strictness of a library, variant and codec: remembered, or measured now."""
        return measure()

    def may_build(self) -> bool:
        """Whether environments that are missing may be built, from the package index."""
        return True


class Forwarder(Listener):
    """Passes each event on to another listener, also those that are added to a listener's class later.

    A subclass that overrides an event decides what becomes of it.
    """

    def __init__(self, listener: Listener) -> None:
        self.listener = listener

    def __init_subclass__(cls) -> None:
        for name in dir(cls):
            owner = next(one for one in cls.__mro__ if name in vars(one))
            is_event = issubclass(owner, Listener) and not name.startswith("_")
            if is_event and not issubclass(owner, Forwarder):
                setattr(cls, name, _passes_on(name))


def _passes_on(event: str) -> Callable[..., Any]:
    def pass_on(self: Forwarder, *arguments: Any) -> Any:
        return getattr(self.listener, event)(*arguments)

    return pass_on


PATIENCE_S = 10.0
"""An estimate of the time left follows a new one in about so many seconds."""


class Paced(Forwarder):
    """Tells a listener the progress of a whole run; the engine knows one block at a time.

    The blocks to come are taken to last as long as the others do on average. The time left does not jump, and the part
    that is done never falls.
    """

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self._blocks = 1
        self._ended: list[float] = []
        self._block, self._began = 0, time.monotonic()
        self._first = self._told = self._began
        self._left: float | None = None
        self._part = 0.0
        self._lock = threading.Lock()

    def begin_block(self, blocks: int) -> None:
        """The next of so many blocks begins."""
        now = time.monotonic()
        if self._block:
            self._ended.append(now - self._began)
        self._block, self._blocks, self._began = self._block + 1, blocks, now

    def progress(self, progress: Progress) -> None:
        """A step forward in the present block."""
        spent, left = time.monotonic() - self._began, progress.seconds_left
        if left is None and self._ended:
            left = max(fmean(self._ended) - spent, 0.0)
        so_far = None if self._left is None else self._part
        where = replace(progress, block=self._block, blocks=self._blocks, part=so_far)
        if left is not None:
            left += (self._blocks - self._block) * fmean([*self._ended, spent + left])
            with self._lock:
                where = replace(where, seconds_left=self._followed(left), part=self._part)
        self.listener.progress(where)

    def _followed(self, left: float) -> float:
        """The time left that is told: what was told before, as it goes by, on its way to a new estimate."""
        now = time.monotonic()
        if self._left is not None:
            before = self._left - (now - self._told)
            patience = min(PATIENCE_S, max(left / 4, 0.1))  # near the end it is followed at once
            left = before + (left - before) * -math.expm1((self._told - now) / patience)
        self._left, self._told = max(left, 0.0), now
        done = now - self._first
        self._part = max(self._part, done / (done + self._left)) if done else self._part
        return self._left


@dataclass(frozen=True)
class Finished:
    """The cells that a resumed run has already, and its samples, to which those that are measured are added."""

    cells: Sequence[Cell] = ()
    samples: SampleTable = field(default_factory=SampleTable)
