"""Weighs cases in fresh processes: memory, start-up, installed size, threads and leaks; of endpoints, what a server does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from serbench.judge.outcomes import Weight
from serbench.measure.conduct import block_files
from serbench.measure.listener import Progress
from serbench.measure.plan import Block, Plan
from serbench.measure.servers import SERVERS, requests_through
from serbench.measure.session import (
    FIDELITY,
    STARTER,
    WEIGHER,
    Fault,
    Watchdog,
    WorkerSession,
    in_parallel,
)
from serbench.measure.subjects import BlockFiles, TimedCase, cell_of, retry_if_killed
from serbench.measure.verifying import verify_case
from serbench.render.case import Case
from serbench.render.environments import normalised, required
from serbench.render.source.module import tree
from serbench.results import Cell

THREADS_NS = 100_000_000  # of work for each thread
Readings = Mapping[str, float | str]
"""Quantity → what one process gave: a number, or the reason why there is none."""
Tell = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class Weighed:
    """A verified case, with what its fresh processes are told.

    Attributes:
        subject: its cells by operation, and how a worker prepares it.
        files: those of its block.
        start: the request to the starter.
        memory: the arguments of `worker.weigher.memory`.
        distributions: those that have to be installed for it.
    """

    subject: TimedCase
    files: BlockFiles
    start: Mapping[str, Any]
    memory: Mapping[str, Any]
    distributions: Sequence[str]

    @property
    def cell(self) -> Cell:
        """Its first cell, which has the identity of all."""
        return next(iter(self.subject.cells.values()))

    def session(self, **options: Any) -> WorkerSession:
        """A session in its environment."""
        return self.files.session(self.subject.case.environment, **options)

    def weight(self, metric: str, quantity: str, **facts: Any) -> Weight:
        """Its weight, or why it has none."""
        case, unit = vars(self.cell.point) | vars(self.cell.case), UNITS.get(quantity, ALL_METRICS[metric].unit)
        return Weight(**case, metric=metric, quantity=quantity, unit=unit if quantity else "", **facts)

    def call(self, operation: str, function: str, work_ns: int = 0) -> dict[str, Any]:
        """Have a fresh process call a function of the weigher's, perhaps with so much work; all but `memory` have it prepared."""
        subject = self.subject
        with self.session() as session:
            if function == "memory":
                data = session.add_data(*subject.data)
                return session.call(WEIGHER, function, operation=operation, data=data, **self.memory)
            replace(subject, session=session).load()
            session.ask("freeze", case=subject.key)
            loops = {"loops": max(1, round(work_ns / subject.each_ns[operation]))} if work_ns else {}
            return session.call(WEIGHER, function, case=subject.key, operation=operation, **loops)


def _start(weighed: Weighed) -> Readings:
    with weighed.session(program=STARTER) as session:
        return session.ask("start", **weighed.start)


def _installed(weighed: Weighed) -> Readings:
    with weighed.session() as session:
        known = session.call(WEIGHER, "files")["distributions"]
    names = {normalised(name): facts for name, facts in known.items()}
    needed = required(weighed.distributions, lambda name: names.get(name, {}).get("requires"), session.environment)
    return {"installed": sum(names[name]["bytes"] for name in needed), "distributions": len(needed)}


def _called(function: str, work_ns: int, weighed: Weighed) -> Readings:
    """The weigher's figures for each operation, each from its own process."""
    replies = {operation: weighed.call(operation, function, work_ns) for operation in weighed.subject.cells}
    return {f"{name}_{quantity}": value for name, reply in replies.items() for quantity, value in reply.items()}


def _served(server: str, weighed: Weighed) -> Readings:
    return requests_through(server, weighed.files, weighed.subject)


class Metric(NamedTuple):
    """A metric of `weigh`, or a server of `serve`.

    Attributes:
        read: takes it in fresh processes.
        unit: that of its quantities, but for those in `UNITS`.
        title: of its table.
        repeated: whether several processes give several numbers.
        unread: the first processes, which do not count.
        side_by_side: whether several cases can be weighed at once.
        gives_up: whether a case has nothing else once a process of it has failed.
    """

    read: Callable[[Weighed], Readings]
    unit: str
    title: str
    repeated: bool = True
    unread: int = 0
    side_by_side: bool = False
    gives_up: bool = False


MEMORY = "what one call needs at most, and what each decoded document keeps"
INSTALLED = "library and codec with everything that they require"
LEAK = "by how much each call makes the process larger, if no answer is kept"
METRICS = {
    "memory": Metric(partial(_called, "memory", 0), "bytes", MEMORY, side_by_side=True),
    # the first process may have to compile what it imports
    "start": Metric(_start, "ns", "CPU time in a fresh process", unread=1),
    "installed": Metric(_installed, "bytes", INSTALLED, repeated=False, side_by_side=True),
    "threads": Metric(partial(_called, "threads", THREADS_NS), "×", "how many times as much as one thread gets done"),
    "leak": Metric(partial(_called, "leak", 0), "per call", LEAK, side_by_side=True),
}
THROUGH = "requests through the server, with wrk on another core"
SERVED = {name: Metric(partial(_served, name), "bytes", THROUGH, gives_up=True) for name in SERVERS}
ALL_METRICS = {**METRICS, **SERVED}
UNITS = {"after_import": "bytes", "after_first_use": "bytes", "distributions": ""}
UNITS |= {"requests": "per s", "p50": "ns", "p99": "ns"}


