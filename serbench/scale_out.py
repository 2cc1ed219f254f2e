"""Takes the blocks of a plan to other processes and machines, and brings what they measured into one run.

A block (one workload at one size and depth, with all its cases) is measured whole by one conductor on one
core, so that no ratio ever crosses machines. Any `concurrent.futures.Executor` will do that runs functions of
this module where serbench is installed.
"""

from __future__ import annotations

import hashlib
import platform
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from serbench.engine.conduct import conduct
from serbench.engine.cores import conductors, end_conductors, own_core
from serbench.engine.listener import Progress
from serbench.engine.plan import Plan, blocks
from serbench.engine.results import Cell, Sample
from serbench.environment_verbs import maker
from serbench.environments.fingerprint import machine
from serbench.names import PlanError
from serbench.recorder import Recorder
from serbench.schema import SchemaError
from serbench.store import own_version
from serbench.workloads import WorkloadError, workload_names

T = TypeVar("T")
TRIES = 3  # how often a block is begun before its loss is not the machine's
REFUSALS = (PlanError, WorkloadError, SchemaError)


@dataclass(frozen=True)
class Task:
    """A plan of one block, with the contents of the files that it names, for a machine that may not have them."""

    plan: Mapping[str, Any]
    files: Mapping[str, bytes]
    serbench: str


@dataclass(frozen=True)
class Part:
    """A block as a machine has measured it; `host` is the same for all that this machine measures."""

    cells: list[Cell]
    samples: list[Sample]
    sources: dict[str, str]
    host: str
    machine: Mapping[str, Any]
    serbench: str


def single_blocks(plan: Plan) -> list[Plan]:
    """A plan for each block, in the order of `engine.plan.datasets`."""
    workloads = workload_names() if plan.workloads == ("all",) else plan.workloads
    return [
        replace(plan, workloads=workload, records=records, depth=depth, budget_s=None)
        for workload, records, depth in product(_each(workloads), _each(plan.records), _each(plan.depth))
    ]


def largest_first(plans: Sequence[Plan]) -> list[tuple[int, Plan]]:
    """Plans of one block with their numbers, those that take longest first: a long one begun last is waited for alone."""
    records = {number: max(plan.records, default=1) * max(plan.depth, default=1) for number, plan in enumerate(plans)}
    return sorted(enumerate(plans), key=lambda one: -records[one[0]])


def _each(values: Sequence[T]) -> list[tuple[T, ...]]:
    return [(value,) for value in values] or [()]


def task(plan: Plan) -> Task:
    """What another machine needs for a plan of one block.

    Raises:
        PlanError: a file that the plan names cannot be read.
    """
    files = {}
    for name in ("payload", "schema"):
        path = getattr(plan, name)
        if path is not None:
            try:
                files[name] = Path(path).read_bytes()
            except OSError as error:
                raise PlanError(f"{path} cannot be read: {error.strerror}") from None
    return Task(plan.as_data(), files, own_version())


def measure_block(task: Task) -> Part:
    """Measure a block here, on a core of its own: this runs where the executor says.

    Raises:
        PlanError: another version of serbench is installed here.
    """
    if task.serbench != own_version():
        raise PlanError(
            f"{platform.node()} has serbench {own_version()}, and the run is of {task.serbench}; install the same"
        )
    recorder = Recorder()
    with own_core(), _with_files(task) as plan:
        conduct(plan, blocks(plan, maker(None)), recorder)
    here = f"{platform.node()} {uuid.getnode()}"
    return Part(
        cells=list(recorder.known.values()),
        samples=recorder.taken,
        sources=recorder.sources,
        host=hashlib.sha256(here.encode()).hexdigest()[:8],
        machine=machine(),
        serbench=own_version(),
    )


@contextmanager
def _with_files(task: Task) -> Iterator[Plan]:
    """The plan, with its files as they are here."""
    plan = Plan.from_data(dict(task.plan))
    with tempfile.TemporaryDirectory(prefix="serbench-payload-") as folder:
        for name, content in task.files.items():
            path = Path(folder, name, Path(getattr(plan, name)).name)
            path.parent.mkdir()  # two files may have one name
            path.write_bytes(content)
            plan = replace(plan, payload=str(path)) if name == "payload" else replace(plan, schema=str(path))
        yield plan


