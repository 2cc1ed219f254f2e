"""Measures a plan into the store: a new run or a resumed one, in this process or elsewhere."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from serbench.errors import PlanError, StoreError, if_interrupted
from serbench.judge.waves import SampleTable
from serbench.machine.files import stamp
from serbench.machine.platform import machine, stolen_seconds
from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Progress
from serbench.measure.options import joined
from serbench.measure.plan import SAMPLE_BYTES, Block, Plan, blocks, fixed, maker, own_files
from serbench.model.data.dataset import Dataset
from serbench.render.environments import Environment, main_environment
from serbench.render.user_class.conversion import began
from serbench.results import Cell
from serbench.store.archive import digest_of, files_key
from serbench.store.folder import RunInfo
from serbench.store.opening import store_option
from serbench.store.presence import Announcer, acquire, is_locked, measured_beside
from serbench.store.recorder import Recorder, RunListener
from serbench.store.run import NOT_KEPT, Run
from serbench.store.scale_out import Elsewhere, MeasuredBlock, largest_first, merged, scattered, single_blocks, task
from serbench.store.store import Store

CELLS_OF_BLOCK = 100_000  # ids of a block's cells: blocks come in any order and are shown in the plan's
PATIENCE_S = 60.0  # for the lock of another process, once a run has begun


def measure(
    plan: Plan,
    *,
    store: str | Path | None,
    resume: bool | Literal["newest"],
    command: str,
    listener: RunListener,
    cancel: threading.Event | None,
    where: Elsewhere | None,
) -> Run:
    """Measure a plan into the store; see `serbench.run` for the arguments.

    `where` measures the blocks; None measures them in this process.
    """
    start = began(plan.budget_s)
    first, rest = _started(plan, where, listener)  # what cannot be measured is refused before anything is written
    with Store(store) as opened:
        finished = Finished()
        if resume:
            earlier = unfinished_run(opened, None if resume == "newest" else plan)
            name = earlier.id
            if Plan.from_data(earlier.plan) != plan:
                plan = Plan.from_data(earlier.plan)
                first, rest = _started(plan, where, listener)
            _check_unchanged(earlier, versions_of(first))
            _check_files(earlier, opened.fact(files_key(name), dict[str, str]) or {}, _digests(plan))
            _acquire(opened, name)
            stored = opened.load(name)
            finished = Finished(stored.cells, SampleTable(stored.samples))
            opened.reopen(name)
            info = replace(stored.info, status="running", finished=None)
        else:
            name = opened.begin(command=command, plan=plan.as_data(), machine=machine(), versions=versions_of(first))
            _acquire(opened, name)
            if digests := _digests(plan):
                opened.put_facts({files_key(name): digests})
            info = opened.load(name).info
        opened.wait(PATIENCE_S)
        beside = measured_beside(opened.path)
        cancel = cancel or threading.Event()
        with (
            if_interrupted(lambda: f"run {name} is kept, and --resume{store_option(opened.path)} goes on with it"),
            Announcer(listener, opened.path, name, cancel) as announcer,
        ):
            active = ActiveRun(plan, opened, info, finished, announcer, cancel, start, first.dataset, beside)
            local = partial(active.measure_locally, chain([first], rest))
            return active.finish(local if where is None else partial(active.measure_remotely, where))


@dataclass
class ActiveRun:
    """A run that is under way: what it has already, who hears of it, what may end it, and when it began to read its data."""

    plan: Plan
    store: Store
    info: RunInfo
    finished: Finished
    listener: RunListener
    cancel: threading.Event | None
    began: float  # on the monotonic clock, in s
    dataset: Dataset | None = None  # of the first block
    beside: bool = False  # another run of the store goes on
    known: dict[int, Cell] = field(default_factory=dict)  # all cells that were measured now, by their ids

    def finish(self, work: Callable[[], bool]) -> Run:
        """Do the work, which returns True if it is complete, False if the budget ended it, and store how the run ended.

        If the store cannot be written any more, the run has what was measured until then, and a warning that says so.

        Raises:
            StoreError: as above, before anything was measured.
        """
        steal = stolen_seconds()
        complete = None
        try:
            try:
                complete = work()
            except KeyboardInterrupt:
                pass  # what is measured is kept and shown
            finally:
                self.store.finish(
                    self.info.id,
                    status="finished" if complete else "interrupted",
                    warnings=self._conditions(steal),
                    seconds=time.monotonic() - self.began + (self.info.seconds or 0),
                    by_budget=complete is False,
                )
            return Run.from_store(self.store.load(self.info.id), self.store.path, ours=True)
        except StoreError as error:
            if not len(self.finished.samples):
                raise
            info = replace(
                self.info,
                status="interrupted",
                by_budget=False,
                warnings=[*self._conditions(steal), f"{NOT_KEPT}: {error}"],
            )
            return replace(self._so_far(), info=info)

    def _conditions(self, steal: float) -> list[str]:
        """Say what of the data was measured, and what has disturbed this part of the run or an earlier one, each once."""
        seconds, stolen = time.monotonic() - self.began, stolen_seconds() - steal
        share = stolen / (seconds * (os.cpu_count() or 1)) if seconds else 0.0  # a clock may stand
        warnings = [f"the hypervisor took {share:.1%} of the CPU time away (steal)"] if share > 0.01 else []
        if self.beside or measured_beside(self.store.path):
            warnings.append("another run of this store was measured at the same time, which disturbs the times of both")
        now = [*fixed(self.plan), *warnings, *self._unread(), *self._doubted()]
        return list(dict.fromkeys([*self.info.warnings, *now]))

    def _unread(self) -> list[str]:
        """Say what of a large payload was read and measured."""
        unread = [self.dataset.unread] if self.dataset and self.dataset.unread else []
        if not self.dataset or not self.dataset.sampled:
            return unread
        cells = [*self.finished.cells, *self.known.values()]
        records = max((cell.point.records for cell in cells), default=1)
        size = f"{records:,} records" if records > 1 else f"about {SAMPLE_BYTES >> 10} kB"
        sampled = f"documents of {size} were sampled from the payload, which is large"
        whole = "what is read in one document" if unread else "it whole"
        return [*unread, f"{sampled}; --effort normal measures {whole}, --records N in documents of another size"]

    def _doubted(self) -> list[str]:
        """Say how much of the payload's schema was decided on little evidence."""
        unsure = sum(doubt.evidence is not None for doubt in self.dataset.doubts) if self.dataset else 0
        what = "1 decision" if unsure == 1 else f"{unsure} decisions"
        return [f"{what} about the payload on little evidence: `serbench show FILE` shows them"] if unsure else []

    def _so_far(self) -> Run:
        """What all parts of the run have measured."""
        cells = {cell.id: cell for cell in self.finished.cells} | self.known
        return Run(self.info, [cells[number] for number in sorted(cells)], self.finished.samples.array())

    def measure_locally(self, prepared: Iterable[Block]) -> bool:
        """Measure the blocks in this process."""
        recorder = Recorder(self.store, self.info.id, self.listener, self._so_far)
        self.known = recorder.known
        return conduct(self.plan, prepared, recorder, self.finished, cancel=self.cancel, began=self.began)

    def measure_remotely(self, where: Elsewhere) -> bool:
        """Have the missing blocks measured elsewhere, and store each as it comes."""
        if any(cell.machine is None for cell in self.finished.cells):
            raise PlanError(f"run {self.info.id} was started without --jobs and --scheduler; omit them to resume it")
        key = f"block of {self.info.id} "
        done = self.store.facts(key)
        tasks = {i: task(one) for i, one in largest_first(single_blocks(self.plan)) if f"{key}{i}" not in done}
        hears_again = 0.0

        def keep(number: int, part: MeasuredBlock) -> None:
            cells, samples = merged(part, number * CELLS_OF_BLOCK)
            self.store.put_part(
                self.info.id,
                f"{key}{number}",
                cells=cells,
                samples=samples,
                sources=part.sources,
                host=part.host,
                machine=part.machine,
            )
            self.known |= {cell.id: cell for cell in cells}
            self.finished.samples.add(samples)
            self.info = replace(self.info, machines={**self.info.machines, part.host: part.machine})
            self.listener.cells(cells)
            self.listener.samples(samples)
            nonlocal hears_again
            if (began := time.monotonic()) >= hears_again:
                self.listener.visit(self._so_far)
                self.listener.wave(self._so_far)
                hears_again = began + 10 * (time.monotonic() - began)  # each call may look at the whole run

        deadline = None if self.plan.budget_s is None else self.began + self.plan.budget_s
        try:
            return scattered(tasks, where, keep, deadline=deadline, cancel=self.cancel, listener=self.listener)
        finally:
            where.close()


