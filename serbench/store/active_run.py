"""Measures a plan into the store: a new run or a resumed one, in this process or elsewhere.

The store tells other processes which run is active, its process and its progress; any of them can end it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self

from serbench.errors import PlanError, StoreError, if_interrupted
from serbench.judge.waves import SampleTable
from serbench.machine.files import stamp
from serbench.machine.platform import is_running, machine, process_space, started_at, stolen_seconds
from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Forwarder, Progress
from serbench.measure.options import joined
from serbench.measure.plan import SAMPLE_BYTES, Block, Plan, blocks, fixed, maker, own_files
from serbench.model.data.dataset import Dataset
from serbench.render.environments import Environment, main_environment
from serbench.render.user_class.conversion import began
from serbench.results import Cell
from serbench.store.archive import digest_of, files_key
from serbench.store.folder import RunInfo, RunStatus
from serbench.store.opening import default_path, store_option
from serbench.store.recorder import Recorder, RunListener
from serbench.store.run import NOT_KEPT, Run
from serbench.store.scale_out import Elsewhere, MeasuredBlock, largest_first, merged, scattered, single_blocks, task
from serbench.store.store import Store, if_readable

MOST_PID = 2**31 - 1
TOLD_S = 0.5
"""How often a run tells the store how far it is, and looks if it is to end."""
BEAT_S, SILENT_S = 10.0, 60.0
"""How often it tells the store at least that it goes on, and after what silence one of another container has ended."""
ALONE = "process that measures"


@dataclass(frozen=True)
class Active:
    """A run that goes on, as the store tells it: its process, which may be this one, and the last line of its progress."""

    run: str
    pid: int
    text: str = "starting"
    part: float = 0.0
    wave: int = 0
    is_mine: bool = False

    @property
    def who(self) -> str:
        """Who measures it."""
        return "another cell of this notebook" if self.is_mine else "another tab or program"


class Announcer(Forwarder, RunListener):
    """Tells other processes through the store how far a run is, and sets `cancel` when one of them asks for its end."""

    listener: RunListener

    def __init__(self, listener: RunListener, path: Path, run: str, cancel: threading.Event) -> None:
        super().__init__(listener)
        self._path, self._run, self._cancel = path, run, cancel
        self._progress = self._told = Progress("starting", 0, 0, 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True, name="serbench-announcer")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        self._progress = progress
        self.listener.progress(progress)

    def _tell(self) -> None:
        from serbench.store.progress import progress_line  # imports Rich

        with suppress(StoreError), Store(self._path, timeout=TOLD_S) as store:  # a store in trouble is the run's affair
            beat = time.monotonic()
            while not self._ended.wait(TOLD_S):
                if store.fact(_end_key(self._run)) == _this_process():
                    self._cancel.set()
                step = self._progress
                if step is not self._told or time.monotonic() - beat > BEAT_S:
                    line = {"text": progress_line(step), "part": step.part or 0.0, "wave": step.wave}
                    with suppress(StoreError):  # another process writes for long
                        store.put_facts({_lock_key(self._run): _lock() | line})
                        self._told, beat = step, time.monotonic()


def active(path: str | Path | None) -> Active | None:
    """Return the newest run of a store that a living process measures; None if there is none."""
    return next((_active(run, lock) for run, lock in _living(path).items() if run), None)


def measuring(path: str | Path | None) -> set[int]:
    """Return the processes of this machine that measure into a store, or are about to."""
    return {_pid(lock) for lock in _living(path).values() if _is_here(lock)}


def measured_beside(path: str | Path | None) -> bool:
    """Tell if another process measures into a store, or is about to."""
    return not all(_is_mine(lock) for lock in _living(path).values())


def ask_to_end(path: str | Path | None, run: str) -> None:
    """Ask the process that measures a run to end it, which it does within a second; what was measured is kept."""
    with Store(path) as store:
        lock = store.fact(_lock_key(run))
        if isinstance(lock, dict):
            store.put_facts({_end_key(run): {name: lock[name] for name in _this_process() if name in lock}})


@contextmanager
def alone(path: str | Path | None) -> Iterator[None]:
    """Measure while nothing else of this store is measured.

    Raises:
        PlanError: another run goes on.
    """
    with Store(path) as store:
        if other := active(store.path):
            raise PlanError(busy(other))
        if not store.take(ALONE, _lock(), lambda held: not _lives(held)):
            raise PlanError("another run has just been started: wait for its end")
    try:
        yield
    finally:
        with suppress(StoreError), Store(path or default_path()) as store:
            store.put_facts({ALONE: None})


def busy(other: Active) -> str:
    """Say why nothing else is measured now."""
    return f"one run at a time: {other.who} measures run {other.run}; wait for its end, or cancel it"


def is_locked(store: Store, run: str) -> bool:
    """Tell if another living process is measuring that run."""
    lock = store.fact(_lock_key(run))
    return lock is not None and not is_stale(lock)


def with_status(store: Store, run: RunInfo) -> RunInfo:
    """The run with its actual status: if its process was killed, it is interrupted, not running."""
    return replace(run, status=actual_status(store, run.id, run.status))


def actual_status(store: Store, run: str, status: RunStatus) -> RunStatus:
    """The status of a run that is stored with this one."""
    return status if status != "running" or _lives(store.fact(_lock_key(run))) else "interrupted"


def acquire(store: Store, run: str) -> bool:
    """Lock a run for this process; return False, and change nothing, if another process holds the lock."""
    if not store.take(_lock_key(run), _lock(), is_stale):
        return False
    store.put_facts({_end_key(run): None})  # what was asked of an earlier part of it
    return True


def is_stale(lock: Any) -> bool:
    """Tell if a lock's process is gone or is this one."""
    return _is_mine(lock) or not _lives(lock)


