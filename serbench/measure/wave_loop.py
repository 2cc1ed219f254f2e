"""The one loop of every measurement: waves of fresh processes until all is known well enough or the rules say enough."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Generic, TypeVar

from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import ROUNDS, visit
from serbench.measure.sessions.session import WorkerSession
from serbench.measure.subjects import Subject, retry_if_killed
from serbench.render.environments.platform import pinned
from serbench.results import Sample

Visited = TypeVar("Visited")


class WaveLoop(ABC, Generic[Visited]):
    """Waves, in each of which all that is not yet known is visited, in processes that end with the wave.

    Attributes:
        last: the number of the last wave; what is learned in a wave may change it.
    """

    def __init__(self, rules: Effort) -> None:
        self.rules, self.last = rules, rules.waves_max

    @abstractmethod
    def lacking(self, wave: int) -> Collection[Visited]:
        """What is to be visited in a wave; if it is nothing, the wave is left out."""

    @abstractmethod
    def visit_all(self, wave: int, lacking: Collection[Visited]) -> None:
        """Visit all of these once."""

    @abstractmethod
    def sessions(self) -> Iterable[WorkerSession]:
        """The sessions whose processes work in a wave."""

    @abstractmethod
    def settle(self, wave: int) -> None:
        """Decide after a wave what is known well enough."""

    def run(self, deadline: float | None = None, *, least: int = 0) -> None:
        """Wave after wave until all is known, the rules say enough, or the deadline has come.

        `deadline` is on the monotonic clock, in s; the `least` number of waves is measured even after it.
        """
        self.measured, wave = 0, 0
        while wave < self.last:
            wave += 1
            lacking = self.lacking(wave)
            if not lacking:
                continue
            if deadline is not None and self.measured >= least and time.monotonic() > deadline:
                return
            self.visit_all(wave, lacking)
            for session in self.sessions():
                session.end()
            self.measured += 1
            self.settle(wave)


class SideBySide(WaveLoop[Subject]):
    """A few subjects that take turns with each other, operation by operation, in every wave until all are known.

    Args:
        subjects: what is timed; each has all operations.
        is_known: tells of all samples so far if they are enough.
        core: the core on which all work; None leaves that to the system.
        rounds: how often they take turns in a visit.
        what, tell: the name of the measurement, and who hears of its progress.

    Attributes:
        samples: everything that was timed.
    """

    def __init__(
        self,
        subjects: Iterable[Subject],
        operations: Sequence[str],
        rules: Effort,
        is_known: Callable[[Sequence[Sample]], bool],
        *,
        core: int | None,
        rng: random.Random,
        rounds: int = ROUNDS,
        what: str = "measuring",
        tell: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        super().__init__(rules)
        self.subjects, self.operations, self.is_known = list(subjects), operations, is_known
        self.core, self.rng, self.rounds, self.what, self.tell = core, rng, rounds, what, tell
        self.samples: list[Sample] = []
        self.visits = 0

    def lacking(self, wave: int) -> list[Subject]:  # noqa: ARG002 (all take part in every wave)
        """Those with which nothing has gone wrong."""
        return [subject for subject in self.subjects if subject.alive]

    def visit_all(self, wave: int, lacking: Collection[Subject]) -> None:
        """All of them together, once for each operation."""
        with pinned(self.core):
            for subject in lacking:
                subject.session.pin(self.core)
            for operation in self.operations:
                self.tell(Progress(self.what, wave, self.visits, self.last * len(self.operations)))
                facts = {"wave": wave, "number": self.visits, "rounds": self.rounds}
                visited = retry_if_killed(partial(visit, list(lacking), operation, self.rng, **facts))
                self.samples += chain(*visited.values())
                self.visits += 1

    def sessions(self) -> list[WorkerSession]:
        """The sessions of all subjects."""
        return list(dict.fromkeys(subject.session for subject in self.subjects))

    def settle(self, wave: int) -> None:
        """End the waves if all is known."""
        if wave >= self.rules.waves_min and self.is_known(self.samples):
            self.last = wave
