"""Waves of fresh processes: every case visited once in each, round by round, until it is known well enough."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from statistics import median

from serbench import statistics
from serbench.engine.listener import Listener, Progress
from serbench.engine.order import groups, orders
from serbench.engine.plan import Plan
from serbench.engine.results import Sample
from serbench.engine.seats import Member, Seat, Workshop, begun_again, fit_to_refer

ROUNDS = 8
ROUNDS_OF_SLOW = 4  # where one call fills a batch
WARM_NS = 10_000_000
"""A shorter call is preceded by an untimed one in every round: the first call after another library's code finds
cold caches, which has made one of 0.25 ms three times as long. To a longer one it adds little, in the first round
alone it has one."""
STACK_BYTES = 64 << 20


class Waves:
    """The waves of one block."""

    def __init__(
        self,
        plan: Plan,
        listener: Listener,
        workshop: Workshop,
        seats: list[Seat],
        references: dict[str, Member],
        core: int | None,
    ) -> None:
        self.plan, self.listener, self.workshop, self.core = plan, listener, workshop, core
        self.seats, self.references = seats, references
        self.seat_of = {member: seat for seat in seats for member in seat.members}
        self.pairs = _pairs(seats) if plan.paired else []
        self.base_of = {member: pair[0] for pair in self.pairs for member in pair[1:]}
        self.company = _companies(seats, self.pairs)
        self.to_base: dict[tuple[Member, str], dict[int, float]] = {}
        self.rng = random.Random()
        self.visit = 0
        self.last = plan.rules.waves_max

    def recall(self, samples: Iterable[Sample]) -> None:
        """Take up the samples of an earlier part of this run."""
        cells = {cell.id: (member, operation) for member in self.seat_of for operation, cell in member.cells.items()}
        visits: dict[tuple[str, int, int], dict[Member, list[Sample]]] = {}
        for sample in samples:
            if sample.cell in cells:
                member, operation = cells[sample.cell]
                visits.setdefault((operation, sample.wave, sample.visit), {}).setdefault(member, []).append(sample)
                self.visit = max(self.visit, sample.visit + 1)
        for (operation, wave, _), taken in visits.items():
            self._note(operation, wave, taken)
        self._settle()

    def run(self, deadline: float | None) -> bool:
        """Wave after wave until every cell is known or the rules say enough; False where the deadline came first."""
        began, measured = time.monotonic(), 0
        wave = 0
        while wave < self.last:
            wave += 1
            lacking = {(m, o) for m, o in self._active() if wave not in m.logs[o]}
            if not lacking:
                continue
            if deadline is not None and time.monotonic() > deadline:
                return False
            self._seat({member for member, _ in lacking})
            self._wave(wave, lacking, deadline, self._pace(began, measured))
            for seat in self.seats:
                seat.leave()
            measured += 1
            self._settle()
            self.listener.wave_done(wave)
        return True

    def _active(self) -> list[tuple[Member, str]]:
        """The cells that are not yet known well enough; a case that has failed has none."""
        return [(m, o) for m in self.seat_of for o, cell in m.cells.items() if m.alive and cell.status == "unresolved"]

    def _seat(self, members: set[Member]) -> None:
        """Start this wave's processes, on all cores: nothing is timed yet."""
        needed = members | set(self.references.values())
        with_work = [seat for seat in self.seats if needed & set(seat.members)]

        def prepare(seat: Seat) -> None:
            seat.pin(None)
            if not self.workshop.heavy:
                begun_again(lambda: seat.prepare(m for m in seat.members if m in needed))

        in_parallel(prepare, with_work, self.workshop)

    def _wave(
        self,
        wave: int,
        lacking: set[tuple[Member, str]],
        deadline: float | None,
        pace: Callable[[float], float | None],
    ) -> None:
        lanes = [[m for m in seat.members if any((m, o) in lacking for o in m.cells)] for seat in self.seats]
        visits = groups(lanes, self.rng, {member: place for place, pair in enumerate(self.pairs) for member in pair})
        with pinned(self.core):
            for seat in self.seats:
                seat.pin(self.core)
            for done, group in enumerate(visits):
                left = pace(1 - done / len(visits))
                self.listener.progress(Progress("measuring", wave, done, len(visits), left))
                self._visit(wave, group, lacking)
                if deadline is not None and time.monotonic() > deadline:
                    break

    def _visit(self, wave: int, group: Sequence[Member], lacking: set[tuple[Member, str]]) -> None:
        """One case of each library beside the reference, every operation, round by round."""
        for operation in self.plan.operations:
            chosen = [m for m in group if (m, operation) in lacking and m.alive]
            if not chosen:
                continue
            reference = self.references[operation]
            together = list(dict.fromkeys([*chosen, reference]))
            taken = begun_again(partial(self._rounds, wave, operation, together))
            for member in taken:
                member.killed = 0
            if not reference.alive:
                self._replace_reference(operation, wave)
                continue
            self._note(operation, wave, taken)
            self.listener.samples([sample for own in taken.values() for sample in own])
            self.visit += 1
        if self.workshop.heavy:
            for member in set(group) - set(self.references.values()):
                self.seat_of[member].release(member)

    def _rounds(self, wave: int, operation: str, members: list[Member]) -> dict[Member, list[Sample]]:
        """The samples of those members that came through."""
        taken: dict[Member, list[Sample]] = {member: [] for member in members}
        for member in members:
            self.seat_of[member].prepare([member])
        for turn, order in enumerate(orders(members, ROUNDS, self.rng)):
            for member in order:
                cell = member.cells[operation]
                if member not in taken or (cell.loops == 1 and turn >= ROUNDS_OF_SLOW):
                    continue
                warmup = untimed_calls(member, operation, turn)
                seat, reply = self.seat_of[member], None
                if member.alive and seat.warm_up(member, operation, cell.loops):
                    reply = seat.ask(member, "measure", operation=operation, loops=cell.loops, warmup=warmup)
                if reply is None:
                    del taken[member]
                    for other in taken:  # a worker that is gone has taken its neighbours with it
                        self.seat_of[other].prepare([other])
                else:
                    taken[member].append(Sample(cell.id, wave, self.visit, turn, *reply["times"]))
        return taken

    def _replace_reference(self, operation: str, wave: int) -> None:
        """The reference has failed in mid-run: measure against the next fastest, with all its waves."""
        self.last = wave + self.plan.rules.waves_max
        self.references[operation].cells[operation].reference = False
        alive = [m for m in self.seat_of if m.alive and operation in m.cells and not m.control]
        able = fit_to_refer(alive, operation)
        if able:
            self.references[operation] = min(able, key=lambda m: m.each_ns[operation])
            self.references[operation].cells[operation].reference = True
        for member in self.seat_of:
            member.logs[operation].clear()

    def _note(self, operation: str, wave: int, taken: Mapping[Member, Sequence[Sample]]) -> None:
        """Remember the wave's statistic of each, against the reference and, in a pair, against its first."""
        for member in taken:
            for base, logs in (
                (self.references.get(operation), member.logs[operation]),
                (self.base_of.get(member), self.to_base.setdefault((member, operation), {})),
            ):
                if base is not None and base in taken:
                    logs.update(_log_ratio(operation, wave, taken, member, base))

    def _judged(self, member: Member, operation: str) -> list[list[float]]:
        """The log ratios over waves that have to be known."""
        own = [] if member is self.references[operation] else [member.logs[operation]]
        if member in self.base_of and self.base_of[member].alive:
            own.append(self.to_base.get((member, operation), {}))
        return [list(logs.values()) for logs in own]

    def _settle(self) -> None:
        """Let those leave whose intervals are narrow enough; a case, its hidden duplicate and its pair leave together."""
        rules = self.plan.rules
        active = self._active()
        values = [list(m.logs[o].values()) for m in self.seat_of for o in m.cells]
        prior = statistics.fit_prior(values, references=len(self.references))

        def known(member: Member, operation: str) -> bool:
            judged = self._judged(member, operation)
            return len(member.logs[operation]) >= rules.waves_min and all(
                statistics.converged(values, rules.precision, prior, least=rules.waves_min) for values in judged
            )

        unknown = {one for one in active if not known(*one)}
        for member, operation in active:
            if unknown.isdisjoint((one, operation) for one in self.company[member]):
                member.cells[operation].status = "ok"

    def _pace(self, began: float, measured: int) -> Callable[[float], float | None]:
        """From the part of this wave that is left to seconds left in all, going by the waves so far."""
        rules, now = self.plan.rules, time.monotonic()
        needed = [rules.waves_min]
        needed += [
            math.ceil(len(values) * (statistics.half_width(values) / rules.precision) ** 2)
            for one in self._active()
            for values in self._judged(*one)
            if len(values) >= 2
        ]
        waves = min(max(needed), rules.waves_max) - measured

        def left(part: float) -> float | None:
            if not measured:
                return None
            return max(0.0, (now - began) / measured * (max(waves, 1) - 1 + part))

        return left


