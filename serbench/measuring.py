"""Measures a plan into the store: a new run or one that goes on, in this process or elsewhere."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from serbench.engine.conduct import conduct
from serbench.engine.listener import Finished, Progress
from serbench.engine.plan import Block, Plan, blocks
from serbench.engine.results import Sample
from serbench.environment_verbs import maker
from serbench.environments import Environment
from serbench.environments.fingerprint import machine, steal_ticks
from serbench.names import PlanError
from serbench.recorder import Recorder, at_work, take
from serbench.result import Run
from serbench.scale_out import Elsewhere, Part, largest_first, merged, scattered, single_blocks, task
from serbench.store import RunInfo, RunStatus, Store

CELLS_OF_BLOCK = 100_000  # blocks are stored as they come, and shown in the plan's order, which is that of the ids
PATIENCE_S = 60.0  # for the lock of another process, once a run has begun


def measure(
    plan: Plan,
    *,
    store: str | Path | None = None,
    resume: bool = False,
    any_plan: bool = False,
    command: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_wave: Callable[[Run], None] | None = None,
    on_visit: Callable[[Run], None] | None = None,
    cancel: threading.Event | None = None,
    where: Elsewhere | None = None,
) -> Run:
    """`run` with a plan; with `any_plan`, `resume` takes the newest unfinished run whatever it measures.

    `where` is what the blocks are given to; this process measures them without.
    """
    prepared = blocks(plan, maker(on_progress))
    _check_portable(plan, where)
    first = next(prepared)  # whatever is wrong with the choice is said before anything is written
    with Store(store) as opened:
        finished = Finished()
        if resume:
            earlier = _unfinished(opened, None if any_plan else plan)
            name = earlier.id
            if Plan.from_data(earlier.plan) != plan:
                plan = Plan.from_data(earlier.plan)
                _check_portable(plan, where)
                prepared = blocks(plan, maker(on_progress))
                first = next(prepared)
            _check_unchanged(earlier, versions_of(first))
            _take(opened, name)
            stored = opened.load(name)
            finished = Finished(stored.cells, [Sample(*row) for row in stored.samples.tolist()])
            opened.reopen(name)
        else:
            name = opened.begin(
                command=command or shlex.join(["serbench", *sys.argv[1:]]),
                plan=plan.as_data(),
                machine=machine(),
                versions=versions_of(first),
            )
            _take(opened, name)
        opened.wait(PATIENCE_S)
        going = _Going(plan, opened, opened.load(name).info, finished, on_progress, on_wave, on_visit, cancel)
        return going.ended(
            partial(going.here, chain([first], prepared)) if where is None else partial(going.away, where)
        )


@dataclass
class _Going:
    """A run that is under way: what it has already, and who wants to hear of it and may end it."""

    plan: Plan
    store: Store
    info: RunInfo
    finished: Finished
    on_progress: Callable[[Progress], None] | None
    on_wave: Callable[[Run], None] | None
    on_visit: Callable[[Run], None] | None
    cancel: threading.Event | None

    def ended(self, work: Callable[[], bool]) -> Run:
        """Do the work, which says whether it is complete, and note how the run ended."""
        began, steal = time.monotonic(), steal_ticks()
        status: RunStatus = "interrupted"
        try:
            status = "finished" if work() else "interrupted"
        except KeyboardInterrupt:
            pass  # what is measured is kept and shown
        finally:
            seconds = time.monotonic() - began
            stolen = steal_ticks() - steal
            taken = stolen / (seconds * os.sysconf("SC_CLK_TCK") * (os.cpu_count() or 1)) if stolen else 0.0
            warnings = [f"the hypervisor took {taken:.1%} of the CPU time away (steal)"] if taken > 0.01 else []
            seconds += self.info.seconds or 0
            self.store.finish(self.info.id, status=status, warnings=warnings, seconds=seconds)
        return Run.from_store(self.store.load(self.info.id))

    def here(self, prepared: Iterable[Block]) -> bool:
        """Measure the blocks in this process."""

        def tell(listener: Callable[[Run], None] | None) -> None:
            if listener is not None:
                cells = list(recorder.known.values())
                listener(Run(self.info, cells, [*self.finished.samples, *recorder.taken]))

        recorder = Recorder(
            self.store, self.info.id, self.on_progress, lambda _: tell(self.on_wave), lambda: tell(self.on_visit)
        )
        return conduct(self.plan, prepared, recorder, self.finished, cancel=self.cancel)

    def away(self, where: Elsewhere) -> bool:
        """Have the blocks measured elsewhere, those that are not there yet, and keep each as it comes."""
        if any(cell.machine is None for cell in self.finished.cells):
            raise PlanError(f"run {self.info.id} was begun in one process; resume it without a scheduler or jobs")
        key = f"block of {self.info.id} "
        done = self.store.facts(key)
        tasks = {i: task(one) for i, one in largest_first(single_blocks(self.plan)) if f"{key}{i}" not in done}

        hears_again = 0.0
        listeners = [listener for listener in (self.on_visit, self.on_wave) if listener is not None]

        def keep(number: int, part: Part) -> None:
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
            nonlocal hears_again
            if listeners and (began := time.monotonic()) >= hears_again:
                so_far = Run.from_store(self.store.load(self.info.id))
                for listener in listeners:
                    listener(so_far)
                hears_again = began + 10 * (time.monotonic() - began)  # the whole run is read for it each time

        deadline = None if self.plan.budget_s is None else time.monotonic() + self.plan.budget_s
        try:
            return scattered(
                tasks,
                where.open,
                keep,
                renewable=where.renewable,
                deadline=deadline,
                cancel=self.cancel,
                on_progress=self.on_progress,
            )
        finally:
            where.close()


def _check_portable(plan: Plan, where: Elsewhere | None) -> None:
    """Check that other machines, if any are to measure, can have what the plan measures."""
    if plan.model is not None and where is not None and not where.renewable:
        raise PlanError("a class of your own is measured on its own machine; use --jobs, or leave --scheduler out")


def _unfinished(store: Store, plan: Plan | None) -> RunInfo:
    """The newest unfinished run that may go on here and now."""
    unfinished = store.unfinished(None if plan is None else plan.as_data())
    found = [run for run in unfinished if not at_work(store, run.id)]
    if unfinished and not found:
        raise PlanError(f"run {unfinished[0].id} is being measured by another process; wait for it to end")
    if not found:
        what = "no unfinished run" if plan is None else "no unfinished run of this plan"
        raise PlanError(f"there is {what} in {store.path} that could go on; leave --resume out to start one")
    return found[0]


def _take(store: Store, run: str) -> None:
    if not take(store, run):
        raise PlanError(f"run {run} has just been taken up by another process; wait for it to end")


def _check_unchanged(earlier: RunInfo, now: dict[str, str]) -> None:
    """Check that a run may go on with these versions on this machine."""
    changed = [f"{k} {v} → {now.get(k, 'none')}" for k, v in earlier.versions.items() if now.get(k) != v]
    here = machine()
    moved = [key for key in ("cpu", "system", "architecture") if earlier.machine.get(key) != here.get(key)]
    if changed or moved:
        what = ", ".join([*changed, *(f"another {key}" for key in moved)])
        raise PlanError(f"run {earlier.id} cannot go on, things have changed ({what}); leave --resume out")


def versions_of(block: Block) -> dict[str, str]:
    """The versions of everything that a block's cases run on; those of an environment begin with its name."""
    needed: dict[Environment, set[str]] = {}
    for case in block.cases:
        codec = case.codec.distribution
        needed.setdefault(case.environment, set()).update((*case.library.distributions, *([codec] if codec else [])))
    found: dict[str, str] = {}
    for environment in sorted(needed, key=lambda one: (one.name != "main", one.name)):
        prefix = "" if environment.name == "main" else f"{environment.name}: "
        if environment.reason is None:
            known = environment.versions(needed[environment])
            found.update({f"{prefix}{name}": version for name, version in known.items()})
    return found
