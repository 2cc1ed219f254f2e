"""Conducts a run block by block: verify, calibrate, then waves of fresh processes until it is known."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from serbench.cases import Case
from serbench.engine.lane import Limits
from serbench.engine.listener import Finished, Listener, Progress
from serbench.engine.own_probe import own_probe
from serbench.engine.plan import DEEPEST, Block, Plan
from serbench.engine.probing import not_kept
from serbench.engine.process import Fault, Watchdog, end_left
from serbench.engine.results import Cell
from serbench.engine.seats import Member, Seat, Workshop, begun_again, cell_of, fit_to_refer
from serbench.engine.verifying import verify
from serbench.engine.waves import Waves, in_parallel, pinned, untimed_calls
from serbench.engine.work_class import strictness, work_class
from serbench.environments.fingerprint import is_running
from serbench.formats import formats
from serbench.own_model import is_own

SCRATCH = "serbench-"
RECURSION = 20 * DEEPEST  # comparing values takes a few frames per level
CANDIDATES, TURNS = 6, 5  # for the place of the reference


class BlockRun:
    """The measuring of one block."""

    def __init__(
        self,
        plan: Plan,
        block: Block,
        listener: Listener,
        workshop: Workshop,
        fresh_ids: Iterator[int],
        finished: Finished,
    ) -> None:
        self.plan, self.block, self.listener, self.workshop = plan, block, listener, workshop
        self.fresh_ids = fresh_ids
        self.stored = {_identity(cell): cell for cell in finished.cells if cell.point == block.point}
        self.finished = finished
        self.cells: list[Cell] = []

    def conduct(self, core: int | None, deadline: float | None, *, timed: bool) -> bool:
        """From the first process to the last wave; False where the deadline came first."""
        seats = [Seat(self.workshop, lane) for lane in self._lanes()]
        self.listener.cells(self.cells)
        try:
            self._verify(seats)
            if not timed:
                for cell in (c for seat in seats for m in seat.members if m.alive for c in m.cells.values()):
                    cell.status = "ok"
                return True
            references = self._references(seats, core)
            seats += self._controls(seats)
            self.listener.cells(self.cells)
            waves = Waves(self.plan, self.listener, self.workshop, seats, references, core)
            waves.recall(self.finished.samples)
            for seat in seats:
                seat.leave()  # the first wave's processes are as fresh as the others'
            return waves.run(deadline)
        finally:
            self.workshop.close_all()
            self.listener.cells(self.cells)

    def _cell(self, case: Case, operation: str, *, control: bool = False) -> Cell:
        cell = cell_of(-1, self.block.point, case, operation, control=control)
        known = self.stored.get(_identity(cell))
        cell.id = next(self.fresh_ids) if known is None else known.id
        if known is not None:
            cell.loops, cell.reference, cell.machine = known.loops, known.reference, known.machine
            if known.status != "ok":
                cell.status, cell.reason = known.status, known.reason
        self.cells.append(cell)
        return cell

    def _lanes(self) -> list[list[Member]]:
        """The cases of each library in each environment, with a cell for each operation, or its reason."""
        lanes: dict[tuple[str, str], list[Member]] = {}
        for case in self.block.cases:
            cells = {operation: self._cell(case, operation) for operation in self.plan.operations}
            for operation in set(cells) - set(case.operations or cells):
                cell = cells.pop(operation)
                reason = case.cannot.get(operation, f"there is no step of its own to {operation}")
                cell.status, cell.reason = "unsupported", reason
            member = Member(case, cells)
            absent = case.absent
            if absent is not None:
                member.fail(Fault("unavailable", absent, fatal=False))
            elif case.reason is not None:
                member.fail(Fault("unsupported", case.reason, fatal=False))
            elif cells:
                self.listener.source(case)
                lanes.setdefault((case.library.name, case.environment.name), []).append(member)
        return list(lanes.values())

    def _verify(self, seats: list[Seat]) -> None:
        """Prove every case, a few libraries at a time."""
        total, done = sum(len(seat.members) for seat in seats), 0

        def verify_seat(seat: Seat) -> None:
            nonlocal done
            for member in seat.members:
                if member.alive:
                    begun_again(partial(self._verify_member, seat, member))
                done += 1
                self.listener.progress(Progress(f"verifying {member.case.library.name}", 0, done, total))

        in_parallel(verify_seat, seats, self.workshop)

    def _verify_member(self, seat: Seat, member: Member) -> None:
        loops = {operation: cell.loops for operation, cell in member.cells.items()}
        holder = verify(seat, member, self.plan.operations)
        if holder is None:
            return
        lost = self._not_kept(member.case) if self.plan.keeps_all else None
        if lost is not None:
            member.fail(Fault("unsupported", lost, fatal=False))
            seat.release(member)
            return
        typed = formats()[member.case.codec.format].typed
        checks = holder != "builtins" and "decode" in member.case.operations and not typed
        probed = self._strictness(seat, member.case, holder) if checks else holder
        if typed:
            probed = f"{holder}, typed"
        for operation, cell in member.cells.items():
            cell.work_class = work_class(operation, probed, member.lost)
            cell.loops = loops[operation] or cell.loops  # a resumed run keeps its batch sizes
        if self.workshop.heavy:
            seat.release(member)

    def _not_kept(self, case: Case) -> str | None:
        within = Limits(self.plan.time_limit_s, self.plan.memory_limit_bytes)
        return not_kept(case, self.block.dataset.schema, self.workshop.scratch, within)

    def _strictness(self, seat: Seat, case: Case, holder: str) -> str:
        try:
            if is_own(case.library):  # which is another class next time, under the same name
                probe = own_probe(self.block.dataset.schema, self.block.dataset.value)
                if probe is None:
                    return f"{holder}, unknown (there is no record to try)"
                return strictness(seat.process, case, self.workshop.scratch, probe)
            return self.listener.strictness(case, lambda: strictness(seat.process, case, self.workshop.scratch))
        except Fault as fault:
            if fault.fatal:
                seat.leave()
            seat.forgive(next(member for member in seat.members if member.case is case), fault)
            return f"{holder}, unknown ({fault.reason})"

    def _references(self, seats: list[Seat], core: int | None) -> dict[str, Member]:
        """For each operation the fastest case that is fit, or the one that the stored run has."""
        seat_of = {member: seat for seat in seats for member in seat.members if member.alive}
        chosen: dict[str, Member] = {}
        for operation in self.plan.operations:
            able = fit_to_refer([m for m in seat_of if operation in m.cells], operation)
            known = [m for m in seat_of if operation in m.cells and m.cells[operation].reference]
            nearest = sorted(able, key=lambda m: m.each_ns[operation])[:CANDIDATES]
            choose = partial(self._fastest, nearest, seat_of, operation, core)
            found = known[0] if known else begun_again(choose)
            if found is not None:
                found.cells[operation].reference = True
                chosen[operation] = found
        return chosen

    def _fastest(
        self, members: list[Member], seat_of: dict[Member, Seat], operation: str, core: int | None
    ) -> Member | None:
        """The fastest of a few, in turns on one core: they were calibrated while other processes worked."""
        times: dict[Member, list[float]] = {member: [] for member in members}
        with pinned(core):
            for member in members:
                seat_of[member].pin(core)
                seat_of[member].prepare([member])
            for turn in range(TURNS):
                for member in members:
                    loops, warmup = member.cells[operation].loops, untimed_calls(member, operation, turn)
                    arguments = {"operation": operation, "loops": loops, "warmup": warmup}
                    reply = seat_of[member].ask(member, "measure", **arguments) if member.alive else None
                    if reply is not None:
                        times[member].append(reply["times"][0] / loops)
        return min((m for m in members if m.alive), key=lambda m: median(times[m]), default=None)

    def _controls(self, seats: list[Seat]) -> list[Seat]:
        """Hidden duplicates of one or two libraries, in processes of their own."""
        doubled = {(cell.library, cell.environment) for cell in self.stored.values() if cell.control}
        able = [seat for seat in seats if any(member.alive for member in seat.members)]
        chosen = [seat for seat in able if _lane(seat) in doubled] or random.Random(self.plan.seed).sample(
            able, min(len(able), 2 if len(able) > 2 else 1)
        )
        return [Seat(self.workshop, [self._double(m) for m in seat.members if m.alive]) for seat in chosen]

    def _double(self, member: Member) -> Member:
        cells = {operation: self._cell(member.case, operation, control=True) for operation in member.cells}
        for operation, cell in cells.items():
            original = member.cells[operation]
            cell.loops, cell.work_class, cell.reference = original.loops, original.work_class, False
        double = Member(member.case, cells, control=True, each_ns=member.each_ns, wrong=member.wrong)
        member.double, double.double = double, member
        return double


def conduct(
    plan: Plan,
    blocks: Iterable[Block],
    listener: Listener,
    finished: Finished | None = None,
    *,
    timed: bool = True,
    cancel: threading.Event | None = None,
) -> bool:
    """Measure every block, telling the listener; without `timed`, verify it only.

    Another thread may set `cancel`: that ends the run within a fraction of a second, as Ctrl-C does.

    Returns:
        Whether it was measured to the end; False where the budget was used up before.

    Raises:
        KeyboardInterrupt: the user has had enough; what the listener was told stands.
    """
    deadline = None if plan.budget_s is None else time.monotonic() + plan.budget_s
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    sweep(Path(tempfile.gettempdir()))
    watchdog = Watchdog(cancel)
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    complete = True
    stored = () if finished is None else finished.cells
    fresh_ids = count(max((cell.id for cell in stored), default=-1) + 1)
    try:
        for block in blocks:
            with tempfile.TemporaryDirectory(prefix=f"{SCRATCH}{os.getpid()}-") as scratch:
                workshop = Workshop(plan, block, Path(scratch), watchdog)
                run = BlockRun(plan, block, listener, workshop, fresh_ids, finished or Finished())
                complete &= run.conduct(max(usable, default=None), deadline, timed=timed)
    finally:
        sys.setrecursionlimit(limit)
        watchdog.close()
    return complete


def sweep(folder: Path) -> None:
    """Remove what runs that were killed have left: scratch folders named after a process that is no more, and workers."""
    if sys.platform == "win32":
        return  # there is no harmless way to ask for a process
    for left in folder.glob(f"{SCRATCH}*-*"):
        pid = left.name.removeprefix(SCRATCH).partition("-")[0]
        if pid.isdigit() and not is_running(int(pid)):
            end_left(left)
            shutil.rmtree(left, ignore_errors=True)


def _identity(cell: Cell) -> tuple[object, ...]:
    """What makes a cell the same cell in a run that goes on."""
    return (cell.point, cell.case, cell.operation, cell.control)


def _lane(seat: Seat) -> tuple[str, str]:
    """Library and environment of a seat."""
    case = seat.members[0].case
    return case.library.name, case.environment.name