def weights(
    plan: Plan, blocks: Iterable[Block], metrics: Sequence[str], processes: int, tell: Tell
) -> Iterator[Weight]:
    """Each metric of each case that is verified, from so many fresh processes; a case that is not has its reason.

    `tell` is a listener's `progress`.
    """
    with Watchdog() as watchdog:
        for block in blocks:
            with block_files(plan, block, watchdog) as files:
                cases = []
                for done, case in enumerate(block.cases):
                    tell(Progress(f"verifying {case.library.name}", 0, done, len(block.cases)))
                    cases.append(_verified(files, case))
                yield from _in_turns(cases, metrics, processes, watchdog, tell)


def _verified(files: BlockFiles, case: Case) -> Weighed:
    """A case after its proof; its cells say why it failed."""
    point, asked = files.block.point, files.operations
    steps = tuple(operation for operation in asked if operation in case.operations)
    cells = {operation: cell_of(-1, point, case, operation) for operation in steps or asked[:1]}
    timed = files.timed(case, cells, files.session(case.environment))
    whole, small = (str(files.scratch / f"{case.module_name}.{which}") for which in ("whole", "small"))
    if not timed.fail_beforehand():

        def prove() -> None:
            if verify_case(files, timed, steps) is not None:
                timed.ask("call", script=str(WEIGHER), function="blobs", whole=whole, small=small)

        retry_if_killed(prove)
        timed.session.end()
    statements = [node for node in tree(case.source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    start = {
        "imports": max((node.end_lineno or 0 for node in statements), default=0),
        "fidelity": str(FIDELITY),
        "values": str(files.data.values),
        "spec": files.data.spec,
        "blob": whole,
        "operations": list(cells),
        **timed.module,
    }
    has_small = Path(small).exists()
    memory = {"whole": whole, "small": small if has_small else None}
    memory |= {name: timed.module.get(name) for name in ("module", "path")}
    names = (*case.library.distributions, case.codec.distribution)
    return Weighed(timed, files, start, memory, [name for name in names if name])


def _in_turns(
    weighed: Sequence[Weighed], metrics: Sequence[str], processes: int, watchdog: Watchdog, tell: Tell
) -> Iterator[Weight]:
    """Each metric of each from so many processes, which take turns over the cases."""
    for case in weighed:
        if not case.subject.alive:
            status, reason = case.cell.status, case.cell.reason or case.cell.status
            yield from (case.weight(name, "", status=status, reason=reason) for name in metrics)
    able = [case for case in weighed if case.subject.alive]
    for name in metrics:
        for case, quantities in _readings(name, able, processes, watchdog, tell).items():
            for quantity, values in quantities.items():
                if lacking := [reading for reading in values if isinstance(reading, str | Fault)]:
                    status = getattr(lacking[-1], "status", "unsupported")
                    yield case.weight(name, quantity, status=status, reason=str(lacking[-1]))
                else:
                    yield case.weight(name, quantity, readings=tuple(map(float, values)))  # type: ignore[arg-type]


def _readings(
    name: str, weighed: Sequence[Weighed], processes: int, watchdog: Watchdog, tell: Tell
) -> dict[Weighed, dict[str, list[float | str | Fault]]]:
    """Case → quantity of a metric → what each process gave; under no name why a process gave nothing."""
    metric = ALL_METRICS[name]
    repeats = metric.unread + (processes if metric.repeated else 1)
    turns = [(turn, case) for turn in range(repeats) for case in weighed]
    readings_of: dict[Weighed, dict[str, list[float | str | Fault]]] = {case: {} for case in weighed}

    def read(numbered: tuple[int, tuple[int, Weighed]]) -> None:
        number, (turn, case) = numbered
        if metric.gives_up and "" in readings_of[case]:
            return
        tell(Progress(f"{'requests through' if name in SERVED else 'weighing'} {name}", 0, number, len(turns)))
        try:
            readings: Mapping[str, float | str | Fault] = metric.read(case)
            readings = readings if turn >= metric.unread else {}
        except Fault as fault:
            readings = {"": fault}
            if metric.gives_up:
                readings_of[case].clear()
        for quantity, reading in readings.items():
            readings_of[case].setdefault(quantity, []).append(reading)

    in_parallel(read, enumerate(turns), watchdog, workers=0 if metric.side_by_side else 1)
    return readings_of
