"""The interface by which the engine reports what it measures."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
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

    `progress`, `verified` and `strictness` may be called from several threads, the others only from the one that conducts.
    """

    def progress(self, progress: Progress) -> None:
        """A step forward."""

    def verified(self, name: str, each_ns: Mapping[str, float]) -> None:
        """A case has been verified; a call of each operation takes about so many ns, beside other processes."""

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""

    def source(self, case: Case) -> None:
        """A case's text, before it is measured."""

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; they are safe once this returns."""

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""

    def spent(self, seconds: Mapping[str, float]) -> None:
        """The wall time in s of each kind of work, at the end."""

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:  # noqa: ARG002  # subclasses look it up
        """Return the strictness of a library, variant and codec: remembered, or measured now."""
        return measure()

    def is_awaited(self, library: str) -> bool:  # noqa: ARG002
        """Whether a library is to be measured while others are still being verified, as those are that are used most."""
        return False

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
"""A smaller estimate of the time left is followed in about so many seconds."""
DOUBTED = 1.5
"""No time left is told while its estimate is more than so many times what would be told."""


class Countdown:
    """The time left, which never rises, and the part of the whole that is done, which never falls.

    A larger estimate makes both pass more slowly, so that they reach their end with the run.
    """

    def __init__(self) -> None:
        self._began = self._told = time.monotonic()
        self._left: float | None = None
        self.part: float | None = None

    def follow(self, estimate: float) -> float | None:
        """Return the time left for an estimate of now; None if it is much larger than what was told."""
        now = time.monotonic()
        passed, done = now - self._told, now - self._began
        if self._left is None or self.part is None:
            self._left, self.part = estimate, done / (done + estimate) if done else 0.0
        elif passed:
            slowed, before = estimate / (estimate + passed), self._left - passed
            self.part = 1 - (1 - self.part) * slowed
            if estimate <= before:
                patience = min(PATIENCE_S, max(estimate / 4, 0.1))  # near the end it is followed at once
                self._left = before + (estimate - before) * -math.expm1(-passed / patience)
                self.part = max(self.part, done / (done + self._left))
            elif estimate <= DOUBTED * self._left * slowed:
                self._left *= slowed
        self._told = now
        return self._left if estimate <= DOUBTED * self._left else None


class Paced(Forwarder):
    """Tells a listener the progress of a whole run; the engine knows one block at a time.

    The blocks to come are taken to last as long as the others do on average.
    """

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self._blocks = 1
        self._ended: list[float] = []
        self._block, self._began = 0, time.monotonic()
        self._countdown = Countdown()
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
        with self._lock:
            if left is not None:
                left = self._countdown.follow(left + (self._blocks - self._block) * fmean([*self._ended, spent + left]))
            part = self._countdown.part
        self.listener.progress(replace(progress, block=self._block, blocks=self._blocks, seconds_left=left, part=part))


@dataclass(frozen=True)
class Finished:
    """The cells that a resumed run has already, and its samples, to which those that are measured are added."""

    cells: Sequence[Cell] = ()
    samples: SampleTable = field(default_factory=SampleTable)