def merged(part: Part, first_id: int) -> tuple[list[Cell], list[Sample]]:
    """A part's cells and samples with ids from `first_id` on, and the name of its machine."""
    ids = {cell.id: first_id + place for place, cell in enumerate(part.cells)}
    cells = [replace(cell, id=ids[cell.id], machine=part.host) for cell in part.cells]
    return cells, [sample._replace(cell=ids[sample.cell]) for sample in part.samples]


def scattered(
    tasks: Mapping[int, Task],
    open_executor: Callable[[], Executor],
    on_part: Callable[[int, Part], None],
    *,
    renewable: bool,
    deadline: float | None = None,
    cancel: Event | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> bool:
    """Have every task done, and hand over each part as it comes; one that is lost is begun again.

    Args:
        tasks: by number.
        open_executor: gives what runs them; again where a `renewable` one has broken.
        on_part: gets the number of a task and what came of it.
        renewable: whether the executor is of our own making.
        deadline: of `time.monotonic`; what is not there then is given up.
        cancel: gives up at once.
        on_progress: hears how many are done.

    Returns:
        Whether all are done.

    Raises:
        PlanError: a block was lost `TRIES` times, or a machine refuses it.
    """
    tries: Counter[int] = Counter()
    executor = open_executor()
    waiting = {executor.submit(measure_block, one): number for number, one in tasks.items()}
    done = 0
    try:
        while waiting:
            if on_progress is not None:
                on_progress(Progress("measuring blocks", 0, done, len(tasks)))
            finished, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
            lost: list[tuple[int, BaseException | None]] = []
            for future in finished:
                number = waiting.pop(future)
                part = _part(future)
                if isinstance(part, Part):
                    on_part(number, part)
                    done += 1
                else:
                    lost.append((number, part))
            if (cancel is not None and cancel.is_set()) or (deadline is not None and time.monotonic() > deadline):
                return not waiting and not lost
            for number, error in lost:
                tries[number] += 1
                if tries[number] >= TRIES or (isinstance(error, BrokenExecutor) and not renewable):
                    often = f"{tries[number]} times" if tries[number] > 1 else "once"
                    raise PlanError(
                        f"block {number + 1} was lost {often} ({error or type(error).__name__}); "
                        "what others measured is kept, and --resume goes on"
                    )
            if any(isinstance(error, BrokenExecutor) for _, error in lost):
                lost += [(number, None) for number in waiting.values()]
                executor, waiting = open_executor(), {}
            waiting |= {executor.submit(measure_block, tasks[number]): number for number, _ in lost}
    finally:
        for future in waiting:
            future.cancel()
    return True


def _part(future: Future[Part]) -> Part | BaseException:
    """What came of a task; a refusal is everybody's.

    Raises:
        PlanError, WorkloadError, SchemaError: the choice itself cannot be measured there.
    """
    try:
        return future.result()
    except REFUSALS:
        raise
    except Exception as error:  # whatever an executor raises for a worker that it lost
        return error


@dataclass(frozen=True)
class Elsewhere:
    """Where blocks are measured: what opens an executor, whether another may be opened, and what ends it."""

    open: Callable[[], Executor]
    close: Callable[[], None] = lambda: None
    renewable: bool = False


def elsewhere(executor: Executor | None, scheduler: str | None, jobs: int) -> Elsewhere | None:
    """What was asked for; None for this process alone.

    Raises:
        PlanError: two ways at once, a number of jobs that cannot be, or no scheduler that answers.
    """
    if jobs < 1:
        raise PlanError(f"jobs must be at least 1, not {jobs}")
    if sum((executor is not None, scheduler is not None, jobs > 1)) > 1:
        raise PlanError("blocks go to one place: name an executor, a scheduler or a number of jobs")
    if executor is not None:
        return Elsewhere(lambda: executor)
    if scheduler is not None:
        return _dask(scheduler)
    return Elsewhere(lambda: conductors(jobs), end_conductors, renewable=True) if jobs > 1 else None


def _dask(scheduler: str) -> Elsewhere:
    try:
        from distributed import Client
    except ImportError:
        raise PlanError("a scheduler takes Dask: pip install 'serbench[cluster]'") from None
    try:
        client: Any = Client(scheduler, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise PlanError(
            f"no Dask scheduler answers at {scheduler} ({error}); name one such as tcp://host:8786"
        ) from None
    return Elsewhere(lambda: client.get_executor(pure=False), client.close)
