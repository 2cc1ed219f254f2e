"""Runs waves of fresh processes until each case is precise enough; also one case under several conditions.

While one core measures, others make the processes of the next wave ready.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from serbench.judge import statistics
from serbench.judge.waves import WAVES_OF_SLOWER, SampleTable, Wanted, medians_of, wanted
from serbench.machine.platform import pinned
from serbench.measure.listener import Listener, Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import ROUNDS_OF_SLOW, WaveLoop, is_finished, size_batch, sizing_ns, visit, visit_groups
from serbench.measure.session import WorkerSession, in_parallel, on_cores, other_cores
from serbench.measure.subjects import BlockFiles, TimedCase, prepare, reference_candidates, retry_if_killed
from serbench.results import Sample, grouped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Ahead(AbstractContextManager["Ahead"]):
    """Processes that are started and prepared for sessions which are still at work, each to be taken by its session.

    A process that cannot be made ready is given up: the repetition then starts it as usual, and finds what is wrong. A context
    manager that leaves none running.

    Args:
        files: those of the block that is measured.
        core: the core that measures. Without another one, or if threads cannot keep to cores, nothing is made ready.
    """

    def __init__(self, files: BlockFiles, core: int | None) -> None:
        self._files = files
        cores = other_cores(core)
        self._pool = on_cores(cores) if cores else None
        self._made: dict[WorkerSession, tuple[WorkerSession, Future[bool]]] = {}
        self._given_up = False

    def begin(self, groups: Iterable[Sequence[TimedCase]]) -> None:
        """Begin to make ready what each group, whose cases share a session, has there now, unless that was begun."""
        for members in groups:
            session = members[0].session
            if self._pool is not None and session not in self._made:
                with suppress(Exception):  # there may be no more threads or files
                    made = self._files.session(session.environment)
                    copies = [replace(timed, session=made, cells={}, merged={}) for timed in members]
                    self._made[session] = made, self._pool.submit(self._is_ready, made, copies)

    def take(self, sessions: Iterable[WorkerSession]) -> None:
        """Give these sessions the processes that were made for them, once these are ready."""
        for session in sessions:
            if session in self._made:
                made, work = self._made[session]
                wait([work])  # a thread that is joined looks ended once Ctrl-C has interrupted that
                if not work.exception() and work.result():
                    session.take(made)
                del self._made[session]

    def end(self) -> None:
        """End the processes that nobody has taken."""
        for made, work in self._made.values():
            made.kill()
            work.cancel()
            wait([work])
            made.end()
        self._made.clear()

    def __exit__(self, *_: object) -> None:
        self._given_up = True
        self.end()
        if self._pool is not None:
            self._pool.shutdown()

    def _is_ready(self, made: WorkerSession, copies: Sequence[TimedCase]) -> bool:
        # Whatever it is, the repetition meets it as well, where it can be told; a cancelled run ends in the main thread.
        with suppress(Exception, KeyboardInterrupt):
            if not self._given_up:
                prepare(copies)
            if all(copy.prepared and copy.alive for copy in copies):
                return True
        made.end()
        return False


STEPS_S = {"verifying": 0.2, "sizing": 0.02, "measuring": 0.05}
"""Step → seconds that it takes on a usual machine: to verify a case, and to size or measure one of its operations once."""
START_S = {"verifying": 1.0, "sizing": 0.0, "measuring": 0.5}
"""Step → seconds that its processes need to start, of measuring for each wave."""
CALLS = 12
"""How many calls a cell takes in a wave, at least: 8 rounds, each with a batch and half as many calls before it."""
TRUSTED = 0.3
"""The part of a step after which only its own pace counts."""
SHARE, SHARE_OF_ALL = 0.15, 0.35
"""How many of the waves between the fewest and the most a cell needs on average, before anything is known of it; and if all
cells are to be known as well as those that may lead."""
USUAL = 2
"""Until a cell has many more waves than these, what others need counts as well."""


class Pace:
    """The seconds left of a block; each step corrects what is expected of the next.

    Args:
        cases, cells: how many are verified, and how many operations they have in all.
        rules: the fewest and most waves.
        call_s: what a call of these operations takes on average, as far as it is known.

    Attributes:
        holds: the present step goes on beside those that follow.
    """

    def __init__(self, cases: int, cells: int, rules: Effort, call_s: float = 0.0) -> None:
        self.rules = rules
        counts = {"verifying": (1.0, cases), "sizing": (1.0, cells), "measuring": (self._usual, cells * self._usual)}
        self._expected = {
            step: starts * START_S[step] + each * STEPS_S[step] for step, (starts, each) in counts.items()
        }
        self._expected["measuring"] += counts["measuring"][1] * CALLS * call_s
        self._step, self._part, self._began, self._slow = "verifying", 0.0, time.monotonic(), 1.0
        self._first = 0.0
        self.holds = False

    @property
    def _usual(self) -> float:
        rules = self.rules
        least, share = (rules.waves_min, SHARE_OF_ALL) if rules.everywhere else (WAVES_OF_SLOWER, SHARE)
        return least + share * (rules.waves_max - least)

    def left(self, step: str, part: float) -> float:
        """The seconds left, of a step of `STEPS_S` and those that follow, once a part of it is done.

        While the present step `holds`, the others, which are begun beside it, are not followed.
        """
        now = time.monotonic()
        if step != self._step and self.holds:
            step, part = self._step, self._part
        if step != self._step:
            planned = self._expected[self._step]
            self._slow = min(max(math.sqrt((now - self._began) / planned), 0.5), 3.0) if planned else self._slow
            self._step, self._began, self._first = step, now, part
        self._part = part
        steps = list(STEPS_S)
        later = sum(self._expected[name] for name in steps[steps.index(step) + 1 :])
        whole, seen = self._expected[step] * self._slow, part - self._first
        if seen > 0:
            whole += min(seen / TRUSTED, 1.0) * ((now - self._began) / seen - whole)
        return whole * (1 - part) + later * self._slow

    def visits(self, known: Iterable[tuple[Sequence[Sequence[float]], Wanted]], measured: int) -> float:
        """The number of visits left after so many waves.

        `known` has for each cell its log ratios, in one or more series, and what is wanted of it.
        """
        return sum(max(self._waves(series, wanted) - measured, 1.0) for series, wanted in known)

    def _waves(self, series: Sequence[Sequence[float]], wanted: Wanted) -> float:
        needed = [self._usual]
        for values in series:
            if len(values) > 1:
                its = len(values) * (statistics.half_width(values) / wanted.precision) ** 2
                known = len(values) / (len(values) + USUAL)
                most = self.rules.waves_max
                needed.append(known * min(max(its, wanted.least), most) + (1 - known) * self._usual)
        return max(needed[1:] or needed)


LibraryCases = list[TimedCase]
"""The cases that share a session: those of a library in an environment."""


Joined: TypeAlias = tuple[list[LibraryCases], dict[str, TimedCase]]
"""Cases by library, and the reference of each operation."""
NUMBER = Sample._fields.index("visit")


class Waves(WaveLoop[tuple[TimedCase, str]]):
    """The waves of one block, which cells leave one by one. Those that are still being verified join the first wave later.

    `ratios` has each cell's log ratios to the reference by wave, `to_base` those to the first of its pair: as they are
    reported, looked at anew after each wave.
    """

    def __init__(
        self,
        files: BlockFiles,
        listener: Listener,
        by_library: list[LibraryCases],
        references: dict[str, TimedCase],
        core: int | None,
        samples: SampleTable,
        pace: Pace,
        joining: Callable[[], Joined] | None = None,
    ) -> None:
        super().__init__(files.plan.rules)
        self.pace, self.visited = pace, 0
        self.plan, self.files, self.listener, self.core = files.plan, files, listener, core
        self.by_library: list[LibraryCases] = []
        self.references: dict[str, TimedCase] = {}
        self.ahead = Ahead(files, core)
        self.stands_for: dict[TimedCase, TimedCase] = {}
        self.rng = random.Random()
        self.samples, self.first = samples, len(samples)
        self.number = 0
        self.joining = joining
        self._join(by_library, references)

    def _join(self, by_library: list[LibraryCases], references: dict[str, TimedCase]) -> None:
        """Take in cases, and the references of all operations."""
        before, known = set(self.sessions()), set(self.references.values())
        self.by_library += by_library
        self.references = dict(references)
        for reference in set(references.values()) - known:
            self._give_processes(reference)
        self.joined = [session for session in self.sessions() if session not in before]
        self.cases = [timed for cases in self.by_library for timed in cases]
        self.pairs = _pairs(self.cases) if self.plan.paired else []
        self.base_of = {timed: pair[0] for pair in self.pairs for timed in pair[1:]}
        self.leave_together = _leave_together(self.cases, self.pairs)
        places = self.samples.places({cell.id for timed in self.cases for cell in timed.cells.values()})
        self.earlier = places[places < self.first]
        numbers = self.samples.rows()[self.earlier, NUMBER].tolist()
        self.number = max(self.number, max(numbers, default=-1) + 1)
        self._settle()

    def lacking(self, wave: int) -> set[tuple[TimedCase, str]]:
        """The cells that are not known and have not been measured in this wave."""
        lacking = {(timed, o) for timed, o in self._active() if wave not in self._ratios(timed, o)}
        if not lacking and self.joining is not None:
            self._admit()
            return self.lacking(wave)
        return lacking

    def visit_all(self, wave: int, lacking: Collection[tuple[TimedCase, str]]) -> None:
        """Visit one case of each library at a time, then the same with those that join."""
        self._visit_all(wave, lacking)
        if self.joining is not None:
            self._admit()
            if joined := {one for one in self._active() if one[0].session in self.joined}:
                self._visit_all(wave, joined)

    def _admit(self) -> None:
        """Have those join that were verified meanwhile."""
        assert self.joining is not None
        joining, self.joining = self.joining, None
        self._join(*joining())
        self.size_batches()

    def _visit_all(self, wave: int, lacking: Collection[tuple[TimedCase, str]]) -> None:
        ahead = self.pace.visits(((self._series(*one), self.wanted[one]) for one in self._active()), self.measured)

        def step(done: int, total: int) -> Progress:
            visited = self.visited + len(lacking) * done / max(total, 1)
            left = self.pace.left("measuring", visited / (self.visited + ahead))
            return Progress("measuring", wave, done, total, left)

        self._prepare({timed for timed, _ in lacking}, step(0, 0), followed=wave < self.last)
        self._wave(step, lacking, partial(self._measure, wave))
        self.visited += len(lacking)

    def sessions(self) -> list[WorkerSession]:
        """The sessions of the libraries."""
        return [cases[0].session for cases in self.by_library]

    def settle(self, wave: int) -> None:
        """Let the cells leave that are known, and tell the listener of the wave."""
        self._settle()
        self.listener.wave_done(wave)

    def size_batches(self) -> None:
        """Size the batches of all cases that have no samples anew, in turns with the reference.

        They were sized while other processes worked, and the speed of a machine changes. A call takes less time in a longer
        batch, so batches of the same code are to have the same length.
        """
        measured = set(self._table()[:, 0].tolist())
        short = {
            (timed, operation)
            for timed, operation in self._active()
            if timed.cells[operation].id not in measured and timed.each_ns[operation] < 2 * sizing_ns(timed)
        }

        def step(done: int, total: int) -> Progress:
            return Progress("sizing batches", 0, done, total, self.pace.left("sizing", done / max(total, 1)))

        self._prepare({timed for timed, _ in short}, step(0, 0), followed=True)
        self._wave(step, short, self._size)
        for session in self.joined:
            session.end()  # the first wave's processes are as fresh as the others'

    def _active(self) -> list[tuple[TimedCase, str]]:
        """The cells that are not yet known well enough; a case that has failed has none, nor has its hidden duplicate."""
        return [
            (timed, operation)
            for timed in self.cases
            for operation, cell in timed.cells.items()
            if cell.status == "unresolved" and timed.measurable
        ]

    def _prepare(self, cases: set[TimedCase], step: Progress, *, followed: bool) -> None:
        """Have this wave's processes, on all cores: nothing is timed yet; `step` is what they are for.

        If another wave will follow, its processes begin to be made ready.
        """
        self.listener.progress(replace(step, what="starting processes"))
        needed = cases | set(self.references.values())

        def prepare_library(members: LibraryCases) -> None:
            members[0].session.pin(None)
            prepare(member for member in members if self.stands_for.get(member, member) in needed)

        groups = [members for members in self.by_library if needed & set(members)]
        watchdog = self.files.watchdog
        with watchdog.spending("starting processes"):
            self.ahead.take(members[0].session for members in groups if not members[0].session.known)
            if step.wave > 1:
                self.ahead.end()  # those of cases that have left; before, more is made ready than this wave needs
            if not self.files.heavy:
                in_parallel(lambda members: retry_if_killed(partial(prepare_library, members)), groups, watchdog)
        if followed and not self.files.heavy:
            ready = ([timed for timed in members if timed.prepared and timed.alive] for members in groups)
            self.ahead.begin(filter(None, ready))

    def _wave(
        self,
        step: Callable[[int, int], Progress],
        lacking: Collection[tuple[TimedCase, str]],
        work: Callable[[str, list[TimedCase]], None],
    ) -> None:
        by_library = [[t for t in members if any((t, o) in lacking for o in t.cells)] for members in self.by_library]
        visits = visit_groups(
            by_library, self.rng, {timed: number for number, pair in enumerate(self.pairs) for timed in pair}
        )
        with pinned(self.core):
            for members in self.by_library:
                members[0].session.pin(self.core)
            for done, group in enumerate(visits):
                self.listener.progress(step(done, len(visits)))
                self._visit(group, lacking, work)

    def _visit(
        self,
        group: Sequence[TimedCase],
        lacking: Collection[tuple[TimedCase, str]],
        work: Callable[[str, list[TimedCase]], None],
    ) -> None:
        """One case of each library beside the reference, every operation."""
        for operation in self.files.operations:
            chosen = [timed for timed in group if (timed, operation) in lacking and timed.alive]
            if chosen:
                work(operation, list(dict.fromkeys([*chosen, self.references[operation]])))
        if self.files.heavy:
            for timed in set(group) - set(self.references.values()):
                timed.release()

    def _size(self, operation: str, together: list[TimedCase]) -> None:
        samples = retry_if_killed(partial(visit, together, operation, self.rng, rounds=ROUNDS_OF_SLOW))
        each_ns = {
            timed: median(s.cpu_ns for s in each) / timed.cells[operation].loops for timed, each in samples.items()
        }
        reference = self.references[operation]
        for timed in each_ns.keys() - {reference} if reference in each_ns else ():
            size_batch(timed, operation, reference.each_ns[operation] * each_ns[timed] / each_ns[reference])

    def _measure(self, wave: int, operation: str, together: list[TimedCase]) -> None:
        """One visit; the references of other operations take part, but their samples do not count.

        A process that only decodes is slower than one that encodes as well, and all other processes do both.
        """
        others = [reference for reference in self.references.values() if reference.alive and reference.can(operation)]
        uncounted = [other for other in others if other.each_ns[operation] < 2 * sizing_ns(other)]  # in a short batch
        subjects = list(dict.fromkeys([*together, *uncounted]))
        by_subject = retry_if_killed(partial(visit, subjects, operation, self.rng, wave=wave, number=self.number))
        if not self.references[operation].alive:
            self._replace_reference(operation, wave)
            return
        samples = [sample for timed in together for sample in by_subject.get(timed, ())]
        self.samples.add(samples)
        self.listener.samples(samples)
        self.number += 1

    def _replace_reference(self, operation: str, wave: int) -> None:
        """After the reference has failed, measure against the next fastest, with all its waves, what had left as well."""
        self.last = wave + self.rules.waves_max
        for cell in (timed.cells[operation] for timed in self.cases if operation in timed.cells):
            if cell.status == "ok":
                cell.status = "unresolved"
        self.references[operation].cells[operation].reference = False
        alive = [timed for timed in self.cases if timed.alive and operation in timed.cells and not timed.control]
        able = reference_candidates(alive, operation)
        if able:
            self.references[operation] = min(able, key=lambda timed: timed.each_ns[operation])
            self.references[operation].cells[operation].reference = True
            self._give_processes(self.references[operation])

    def _give_processes(self, reference: TimedCase) -> None:
        """Give a reference processes of its own: it works in every visit, which would slow the other cases of its process.

        Both processes prepare all of these cases, because what is in memory shows in the times.
        """
        members = next(members for members in self.by_library if reference in members)
        if len(members) == 1:
            return
        session = self.files.session(reference.case.environment)
        separate = [self._silent(timed, session) for timed in members]
        remaining = [timed if timed is not reference else self._silent(timed, timed.session) for timed in members]
        separate[members.index(reference)] = reference
        reference.session = session
        self.by_library = [remaining if one is members else one for one in self.by_library] + [separate]

    def _silent(self, timed: TimedCase, session: WorkerSession) -> TimedCase:
        copy = replace(timed, session=session, cells={}, merged={})
        self.stands_for[copy] = self.stands_for.get(timed, timed)
        return copy

    def _ratios(self, timed: TimedCase, operation: str) -> dict[int, float]:
        return self.ratios.get(timed.cells[operation].id, {})

    def _series(self, timed: TimedCase, operation: str) -> list[list[float]]:
        """The log ratios of a cell over waves: to the reference, and to the base of its pair."""
        ratios = [] if timed is self.references[operation] else [self._ratios(timed, operation)]
        base = self.base_of.get(timed)
        if base is not None and base.alive and operation in base.cells:
            ratios.append(self.to_base.get(timed.cells[operation].id, {}))
        return [list(logs.values()) for logs in ratios]

    def _settle(self) -> None:
        """Let the cells leave that are known well enough; a case, its hidden duplicate and its pair leave together."""
        self._look()
        active = self._active()
        values = [list(logs.values()) for logs in self.ratios.values()]
        prior = statistics.fit_prior(values, references=len(self.references))
        self.wanted = self._wanted(prior)
        unknown = {
            (timed, operation)
            for timed, operation in active
            if len(self._ratios(timed, operation)) < self.wanted[timed, operation].least
            or not is_finished(self._series(timed, operation), self.wanted[timed, operation], prior)
        }
        for timed, operation in active:
            if unknown.isdisjoint((one, operation) for one in self.leave_together[timed]):
                timed.cells[operation].status = "ok"

    def _wanted(self, prior: statistics.Prior) -> dict[tuple[TimedCase, str], Wanted]:
        """The precision wanted of each cell; a hidden duplicate has its original's."""
        full = self.rules.wanted
        cells = [(timed, operation) for timed in self.cases for operation in timed.cells]
        if self.rules.everywhere:
            return dict.fromkeys(cells, full)
        asked = {(timed, operation) for timed, operation in cells if timed.case.library.user_class}
        needs: dict[tuple[TimedCase, str], Wanted] = {}
        for ranking in grouped(cells, lambda one: (one[1], one[0].cells[one[1]].work_class)).values():
            rows = {one: self._ratios(*one) for one in ranking}
            needs |= wanted(rows, full, prior, asked)
        return needs

    def _table(self) -> NDArray[np.int64]:
        import numpy as np

        return np.concatenate([self.samples.rows()[self.earlier], self.samples.rows(self.first)])

    def _look(self) -> None:
        """Take the statistics of all samples, by which cells are reported."""
        table = self._table()
        cells = [(timed, operation, cell) for timed in self.cases for operation, cell in timed.cells.items()]
        references = {o: timed.cells[o].id for o, timed in self.references.items()}
        partners = {cell.id: references[o] for _, o, cell in cells if o in references}
        pairs = [(cell, o, self.base_of[timed]) for timed, o, cell in cells if timed in self.base_of]
        bases = {cell.id: base.cells[o].id for cell, o, base in pairs if o in base.cells}

        def log_ratios(others: dict[int, int]) -> dict[int, dict[int, float]]:
            by_cell = medians_of([cell for *_, cell in cells], table, others) if others else {}
            return {cell: medians.log_ratios for cell, medians in by_cell.items()}

        self.ratios, self.to_base = log_ratios(partners), log_ratios(bases)


def _pairs(cases: Iterable[TimedCase]) -> list[LibraryCases]:
    """The cases that differ in their library or its version alone, if there are several."""
    shown = (timed for timed in cases if not timed.control)
    by_codec = grouped(shown, lambda one: (one.case.variant, one.case.codec.name, one.case.codec.format))
    return [pair for pair in by_codec.values() if len(pair) > 1]


def _leave_together(cases: Iterable[TimedCase], pairs: Iterable[LibraryCases]) -> dict[TimedCase, set[TimedCase]]:
    """Each case → those that leave the waves when it does: its pair, and the hidden duplicates of that."""
    pair_of = {timed: pair for pair in pairs for timed in pair}
    members: dict[TimedCase, set[TimedCase]] = {}
    for timed in cases:
        if not timed.control:
            pair = pair_of.get(timed, [timed])
            whole = {*pair, *(one.double for one in pair if one.double is not None)}
            members |= dict.fromkeys(whole, whole)
    return members
