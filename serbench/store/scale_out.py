"""Measures the blocks of a plan in other processes and on other machines, and merges the results into one run.

A block (one workload at one size and depth, with all its cases) is measured whole by one conductor on one
core, so that no ratio ever crosses machines. Any `concurrent.futures.Executor` will do that runs functions of
this module on a machine that has serbench.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from serbench.errors import PlanError, SchemaError, WorkloadError, installed_by
from serbench.machine.caretaker import scratch_folder
from serbench.machine.platform import machine
from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Listener, Progress
from serbench.measure.plan import Plan, blocks, depths, maker, named_workloads
from serbench.model.json_schema.files import read_schema
from serbench.model.json_schema.write import to_json_schema
from serbench.results import Cell, Sample
from serbench.store.opening import installed_version
from serbench.store.recorder import Recorder

T = TypeVar("T")
HEARTBEAT_S, SILENT_S, CLOSING_S = 2.0, 20.0, 2.0
JOBS = 1024  # more processes at once than any machine is quiet with
TRIES = 3  # a block that is lost so often is to blame itself, not the machine
REFUSALS = (PlanError, WorkloadError, SchemaError)


@dataclass(frozen=True)
class Task:
    """A plan of one block, with the contents of the files that it names, for a machine that may not have them."""

    plan: Mapping[str, Any]
    files: Mapping[str, bytes]
    serbench: str


@dataclass(frozen=True)
class MeasuredBlock:
    """A block as a machine has measured it; `host` is the same for all that this machine measures."""

    cells: list[Cell]
    samples: list[Sample]
    sources: dict[str, str]
    host: str
    machine: Mapping[str, Any]


def single_blocks(plan: Plan) -> list[Plan]:
    """A plan for each block, in the order of `engine.plan.datasets`."""
    parts = product(_each(named_workloads(plan)), _each(plan.records), _each(depths(plan)), _each(plan.conditions))
    return [
        replace(plan, workloads=w, records=records, depth=depth, conditions=conditions, budget_s=None)
        for w, records, depth, conditions in parts
    ]


def largest_first(plans: Sequence[Plan]) -> list[tuple[int, Plan]]:
    """Number the plans and sort them, longest first: all would wait for a long one that began last."""
    records = {number: max(plan.records, default=1) * max(plan.depth, default=1) for number, plan in enumerate(plans)}
    return sorted(enumerate(plans), key=lambda one: -records[one[0]])


def _each(values: Sequence[T]) -> list[tuple[T, ...]]:
    return [(value,) for value in values] or [()]


def task(plan: Plan) -> Task:
    """Pack a plan of one block with the files that it needs on another machine.

    A JSON Schema is written anew, because it may be a part of a file, or refer to others.

    Raises:
        PlanError: a file that the plan names cannot be read.
    """
    files = {}
    try:
        if plan.payload is not None:
            files["payload"] = Path(plan.payload).read_bytes()
        if plan.schema is not None:
            files["schema"] = json.dumps(to_json_schema(read_schema(plan.schema))).encode()
    except OSError as error:
        raise PlanError(f"{plan.payload} cannot be read: {error.strerror}") from None
    return Task(plan.as_data(), files, installed_version())


def measure_block(task: Task) -> MeasuredBlock:
    """Measure a block on a core of its own; the executor runs this on a worker.

    Raises:
        PlanError: another version of serbench is installed here.
    """
    if task.serbench != installed_version():
        raise PlanError(
            f"{platform.node()} has serbench {installed_version()}, but the run needs {task.serbench}; install the same version"
        )
    from serbench.machine.cores import exclusive_core  # imports multiprocessing

    recorder, finished = Recorder(), Finished()
    with exclusive_core(), _with_files(task) as plan:
        conduct(plan, blocks(plan, maker(recorder)), recorder, finished)
    return MeasuredBlock(
        list(recorder.known.values()),
        [Sample(*row) for row in finished.samples.rows().tolist()],
        recorder.sources,
        _host(),
        machine(),
    )


def _host() -> str:
    """A name of this machine, the same in all its processes."""
    address = uuid.getnode()
    made_up = address >> 40 & 1  # without a network device: each process draws another
    return hashlib.sha256(f"{platform.node()} {'' if made_up else address}".encode()).hexdigest()[:8]


@contextmanager
def _with_files(task: Task) -> Iterator[Plan]:
    """Unpack a task; the plan names its files by their paths on this machine."""
    plan = Plan.from_data(dict(task.plan))
    with scratch_folder() as folder:
        for name, content in task.files.items():
            path = Path(folder, name, Path(getattr(plan, name)).name)
            path.parent.mkdir()  # two files may have one name
            path.write_bytes(content)
            plan = replace(plan, payload=str(path)) if name == "payload" else replace(plan, schema=str(path))
        yield plan


def merged(part: MeasuredBlock, first_id: int) -> tuple[list[Cell], list[Sample]]:
    """Return a part's cells and samples with ids from `first_id` on; the cells name their machine."""
    ids = {cell.id: first_id + number for number, cell in enumerate(part.cells)}
    cells = [replace(cell, id=ids[cell.id], machine=part.host) for cell in part.cells]
    return cells, [sample._replace(cell=ids[sample.cell]) for sample in part.samples]