def _started(plan: Plan, where: Elsewhere | None, listener: RunListener) -> tuple[Block, Iterator[Block]]:
    """The plan's first block and the others; other machines are refused a class of the user's own."""
    if plan.model is not None and where is not None and not where.renewable:
        raise PlanError("your own class can only be measured on this machine; use --jobs, or omit --scheduler")
    if plan.payload is not None:
        listener.progress(Progress(f"reading {Path(plan.payload).name}", 0, 0, 0))
    prepared = blocks(plan, maker(listener))
    return next(prepared), prepared


def unfinished_run(store: Store, plan: Plan | None) -> RunInfo:
    """Return the newest unfinished run that no other process measures."""
    unfinished = [run for run in store.unfinished() if plan is None or Plan.from_data(run.plan) == plan]
    free = [run for run in unfinished if not is_locked(store, run.id)]
    if unfinished and not free:
        raise PlanError(f"run {unfinished[0].id} is being measured by another process; wait for it to end")
    if not free:
        what = "no unfinished run" if plan is None else "no unfinished run of this plan"
        raise PlanError(f"there is {what} in {store.path} to resume; omit --resume to start one")
    return free[0]


def _acquire(store: Store, run: str) -> None:
    if not acquire(store, run):
        raise PlanError(f"another process has just resumed run {run}; wait for it to end")


