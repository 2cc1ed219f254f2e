"""Weighs verified cases in passes of their own: memory, start-up, installed size, garbage collection, threads."""

from __future__ import annotations

import ast
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from serbench.cases import Case
from serbench.engine.conduct import SCRATCH
from serbench.engine.installed import closure
from serbench.engine.listener import Progress
from serbench.engine.plan import Block, Plan
from serbench.engine.process import FIDELITY, STARTER, WEIGHER, Fault, Process, Watchdog
from serbench.engine.results import Cell, Status, Weight
from serbench.engine.seats import Member, Seat, Workshop, begun_again, cell_of
from serbench.engine.verifying import verify
from serbench.names import PlanError
from serbench.weigher import LEAST_PEAK_BYTES

THREADS = (1, 2, 4)
THREADS_NS = 100_000_000  # of work for each thread
TURNS = 8
PROFILED_NS = 300_000_000
LOCKED = "a compiled module that the case imports has turned the global lock on again"
TOO_SMALL = "less than 2 MB, which cannot be told from what the process had free; take more --records"


class Quantity(NamedTuple):
    """What a pass finds: a name, and the unit of its readings."""

    name: str
    unit: str


Readings = Mapping[Quantity, float | str]
"""What one process gave: a number, or the reason why there is none."""


@dataclass
class Weighed:
    """A verified case on the scales, with what it gave so far."""

    member: Member
    small: bool = False
    readings: dict[Quantity, list[float]] = field(default_factory=dict)
    reasons: dict[Quantity, tuple[Status, str]] = field(default_factory=dict)

    @property
    def case(self) -> Case:
        """The case."""
        return self.member.case

    @property
    def operations(self) -> list[str]:
        """What it can do of what is asked for."""
        return list(self.member.cells)

    def note(self, found: Readings) -> None:
        """Remember what one process gave."""
        for quantity, value in found.items():
            if isinstance(value, str):
                self.reasons[quantity] = ("unsupported", value)
            else:
                self.readings.setdefault(quantity, []).append(value)

    def weights(self, metric: str) -> list[Weight]:
        """Its quantities; a reason where a process had none."""
        cell = next(iter(self.member.cells.values()))
        found = [
            _weight(cell, metric, q, tuple(values)) for q, values in self.readings.items() if q not in self.reasons
        ]
        lacking = [_weight(cell, metric, q, (), *reason) for q, reason in self.reasons.items()]
        return [*found, *lacking]


def weigh(
    plan: Plan,
    blocks: Iterable[Block],
    metrics: Sequence[str],
    processes: int,
    on_progress: Callable[[Progress], None],
) -> Iterator[Weight]:
    """Each metric of each case that is verified, from so many fresh processes; a case that is not has its reason."""
    watchdog = Watchdog()
    try:
        for block in blocks:
            with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-") as scratch:
                scales = Scales(Workshop(plan, block, Path(scratch), watchdog), processes, on_progress)
                try:
                    yield from scales.weights(metrics)
                finally:
                    scales.workshop.close_all()
    finally:
        watchdog.close()


def profiled(plan: Plan, block: Block, operation: str) -> dict[str, Any]:
    """Where the time of an operation of a block's one case goes, as `weigher.profile` answers.

    Raises:
        PlanError: the case cannot be, fails, or does not have the operation.
    """
    watchdog = Watchdog()
    with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-") as scratch:
        scales = Scales(Workshop(plan, block, Path(scratch), watchdog), 1, lambda _: None)
        try:
            return scales.profile(operation)
        except Fault as fault:
            raise PlanError(fault.reason) from None
        finally:
            scales.workshop.close_all()
            watchdog.close()


