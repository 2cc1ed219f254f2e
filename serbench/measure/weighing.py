"""Weighs verified cases in passes of their own: memory, start-up, installed size, garbage collection, threads."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

from serbench.errors import PlanError
from serbench.measure.conduct import block_files
from serbench.measure.listener import Progress
from serbench.measure.plan import Block, Plan
from serbench.measure.sessions.session import FIDELITY, STARTER, WEIGHER, Fault, Watchdog, in_parallel
from serbench.measure.subjects import BlockFiles, TimedCase, cell_of, missing_step, retry_if_killed
from serbench.measure.verifying import verify_case
from serbench.measure.worker.weigher import LEAST_PEAK_BYTES
from serbench.render.case import Case
from serbench.render.environments.environment import Environment, normalised
from serbench.render.source.syntax import tree
from serbench.results import CaseId, Point, Weight

H = TypeVar("H", bound=Hashable)
THREADS = (1, 2, 4)
THREADS_NS = 100_000_000  # of work for each thread
TURNS = 8
PROFILED_NS = 300_000_000
LOCKED = "a compiled module that the case imports has turned the global lock on again"
UNCOUNTED_MEMORY = "this system does not tell the resident memory of a process page by page"
UNCOUNTED_BLOCKS = "this interpreter does not count its blocks of memory"
MEMORY = ("after_import", "after_first_use")
PER_CALL = "per call"
TOO_SMALL = "less than 2 MB, which cannot be told from what the process had free; take more --records"


class WeighedQuantity(NamedTuple):
    """A quantity that a pass finds: its name, and the unit of its readings."""

    quantity: str
    unit: str


NOTHING = WeighedQuantity("", "")
"""The quantity of a case that has none."""
Readings = Mapping[WeighedQuantity, float | Fault]
"""The numbers that one process gave, or the reason why there is none."""


def weights(
    plan: Plan, blocks: Iterable[Block], metrics: Sequence[str], processes: int, tell: Callable[[Progress], None]
) -> Iterator[Weight]:
    """Each metric of each case that is verified, from so many fresh processes; a case that is not has its reason.

    `tell` is a listener's `progress`.
    """
    with Watchdog() as watchdog:
        for block in blocks:
            with block_files(plan, block, watchdog) as files:
                yield from Weigher(files, processes, tell).weights(metrics)


def profiled(plan: Plan, block: Block, operation: str) -> dict[str, Any]:
    """Profile an operation of a block's one case, as `worker.weigher.profile` answers.

    Raises:
        PlanError: the case cannot be measured, fails, or does not have the operation.
    """
    try:
        with Watchdog() as watchdog, block_files(plan, block, watchdog) as files:
            return Weigher(files, 1, lambda _: None).profile(operation)
    except Fault as fault:
        raise PlanError(fault.reason) from None


def closure(
    roots: Iterable[str], distributions: Mapping[str, Mapping[str, Any]], environment: Environment
) -> dict[str, int]:
    """Normalised name → bytes of these distributions and all their requirements in that environment.

    `distributions` has for each installed one its `bytes`, and what it `requires` as its metadata says it;
    a requirement that is not installed there is one of another platform.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    known = {normalised(name): facts for name, facts in distributions.items()}
    todo = [(normalised(root), "") for root in roots]
    seen: set[tuple[str, str]] = set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen or name not in known:
            continue
        seen.add((name, extra))
        for line in known[name]["requires"]:
            try:
                needed = Requirement(line)
            except InvalidRequirement:  # of an old distribution, which pip did not understand either
                continue
            if environment.satisfies(str(needed.marker or ""), extra):
                todo += [(normalised(needed.name), one) for one in ("", *needed.extras)]
    return {name: int(known[name]["bytes"]) for name, _ in seen}