def scattered(
    tasks: Mapping[int, Task],
    where: Elsewhere,
    on_part: Callable[[int, MeasuredBlock], None],
    *,
    deadline: float | None = None,
    cancel: Event | None = None,
    listener: Listener,
) -> bool:
    """Have every task done, hand over each part as it comes, and start lost tasks again.

    Args:
        tasks: by number.
        where: opens the executor, and another one if a renewable one has broken.
        on_part: gets a task's number and its part.
        deadline: of `time.monotonic`; tasks that are not done by then are given up.
        cancel: gives up at once if it is set.
        listener: hears how many are done.

    Returns:
        True if all are done; False if the deadline has passed.

    Raises:
        KeyboardInterrupt: the run is cancelled.
        PlanError, WorkloadError, SchemaError: a block was lost `TRIES` times, or cannot be measured there; or whoever
            hands out the blocks is gone.
    """
    tries: Counter[int] = Counter()
    executor = where.open()
    waiting = {executor.submit(measure_block, one): number for number, one in tasks.items()}
    done = 0
    try:
        while waiting:
            listener.progress(Progress(where.look() or "measuring blocks", 0, done, len(tasks)))
            begun = {number for future, number in waiting.items() if future.running()}
            finished, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
            lost: list[tuple[int, BaseException | None]] = []
            for future in finished:
                number = waiting.pop(future)
                try:
                    part = future.result()
                except REFUSALS:
                    raise
                except Exception as error:  # whatever an executor raises for a worker that it lost
                    lost.append((number, error))
                else:
                    on_part(number, part)
                    done += 1
            if (waiting or lost) and cancel is not None and cancel.is_set():
                raise KeyboardInterrupt
            if deadline is not None and time.monotonic() > deadline:
                return not waiting and not lost
            for number, loss in lost:
                if where.renewable and isinstance(loss, BrokenExecutor) and begun and number not in begun:
                    continue  # it was only queued when another block broke the executor
                tries[number] += 1
                if tries[number] >= TRIES or (isinstance(loss, BrokenExecutor) and not where.renewable):
                    often = f"{tries[number]} times" if tries[number] > 1 else "once"
                    raise PlanError(
                        f"block {number + 1} was lost {often} ({loss or type(loss).__name__}); "
                        "finished blocks are kept, and --resume continues"
                    )
            if any(isinstance(loss, BrokenExecutor) for _, loss in lost):
                lost += [(number, None) for number in waiting.values()]
                executor, waiting = where.open(), {}
            waiting |= {executor.submit(measure_block, tasks[number]): number for number, _ in lost}
    finally:
        for future in (
            () if where.renewable else waiting
        ):  # a pool whose processes are ended chokes on what was cancelled
            future.cancel()
    return True


@dataclass(frozen=True)
class Elsewhere:
    """Other processes or machines that measure blocks: how to open an executor, and to close it in the end.

    `look` says what it waits for, empty if nothing, and raises a PlanError if nobody is there to hand out blocks. If
    `renewable` is True, a broken executor is replaced by a new one.
    """

    open: Callable[[], Executor]
    close: Callable[[], None] = lambda: None
    renewable: bool = False
    look: Callable[[], str] = lambda: ""


def elsewhere(executor: Executor | None, scheduler: str | None, jobs: int) -> Elsewhere | None:
    """Return the place that was asked for; None for this process.

    Raises:
        PlanError: `jobs` is below 1 or too many, or no scheduler answers.
    """
    if jobs < 1:
        raise PlanError(f"jobs must be at least 1, not {jobs}")
    if jobs > JOBS:
        raise PlanError(f"jobs can be at most {JOBS}, not {jobs}")
    if executor is not None:
        return Elsewhere(lambda: executor)
    if scheduler is not None:
        return _dask(scheduler)
    if jobs == 1:
        return None
    from serbench.machine.cores import conductors, end_conductors

    return Elsewhere(lambda: conductors(jobs), end_conductors, renewable=True)


def _dask(scheduler: str) -> Elsewhere:
    try:
        from distributed import Client
    except ImportError:
        raise PlanError(f"a scheduler needs Dask: {installed_by('cluster')}") from None
    try:
        client: Any = Client(scheduler, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise PlanError(
            f"no Dask scheduler answers at {scheduler} ({error}); name one such as tcp://host:8786"
        ) from None
    for name in ("distributed", "concurrent.futures"):  # that a scheduler is gone is said in one line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    heart = _Heartbeats(client, scheduler)
    return Elsewhere(lambda: client.get_executor(pure=False), partial(client.close, CLOSING_S), look=heart.look)


class _Heartbeats:
    """Asks a scheduler every few seconds if it is there, and how many workers it has."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._answered = time.monotonic()
        self._asked: Future[Any] | None = None
        self._workers = 1

    def look(self) -> str:
        """Say what it waits for.

        Raises:
            PlanError: it has not answered for `SILENT_S` seconds.
        """
        import asyncio

        now = time.monotonic()
        if self._asked is None:
            self._asked = asyncio.run_coroutine_threadsafe(self._ask(), self._client.loop.asyncio_loop)
        elif self._asked.done():
            if self._asked.exception() is None:
                self._answered, self._workers = now, len(self._asked.result()["workers"])
            self._asked = None
        if now - self._answered > SILENT_S:
            lost = f"the scheduler at {self._address} has not answered for {SILENT_S:.0f} s"
            raise PlanError(f"{lost}; finished blocks are kept, and --resume continues")
        return "" if self._workers else f"waiting for a worker of {self._address}"

    async def _ask(self) -> Any:
        import asyncio

        await asyncio.sleep(HEARTBEAT_S)
        return await self._client.scheduler.identity()
