"""Waves of fresh processes: every case visited once in each, round by round, until it is known well enough."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
        self.rng = random.Random()
        self.visit = 0
        self.last = plan.rules.waves_max

    def recall(self, samples: Iterable[Sample]) -> None:
        """Take up the samples of an earlier part of this run."""
        cells = {cell.id: (member, operation) for member in self.seat_of for operation, cell in member.cells.items()}
        visits: dict[tuple[int, int], dict[int, list[Sample]]] = {}
        for sample in samples:
            if sample.cell in cells:
                visits.setdefault((sample.wave, sample.visit), {}).setdefault(sample.cell, []).append(sample)
                self.visit = max(self.visit, sample.visit + 1)
        for (wave, _), by_cell in visits.items():
            for cell, own in by_cell.items():
                member, operation = cells[cell]
                if operation in self.references:
                    beside = by_cell.get(self.references[operation].cells[operation].id, [])
                    self._note(member, operation, wave, own, beside)
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
        visits = groups(lanes, self.rng)
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
            for member, own in taken.items():
                self._note(member, operation, wave, own, taken[reference])
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
                long = member.each_ns[operation] >= WARM_NS
                warmup = cell.loops // 2 or int(turn == 0 or not long)
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

    def _note(
        self, member: Member, operation: str, wave: int, own: Sequence[Sample], reference: Sequence[Sample]
    ) -> None:
        """Remember the wave's statistic: the median over rounds of log(t / t_reference)."""
        loops = member.cells[operation].loops / self.references[operation].cells[operation].loops
        beside = {sample.round: sample.cpu_ns for sample in reference}
        logs = [
            math.log(max(sample.cpu_ns, 1) / max(beside[sample.round], 1) / loops)
            for sample in own
            if sample.round in beside
        ]
        if logs:
            member.logs[operation][wave] = median(logs)

    def _settle(self) -> None:
        """Let those leave whose interval is narrow enough; a case and its hidden duplicate leave together."""
        rules = self.plan.rules
        active = self._active()
        values = [list(m.logs[o].values()) for m in self.seat_of for o in m.cells]
        prior = statistics.fit_prior(values, references=len(self.references))

        def known(member: Member, operation: str) -> bool:
            values = list(member.logs[operation].values())
            if member is self.references[operation]:
                return len(values) >= rules.waves_min
            return statistics.converged(values, rules.precision, prior, least=rules.waves_min)

        for member, operation in active:
            double = member.double
            if known(member, operation) and (double is None or not double.alive or known(double, operation)):
                member.cells[operation].status = "ok"

    def _pace(self, began: float, measured: int) -> Callable[[float], float | None]:
        """From the part of this wave that is left to seconds left in all, going by the waves so far."""
        rules, now = self.plan.rules, time.monotonic()
        needed = [rules.waves_min]
        for member, operation in self._active():
            values = list(member.logs[operation].values())
            if len(values) >= 2:
                needed.append(math.ceil(len(values) * (statistics.half_width(values) / rules.precision) ** 2))
        waves = min(max(needed), rules.waves_max) - measured

        def left(part: float) -> float | None:
            if not measured:
                return None
            return max(0.0, (now - began) / measured * (max(waves, 1) - 1 + part))

        return left


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