class Weigher:
    """Weighs one block's cases, each in fresh processes."""

    def __init__(self, files: BlockFiles, processes: int, tell: Callable[[Progress], None]) -> None:
        self.files, self.processes, self.tell = files, processes, tell
        self.small: set[TimedCase] = set()  # those that have a document of one item as well

    def weights(self, metrics: Sequence[str]) -> Iterator[Weight]:
        """Verify, then one metric after the other, its processes in turns over the cases."""
        able: list[TimedCase] = []
        cases = self.files.block.cases
        for done, case in enumerate(cases):
            self.tell(Progress(f"verifying {case.library.name}", 0, done, len(cases)))
            one = self._verified(case)
            if one.alive:
                able.append(one)
                continue
            cell = next(iter(one.cells.values()))
            fault = Fault(cell.status, cell.reason or cell.status, fatal=False)
            yield from (weight_of(cell.point, cell.case, metric, NOTHING, fault) for metric in metrics)
        for metric in metrics:
            yield from self._metric(metric, able)

    def _verified(self, case: Case) -> TimedCase:
        files = self.files
        asked = files.operations
        steps = tuple(operation for operation in asked if operation in case.operations)
        cells = {operation: cell_of(-1, files.block.point, case, operation) for operation in steps or asked[:1]}
        timed = files.timed(case, cells, files.session(case.environment))
        if timed.fail_beforehand():
            return timed

        def prove() -> None:
            if verify_case(files, timed, steps) is not None:
                documents = {which: str(self._file(case, which)) for which in ("whole", "small")}
                reply = timed.ask("call", script=str(WEIGHER), function="blobs", **documents)
                if reply and reply["small"]:
                    self.small.add(timed)

        retry_if_killed(prove)
        timed.session.end()
        return timed

    def _metric(self, metric: str, able: Sequence[TimedCase]) -> Iterator[Weight]:
        pass_ = PASSES[metric]
        read = partial(pass_.read, self)
        for one, quantity, readings in in_turns(
            metric, pass_, able, read, self.processes, self.files.watchdog, self.tell
        ):
            cell = next(iter(one.cells.values()))
            yield weight_of(cell.point, cell.case, metric, quantity, readings)

    def memory(self, one: TimedCase) -> Readings:
        """The high-water mark of one call, and the memory that each decoded document keeps."""
        readings: dict[WeighedQuantity, float | Fault] = {}
        module = self.files.modules[one.case.module_name]
        for operation in one.cells:
            with self.files.session(one.case.environment) as session:
                reply = session.call(
                    WEIGHER,
                    "memory",
                    operation=operation,
                    module=module["module"],
                    path=module["path"],
                    whole=str(self._file(one.case, "whole")),
                    small=str(self._file(one.case, "small")) if one in self.small else None,
                    data=session.add_data(*self.files.data),
                )
            peak, kept, lacking = reply["peak"], reply["retained"], reply["lacking"]
            small = lacking is None and peak < LEAST_PEAK_BYTES
            readings[WeighedQuantity(f"{operation}_peak", "bytes")] = _number(peak, TOO_SMALL if small else lacking)
            if operation == "decode":
                readings[WeighedQuantity("decode_retained", "bytes")] = _number(kept, lacking if kept is None else None)
        return readings

    def start(self, one: TimedCase) -> Readings:
        """CPU time of the imports, of building the models, and of the first calls."""
        case, files = one.case, self.files
        statements = [node for node in tree(case.source).body if isinstance(node, ast.Import | ast.ImportFrom)]
        with files.session(case.environment, program=STARTER) as session:
            reply = session.ask(
                "start",
                imports=max((node.end_lineno or 0 for node in statements), default=0),
                fidelity=str(FIDELITY),
                values=str(files.data.values),
                spec=files.data.spec,
                blob=str(self._file(case, "whole")),
                operations=list(one.cells),
                **files.modules[case.module_name],
            )
        return start_readings(reply)

    def installed(self, one: TimedCase) -> Readings:
        """The size of library and codec with everything that they require, and how many distributions that is."""
        with self.files.session(one.case.environment) as session:
            reply = session.call(WEIGHER, "files")
        roots = [name for name in (*one.case.library.distributions, one.case.codec.distribution) if name]
        sizes = closure(roots, reply["distributions"], one.case.environment)
        return {
            WeighedQuantity("installed", "bytes"): float(sum(sizes.values())),
            WeighedQuantity("distributions", ""): float(len(sizes)),
        }

    def gc(self, one: TimedCase) -> Readings:
        """The time of an operation with the garbage collector on over that with it off, in turns."""
        readings = {}
        with self._prepared(one) as call:
            for operation in one.cells:
                times = call("collector", operation, loops=one.cells[operation].loops, turns=TURNS)
                logs = [math.log(max(on, 1) / max(off, 1)) for on, off in zip(times["on"], times["off"], strict=True)]
                readings[WeighedQuantity(f"{operation}_gc_on_over_off", "×")] = math.exp(median(logs))
        return readings

    def threads(self, one: TimedCase) -> Readings:
        """The work that several threads get done over that of one, by the wall clock."""
        readings: dict[WeighedQuantity, float | Fault] = {}
        with self._prepared(one) as call:
            for operation in one.cells:
                reply = call("threads", operation, loops=self._loops(one, operation, THREADS_NS), counts=THREADS)
                times, locked = reply["times"], one.case.environment.free_threaded and reply["gil"]
                for count in THREADS[1:]:
                    more = count * times["1"] / times[str(count)]
                    readings[WeighedQuantity(f"{operation}_{count}_threads", "×")] = _number(
                        more, LOCKED if locked else None
                    )
        return readings

    def leak(self, one: TimedCase) -> Readings:
        """The blocks and bytes by which each call makes the process larger, if no answer is kept."""
        readings: dict[WeighedQuantity, float | Fault] = {}
        for operation in one.cells:
            with self._prepared(one) as call:
                readings |= leak_readings(operation, call("leak", operation))
        return readings

    def profile(self, operation: str) -> dict[str, Any]:
        """The profile of the block's first case, in a process of its own.

        Raises:
            Fault: the case fails, or does not have the operation.
        """
        one = self._verified(self.files.block.cases[0])
        cell = one.cells.get(operation)
        if cell is None:
            raise Fault("unsupported", missing_step(one.case, operation), fatal=False)
        if not one.alive:
            raise Fault(cell.status, cell.reason or cell.status, fatal=False)
        with self._prepared(one) as call:
            return call("profile", operation, loops=self._loops(one, operation, PROFILED_NS))

    def _file(self, case: Case, which: str) -> Path:
        return self.files.scratch / f"{case.module_name}.{which}"

    def _loops(self, one: TimedCase, operation: str, work_ns: int) -> int:
        return max(1, round(work_ns / one.each_ns[operation]))

    @contextmanager
    def _prepared(self, one: TimedCase) -> Iterator[Callable[..., dict[str, Any]]]:
        """A fresh process with the case, as a function that calls one of the weigher's for one of its operations."""
        with self.files.session(one.case.environment) as session:
            session.ask("prepare", case=one.key, data=session.add_data(*self.files.data), **one.module)
            session.ask("freeze", case=one.key)

            def call(function: str, operation: str, **more: Any) -> dict[str, Any]:
                return session.call(WEIGHER, function, case=one.key, operation=operation, **more)

            yield call


