"""The timing of subjects side by side: the size of their batches, one visit of rounds, and when a row is finished."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from serbench import statistics
from serbench.engine.order import orders
from serbench.engine.plan import Effort
from serbench.engine.subjects import Subject, prepare
from serbench.results import Sample

SIZING_NS = 500_000
ROUNDS = 8
ROUNDS_OF_SLOW = 4  # where one call fills a batch
WARM_NS = 10_000_000
"""A shorter call is preceded by an untimed one in every round: the first call after another library's code finds
cold caches, which has made one of 0.25 ms three times as long. To a longer one it adds little, in the first round
alone it has one."""
AnySubject = TypeVar("AnySubject", bound=Subject)


def calibrate(subject: Subject, operation: str) -> bool:
    """Fix how many calls a batch of an operation has, anew after the warm-up of a JIT; False if the subject failed."""
    cell = subject.cells[operation]
    for _ in range(2 if subject.session.environment.has_jit else 1):
        sized = subject.ask("calibrate", operation=operation, target_ns=SIZING_NS)
        if sized is None or not subject.warm_up(operation, sized["loops"]):
            return False
        cell.loops, subject.each_ns[operation] = sized["loops"], sized["each_ns"]
    return True


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
    taken: dict[AnySubject, list[Sample]] = {subject: [] for subject in subjects}
    prepare(subjects)
    for turn, order in enumerate(orders(subjects, rounds, rng)):
        for subject in order:
            cell = subject.cells[operation]
            if subject not in taken or (cell.loops == 1 and turn >= ROUNDS_OF_SLOW):
                continue
            reply = None
            if subject.alive and subject.warm_up(operation, cell.loops):
                warmup = cell.loops // 2 or int(turn == 0 or subject.each_ns[operation] < WARM_NS)
                reply = subject.ask("measure", operation=operation, loops=cell.loops, warmup=warmup)
            if reply is None:
                del taken[subject]
                prepare(taken)  # a worker that is gone has taken its neighbours with it
            else:
                taken[subject].append(Sample(cell.id, wave, number, turn, *reply["times"]))
    for subject in taken:
        subject.killed = 0
    return taken


def is_finished(
    series: Iterable[Collection[float]], rules: Effort, prior: statistics.Prior = statistics.DEFAULT_PRIOR
) -> bool:
    """Decide if a row needs no more waves: all its log ratios, each a series over waves, are known well enough."""
    return all(statistics.converged(values, rules.precision, prior, least=rules.waves_min) for values in series)
