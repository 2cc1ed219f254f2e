"""Timing of subjects side by side: batch sizes, fair orders, visits, and the loop of waves."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Generic, TypeVar

from serbench.judge import statistics
from serbench.judge.waves import Wanted
from serbench.machine.platform import pinned
from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.session import WorkerSession
from serbench.measure.subjects import Subject, prepare, retry_if_killed
from serbench.results import Sample, grouped

SIZING_NS, SIZING_NS_OF_REQUEST = 500_000, 4_000_000
WARM_NS_OF_REQUEST = 6_000_000
"""A framework runs more code in a request than a library in a call. After other processes have run, it is slow for some
milliseconds: in batches of 0.5 ms, a request to FastAPI or Flask took 1.2 to 1.6 times as long as in a loop."""
MOST_CALLS_OF_STREAM = 256
"""Making the arguments of short calls takes several times as long as the calls, so that batches of them are shorter."""
ROUNDS = 8
ROUNDS_OF_SLOW = 4  # where one call fills a batch, or requests do
SLOW_NS = 200_000_000
"""If a visit has more rounds, a subject whose batch is one call takes part in up to half of them, for so long."""
WARM, WARM_OF_STREAM = 2, 8
"""A batch is preceded by an untimed half of one. With a stream, by an eighth: it warms the code and no documents, for
those of the batch are others, and making its arguments takes longer than the calls. They are made with those of the
batch."""
WARM_NS = 10_000_000
"""A shorter call is preceded by an untimed one in every round: the first call after another library's code finds
cold caches, which has made one of 0.25 ms three times as long. To a longer one it adds little, in the first round
alone it has one."""
WARM_LEAST, WARM_LEAST_NS = 16, 250_000
"""With a stream, the least untimed calls before a batch, and for how many ns at most. The first calls after other processes
have run are slow; without these, a case would look faster the more calls its batches have."""
T = TypeVar("T")
AnySubject = TypeVar("AnySubject", bound=Subject)


def calibrate(subject: Subject, operation: str) -> bool:
    """Fix how many calls a batch of an operation has, anew after the warm-up of a JIT; False if the subject failed."""
    for _ in range(2 if subject.session.environment.has_jit else 1):
        sized = subject.ask("calibrate", operation=operation, target_ns=sizing_ns(subject))
        if sized is None or not subject.warm_up(operation, sized["loops"]):
            return False
        size_batch(subject, operation, sized["each_ns"])
    return True


def sizing_ns(subject: Subject) -> int:
    """Return about how long a batch is to take."""
    return SIZING_NS_OF_REQUEST if subject.requested else SIZING_NS


def size_batch(subject: Subject, operation: str, each_ns: float) -> None:
    """Fix how many calls a batch has, if one takes so long."""
    cell = subject.cells[operation]
    subject.each_ns[operation] = max(each_ns, 1.0)
    cell.loops = max(1, round(sizing_ns(subject) / subject.each_ns[operation]))
    while cell.loops > 1 and subject.data.documents is not None and subject.calls(operation) > MOST_CALLS_OF_STREAM:
        cell.loops = max(1, cell.loops * MOST_CALLS_OF_STREAM // subject.calls(operation))


def latin_rows(size: int) -> list[list[int]]:
    """A balanced Latin square (Williams 1949): each item stands once in each place, and each follows each equally often.

    `size` rows for an even size, twice as many for an odd one. For two items the rows are AB, BA.
    """
    first = [
        (column + 1) // 2 if column % 2 else (size - column // 2) % size for column in range(size)
    ]  # 0, 1, -1, 2, …
    rows = [[(item + shift) % size for item in first] for shift in range(size)]
    return rows if size % 2 == 0 else [row for pair in rows for row in (pair, pair[::-1])]


def orders(items: Sequence[T], rounds: int, rng: random.Random) -> list[list[T]]:
    """An order of the items for each round, from a Latin square with the items and its rows shuffled.

    Two items alternate strictly (A B, B A, A B, …).
    """
    shuffled = rng.sample(list(items), len(items))
    rows = latin_rows(len(items)) or [[]]
    rng.shuffle(rows)
    return [[shuffled[index] for index in rows[turn % len(rows)]] for turn in range(rounds)]


def visit_groups(
    queues: Sequence[Sequence[T]], rng: random.Random, matches: Mapping[T, Hashable] | None = None
) -> list[list[T]]:
    """One item of each queue per group, at random, until every item has been in one group.

    Items that have the same match are in one group; a queue has at most one item of each match.
    """
    matches = matches or {}
    matched = grouped((item for queue in queues for item in queue if item in matches), matches.__getitem__)
    groups = rng.sample(list(matched.values()), len(matched))
    for queue in queues:
        loose = [item for item in queue if item not in matches]
        free = [group for group in groups if not set(group) & set(queue)]
        more: list[list[T]] = [[] for _ in range(len(loose) - len(free))]
        for group, item in zip(rng.sample([*free, *more], len(loose)), loose, strict=True):
            group.append(item)
        groups += more
    return groups


def rounds_of(subject: Subject, operation: str, rounds: int) -> int:
    """Return in how many rounds of a visit a subject takes part: in all of them, unless its batches are long."""
    if subject.cell(operation).loops > 1:
        return min(rounds, ROUNDS_OF_SLOW) if subject.requested else rounds
    return max(ROUNDS_OF_SLOW, min(rounds // 2, round(SLOW_NS / subject.each_ns.get(operation, 1.0))))


def untimed_calls(subject: Subject, operation: str, turn: int) -> int:
    """Return how many calls precede a subject's batch in this round of a visit."""
    loops, each_ns = subject.cell(operation).loops, subject.each_ns[operation]
    streamed = subject.data.documents is not None
    if subject.requested and (warm := round(WARM_NS_OF_REQUEST / each_ns)):
        return warm
    usual = loops // (WARM_OF_STREAM if streamed else WARM) or int(turn == 0 or each_ns < WARM_NS)
    return max(usual, min(WARM_LEAST, int(WARM_LEAST_NS / each_ns))) if streamed else usual