class Pass(NamedTuple):
    """The reading of a metric: the method, from several processes or one, the first that do not count, all at once or not."""

    read: Callable[[Weigher, TimedCase], Readings]
    repeated: bool = True
    unread: int = 0
    side_by_side: bool = False


PASSES = {
    "memory": Pass(Weigher.memory, side_by_side=True),
    "start": Pass(Weigher.start, unread=1),  # the first process may have to compile what it imports
    "installed": Pass(Weigher.installed, repeated=False, side_by_side=True),
    "gc": Pass(Weigher.gc),
    "threads": Pass(Weigher.threads),
    "leak": Pass(Weigher.leak, side_by_side=True),
}


def in_turns(
    metric: str,
    pass_: Pass,
    weighed: Sequence[H],
    read: Callable[[H], Readings],
    processes: int,
    watchdog: Watchdog,
    tell: Callable[[Progress], None],
) -> Iterator[tuple[H, WeighedQuantity, tuple[float, ...] | Fault]]:
    """Read a metric of each in so many processes, by turns: each one's quantities with their readings, or the fault."""
    repeats = pass_.unread + (processes if pass_.repeated else 1)
    turns = [(turn, one) for turn in range(repeats) for one in weighed]
    readings_of: dict[H, dict[WeighedQuantity, list[float | Fault]]] = {one: {} for one in weighed}

    def weigh(numbered: tuple[int, tuple[int, H]]) -> None:
        number, (turn, one) = numbered
        tell(Progress(f"weighing {metric}", 0, number, len(turns)))
        try:
            readings: Readings = read(one)
            readings = readings if turn >= pass_.unread else {}
        except Fault as fault:
            readings = {NOTHING: fault}
        for quantity, value in readings.items():
            readings_of[one].setdefault(quantity, []).append(value)

    in_parallel(weigh, enumerate(turns), watchdog, workers=0 if pass_.side_by_side else 1)
    for one, quantities in readings_of.items():
        for quantity, values in quantities.items():
            numbers = tuple(value for value in values if not isinstance(value, Fault))
            faults = [value for value in values if isinstance(value, Fault)]
            yield one, quantity, faults[-1] if faults else numbers


def start_readings(reply: Mapping[str, Any]) -> Readings:
    """What the starter answers: CPU times, and the memory after the import and after the first use."""
    times = {WeighedQuantity(name, "ns"): float(value) for name, value in reply.items() if name != "memory"}
    memory = {
        WeighedQuantity(name, "bytes"): _number(value, UNCOUNTED_MEMORY if value is None else None)
        for name, value in zip(MEMORY, reply["memory"], strict=False)  # a module may have no first use
    }
    return {**times, **memory}


def leak_readings(operation: str, reply: Mapping[str, float | None]) -> Readings:
    """What the weigher answers of a leak."""
    lacking = {"blocks": UNCOUNTED_BLOCKS, "bytes": UNCOUNTED_MEMORY}
    return {
        WeighedQuantity(f"{operation}_{name}", PER_CALL): _number(value, lacking[name] if value is None else None)
        for name, value in reply.items()
    }


def _number(value: float | None, lacking: str | None) -> float | Fault:
    return float(value or 0) if lacking is None else Fault("unsupported", lacking, fatal=False)


def weight_of(
    point: Point, case: CaseId, metric: str, quantity: WeighedQuantity, readings: tuple[float, ...] | Fault
) -> Weight:
    """A quantity with its readings, or with the reason why there are none."""
    weighed = Weight(point, case, metric, **quantity._asdict())
    if isinstance(readings, Fault):
        return replace(weighed, status=readings.status, reason=readings.reason)
    return replace(weighed, readings=readings)