class Scales:
    """One block's cases and the processes in which they are weighed."""

    def __init__(self, workshop: Workshop, processes: int, on_progress: Callable[[Progress], None]) -> None:
        self.workshop, self.processes, self.on_progress = workshop, processes, on_progress
        self.plan = workshop.plan

    def weights(self, metrics: Sequence[str]) -> Iterator[Weight]:
        """Verify, then one metric after the other, its processes in turns over the cases."""
        able: list[Weighed] = []
        cases = self.workshop.block.cases
        for done, case in enumerate(cases):
            self.on_progress(Progress(f"verifying {case.library.name}", 0, done, len(cases)))
            weighed = self._verified(case)
            able += [weighed] if weighed.member.alive else []
            if not weighed.member.alive:
                cell = next(iter(weighed.member.cells.values()))
                for metric in metrics:
                    yield _weight(cell, metric, Quantity("", ""), (), cell.status, cell.reason)
        for metric in metrics:
            yield from self._metric(metric, able)

    def _verified(self, case: Case) -> Weighed:
        point, steps = self.workshop.block.point, [o for o in self.plan.operations if o in case.operations]
        cells = {operation: cell_of(-1, point, case, operation) for operation in steps or self.plan.operations[:1]}
        member = Member(case, cells)
        reason = case.absent or case.reason
        if reason is not None:
            member.fail(Fault("unavailable" if case.absent else "unsupported", reason, fatal=False))
            return Weighed(member)
        seat = Seat(self.workshop, [member])
        weighed = Weighed(member)
        files = {"whole": str(self._file(case, "whole")), "small": str(self._file(case, "small"))}

        def prove() -> None:
            if verify(seat, member, tuple(steps)) is not None:
                reply = seat.ask(member, "weigh", weigher=str(WEIGHER), what="blobs", **files)
                weighed.small = bool(reply and reply["small"])

        begun_again(prove)
        seat.leave()
        return weighed

    def _metric(self, metric: str, able: Sequence[Weighed]) -> Iterator[Weight]:
        pass_ = PASSES[metric]
        turns = [
            (turn, one) for turn in range(pass_.unread + (self.processes if pass_.repeated else 1)) for one in able
        ]
        for one in able:
            one.readings, one.reasons = {}, {}

        def read(numbered: tuple[int, tuple[int, Weighed]]) -> None:
            number, (turn, one) = numbered
            self.on_progress(Progress(f"weighing {metric}", 0, number, len(turns)))
            try:
                found = pass_.read(self, one)
            except Fault as fault:
                one.reasons[Quantity("", "")] = (fault.status, fault.reason)
            else:
                if turn >= pass_.unread:
                    one.note(found)

        with ThreadPoolExecutor((os.cpu_count() or 1) if pass_.side_by_side else 1) as pool:
            for _ in pool.map(read, enumerate(turns)):
                pass
        for one in able:
            yield from one.weights(metric)

    def memory(self, one: Weighed) -> Readings:
        """The high-water mark of one call, and what is kept of each decoded document."""
        found: dict[Quantity, float | str] = {}
        for operation in one.operations:
            small = str(self._file(one.case, "small")) if one.small else None
            asked = {"module": one.case.module_name, "path": str(self.workshop.path(one.case)), "small": small}
            with self._worker(one) as process:
                reply = process.ask(
                    "weigh",
                    weigher=str(WEIGHER),
                    what="memory",
                    operation=operation,
                    whole=str(self._file(one.case, "whole")),
                    data="values",
                    **asked,
                )
            peak, kept = reply["peak"], reply["retained"]
            told = reply["lacking"] or (TOO_SMALL if peak < LEAST_PEAK_BYTES else float(peak))
            found[Quantity(f"{operation}_peak", "bytes")] = told
            if operation == "decode":
                found[Quantity("decode_retained", "bytes")] = reply["lacking"] if kept is None else float(kept)
        return found

    def start(self, one: Weighed) -> Readings:
        """CPU time of the imports, of building the models, and of the first calls."""
        case, workshop = one.case, self.workshop
        statements = [node for node in ast.parse(case.source).body if isinstance(node, ast.Import | ast.ImportFrom)]
        with self._process(one, STARTER) as process:
            reply = process.ask(
                "start",
                module=case.module_name,
                path=str(workshop.path(case)),
                imports=max((node.end_lineno or 0 for node in statements), default=0),
                writer=str(workshop.writer(case)) if case.writer else None,
                fidelity=str(FIDELITY),
                values=str(workshop.values),
                spec=workshop.spec,
                blob=str(self._file(case, "whole")),
                operations=one.operations,
            )
        return {Quantity(name, "ns"): float(value) for name, value in reply.items()}

    def installed(self, one: Weighed) -> Readings:
        """The size of library and codec with everything that they require, and how many distributions that is."""
        environment = one.case.environment
        with self._worker(one) as process:
            reply = process.ask("weigh", weigher=str(WEIGHER), what="files")
        roots = [name for name in (*one.case.library.distributions, one.case.codec.distribution) if name]
        sizes = closure(roots, reply["distributions"], environment)
        return {
            Quantity("installed", "bytes"): float(sum(sizes.values())),
            Quantity("distributions", ""): float(len(sizes)),
        }

    def gc(self, one: Weighed) -> Readings:
        """How many times as long an operation takes with the garbage collector on as with it off, in turns."""
        member, found = one.member, {}
        with self._worker(one) as process:
            self._prepare(process, one)
            process.ask("freeze", case=member.key)
            for operation in one.operations:
                asked = {"case": member.key, "operation": operation, "loops": member.cells[operation].loops}
                times = process.ask("weigh", weigher=str(WEIGHER), what="collector", turns=TURNS, **asked)
                logs = [math.log(max(on, 1) / max(off, 1)) for on, off in zip(times["on"], times["off"], strict=True)]
                found[Quantity(f"{operation}_gc_on_over_off", "×")] = math.exp(median(logs))
        return found

    def threads(self, one: Weighed) -> Readings:
        """How many times as much several threads get done as one, by the wall clock."""
        found: dict[Quantity, float | str] = {}
        with self._worker(one) as process:
            self._prepare(process, one)
            for operation in one.operations:
                loops = max(1, round(THREADS_NS / one.member.each_ns[operation]))
                asked = {"case": one.member.key, "operation": operation, "counts": THREADS, "loops": loops}
                reply = process.ask("weigh", weigher=str(WEIGHER), what="threads", **asked)
                times, locked = reply["times"], one.case.environment.free_threaded and reply["gil"]
                for count in THREADS[1:]:
                    more = LOCKED if locked else count * times["1"] / times[str(count)]
                    found[Quantity(f"{operation}_{count}_threads", "×")] = more
        return found

    def profile(self, operation: str) -> dict[str, Any]:
        """The profile of the block's first case, in a process of its own."""
        one = self._verified(self.workshop.block.cases[0])
        cell = one.member.cells.get(operation)
        if cell is None:
            reason = one.case.cannot.get(operation, f"there is no step of its own to {operation}")
            raise Fault("unsupported", reason, fatal=False)
        if not one.member.alive:
            raise Fault(cell.status, cell.reason or cell.status, fatal=False)
        with self._worker(one) as process:
            self._prepare(process, one)
            process.ask("freeze", case=one.member.key)
            loops = max(1, round(PROFILED_NS / one.member.each_ns[operation]))
            asked = {"case": one.member.key, "operation": operation, "loops": loops}
            return process.ask("weigh", weigher=str(WEIGHER), what="profile", **asked)

    def _file(self, case: Case, which: str) -> Path:
        return self.workshop.scratch / f"{case.module_name}.{which}"

    def _process(self, one: Weighed, program: Path) -> Process:
        plan, scratch = self.plan, self.workshop.scratch
        limits = (plan.time_limit_s, plan.memory_limit_bytes)
        return Process(one.case.environment.python, self.workshop.watchdog, scratch, *limits, program)

    def _worker(self, one: Weighed) -> Process:
        return self.workshop.open(one.case.environment)

    def _prepare(self, process: Process, one: Weighed) -> None:
        case, workshop = one.case, self.workshop
        writer = str(workshop.writer(case)) if case.writer else None
        asked = {"module": case.module_name, "path": str(workshop.path(case)), "data": "values", "writer": writer}
        process.ask("prepare", case=one.member.key, **asked)


class Pass(NamedTuple):
    """How a metric is read: by which method, from several processes or one, which of them are not counted, all at once."""

    read: Callable[[Scales, Weighed], Readings]
    repeated: bool = True
    unread: int = 0
    side_by_side: bool = False


PASSES = {
    "memory": Pass(Scales.memory, side_by_side=True),
    "start": Pass(Scales.start, unread=1),  # the first process may have to compile what it imports
    "installed": Pass(Scales.installed, repeated=False, side_by_side=True),
    "gc": Pass(Scales.gc),
    "threads": Pass(Scales.threads),
}


def _weight(
    cell: Cell,
    metric: str,
    quantity: Quantity,
    readings: tuple[float, ...],
    status: Status = "ok",
    reason: str | None = None,
) -> Weight:
    return Weight(
        point=cell.point,
        library=cell.library,
        variant=cell.variant,
        codec=cell.codec,
        format=cell.format,
        environment=cell.environment,
        version=cell.version,
        python=cell.python,
        metric=metric,
        quantity=quantity.name,
        unit=quantity.unit,
        readings=readings,
        status=status,
        reason=reason,
    )