def visit(
    subjects: Sequence[AnySubject],
    operation: str,
    rng: random.Random,
    *,
    wave: int = 0,
    number: int = 0,
    rounds: int = ROUNDS,
) -> dict[AnySubject, list[Sample]]:
    """Time a batch of each subject in turn, round by round, in orders that favour nobody.

    Returns:
        The samples of the subjects that came through; the cells of the others have their reasons.

    Raises:
        Killed: a process was lost, perhaps by no fault of a subject; the visit is to be repeated.
    """
    samples: dict[AnySubject, list[Sample]] = {subject: [] for subject in subjects}
    prepare(subjects)
    start = rng.randrange(1 << 20)  # all get the same documents in the same order, others in each visit and round
    turns = {subject: rounds_of(subject, operation, rounds) for subject in subjects}
    step = max((subject.calls(operation) + untimed_calls(subject, operation, 0) for subject in subjects), default=0)
    for turn, order in enumerate(orders(subjects, rounds, rng)):
        start += step
        for subject in order:
            if subject not in samples or turn >= turns[subject]:
                continue
            cell, reply = subject.cell(operation), None
            if subject.alive and subject.warm_up(operation, cell.loops):
                where = {} if subject.data.documents is None else {"start": start}
                warmup, calls = untimed_calls(subject, operation, turn), subject.calls(operation)
                reply = subject.ask("measure", operation=operation, loops=calls, warmup=warmup, **where)
            if reply is None:
                del samples[subject]
                prepare(samples)  # a worker that is gone has taken its neighbours with it
            else:
                samples[subject].append(Sample(cell.id, wave, number, turn, *reply["times"]))
    for subject in samples:
        subject.killed = 0
    return samples


def is_finished(
    series: Iterable[Collection[float]], wanted: Wanted, prior: statistics.Prior = statistics.DEFAULT_PRIOR
) -> bool:
    """Decide if a row needs no more waves: all its log ratios, each a series over waves, are known well enough."""
    return all(wanted.reached(values, prior) for values in series)


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
        """The visits of a wave; a wave without visits is left out."""

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