def _lock_key(run: str) -> str:
    return f"process of {run}"


def _end_key(run: str) -> str:
    return f"end of {run}"


def _this_process() -> dict[str, Any]:
    return {"pid": os.getpid(), "began": started_at(os.getpid()), "space": process_space()}


def _lock() -> dict[str, Any]:
    return _this_process() | {"seen": time.time()}


def _active(run: str, lock: dict[str, Any]) -> Active:
    """Read what a lock says, in which another program may have written anything."""
    text, part, wave = lock.get("text"), lock.get("part"), lock.get("wave")
    return Active(
        run,
        _pid(lock),
        text if isinstance(text, str) else Active.text,
        min(max(part, 0.0), 1.0) if isinstance(part, float) else 0.0,
        wave if isinstance(wave, int) else 0,
        _is_mine(lock),
    )


def _living(path: str | Path | None) -> dict[str, Any]:
    """Return the locks of all processes that measure into a store, by their runs; that of one that is about to under ""."""

    def read(store: Store) -> dict[str, Any]:
        return {"": store.fact(ALONE)} | {run: store.fact(_lock_key(run)) for run in store.running()}

    return {run: lock for run, lock in (if_readable(path, read) or {}).items() if _lives(lock)}


def _is_here(lock: Any) -> bool:
    """Tell if the number in a lock is that of a process of this machine and container; so it is if an older serbench wrote it."""
    return not isinstance(lock, dict) or lock.get("space") in (None, process_space())


def _is_mine(lock: Any) -> bool:
    return _pid(lock) == os.getpid() and _is_here(lock)


def _lives(lock: Any) -> bool:
    """Tell if there is a lock whose process is still there; one that reuses its PID began at another time.

    A process of another machine or container is there as long as it is heard of.
    """
    if not _is_here(lock):
        seen = lock.get("seen")
        return isinstance(seen, int | float) and abs(time.time() - seen) < SILENT_S
    pid, began = _pid(lock), lock.get("began") if isinstance(lock, dict) else None
    return 0 < pid <= MOST_PID and is_running(pid) and (began is None or began == started_at(pid))


def _pid(lock: Any) -> int:
    """Return the number of a lock's process; 0 if it names none."""
    pid = lock.get("pid") if isinstance(lock, dict) else lock
    return pid if isinstance(pid, int) else 0


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