def untimed_calls(member: Member, operation: str, turn: int) -> int:
    """How many calls come before a timed batch."""
    return member.cells[operation].loops // 2 or int(turn == 0 or member.each_ns[operation] < WARM_NS)


def _pairs(seats: Iterable[Seat]) -> list[list[Member]]:
    """The cases that differ in their library or its version alone, where there are several."""
    found: dict[tuple[str, str, str], list[Member]] = {}
    for member in (m for seat in seats for m in seat.members if not m.control):
        case = member.case
        found.setdefault((case.variant, case.codec.name, case.codec.format), []).append(member)
    return [pair for pair in found.values() if len(pair) > 1]


def _companies(seats: Iterable[Seat], pairs: Iterable[list[Member]]) -> dict[Member, set[Member]]:
    """Each member → those that leave the waves when it does: its pair, and the hidden duplicates of that."""
    pair_of = {member: pair for pair in pairs for member in pair}
    found: dict[Member, set[Member]] = {}
    for member in (m for seat in seats for m in seat.members if not m.control):
        pair = pair_of.get(member, [member])
        whole = {*pair, *(m.double for m in pair if m.double is not None)}
        found |= dict.fromkeys(whole, whole)
    return found


def _log_ratio(
    operation: str, wave: int, taken: Mapping[Member, Sequence[Sample]], member: Member, base: Member
) -> dict[int, float]:
    """The wave's median of log(t / t_base) over the rounds that both have, if there are any."""
    loops = member.cells[operation].loops / base.cells[operation].loops
    beside = {sample.round: sample.cpu_ns for sample in taken[base]}
    logs = [
        math.log(max(sample.cpu_ns, 1) / max(beside[sample.round], 1) / loops)
        for sample in taken[member]
        if sample.round in beside
    ]
    return {wave: median(logs)} if logs else {}


def in_parallel(work: Callable[[Seat], None], seats: Sequence[Seat], workshop: Workshop) -> None:
    """Do the work that is not timed on all cores; an interrupt ends the processes at once."""
    usual = threading.stack_size(STACK_BYTES)  # deep values are compared here
    try:
        _in_threads(work, seats, workshop)
    finally:
        threading.stack_size(usual)


def _in_threads(work: Callable[[Seat], None], seats: Sequence[Seat], workshop: Workshop) -> None:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with ThreadPoolExecutor(max_workers=usable) as pool:
        try:
            for _ in pool.map(work, seats):
                pass
        except BaseException:
            workshop.close_all()
            raise


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """The conductor on the workers' core, where the platform can: a pipe between two cores costs 8 times as much."""
    if core is None:
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)