def _check_unchanged(earlier: RunInfo, now: dict[str, str]) -> None:
    """Refuse to resume a run with other versions or on another machine."""
    changed = [f"{k} {v} → {now.get(k, 'none')}" for k, v in earlier.versions.items() if now.get(k) != v]
    here = machine()
    moved = [key for key in ("cpu", "system", "architecture") if earlier.machine.get(key) != here.get(key)]
    if changed or moved:
        what = ", ".join([*changed, *(f"another {key}" for key in moved)])
        raise PlanError(
            f"run {earlier.id} cannot be resumed, because versions or machine have changed ({what}); omit --resume"
        )


def _check_files(earlier: RunInfo, then: dict[str, str], now: dict[str, str]) -> None:
    """Refuse to resume a run of other data, classes or functions."""
    changed = [Path(path).name for path, digest in then.items() if now.get(path) != digest]
    if changed:
        have = "has" if len(changed) == 1 else "have"
        raise PlanError(
            f"run {earlier.id} cannot be resumed, because {joined(changed)} {have} changed since it began; omit --resume"
        )


def _digests(plan: Plan) -> dict[str, str]:
    """Path → sha256 of each file of the user's."""
    return {str(path): digest_of(str(path), stamp(path)) for path in own_files(plan)}


def versions_of(block: Block) -> dict[str, str]:
    """The versions of everything that a block's cases run on; those of an environment begin with its name."""
    needed: dict[Environment, set[str]] = {}
    for case in block.cases:
        codec = case.codec.distribution
        needed.setdefault(case.environment, set()).update((*case.library.distributions, *([codec] if codec else [])))
    versions: dict[str, str] = {}
    for environment in sorted(needed, key=lambda one: (one.name != "main", one.name)):
        prefix = "" if environment.name == "main" else f"{environment.name}: "
        if environment.reason is None:
            known = environment.versions(needed[environment])
            versions.update({f"{prefix}{name}": version for name, version in known.items()})
    return {**versions, "ruff": main_environment().installed("ruff") or ""}  # it lays out what is measured
