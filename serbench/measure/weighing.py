"""Weighs cases in fresh processes: memory, start-up, installed size, threads and leaks; of endpoints, what a server does.

The server runs on loopback, on one core; wrk, which is no part of serbench, sends the requests from another. One answer
is proven before and after: its status, its headers, and that the body means the data.
"""

from __future__ import annotations

import ast
import http.client
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

from serbench.errors import PlanError
from serbench.judge.outcomes import Weight
from serbench.machine.caretaker import with_us
from serbench.machine.platform import Family, family, kill_family, listens, pinned, resident_bytes, usable_cores
from serbench.measure.conduct import block_files, headers_fault, meaning_fault, verify_case
from serbench.measure.listener import Progress
from serbench.measure.plan import Block, Plan
from serbench.measure.session import FIDELITY, STARTER, WEIGHER, WORKER, Fault, Watchdog, WorkerSession, in_parallel
from serbench.measure.session import SERVED as SERVED_FILE
from serbench.measure.subjects import BlockFiles, TimedCase, cell_of, retry_if_killed
from serbench.render.case import Case
from serbench.render.environments import normalised, required
from serbench.render.framework import Framework, OwnApp, path_and_query
from serbench.render.requests import Request, sent, served
from serbench.render.source.module import root_name, tree
from serbench.results import Cell

HOST, CONNECTIONS, APP = "127.0.0.1", 10, "serbench_served:app"
LOOKS_S = 0.02
SECONDS, ANSWERS = (2, 10), 50
"""The least and the most seconds of requests: so many that there should be `ANSWERS`."""
_AT = f"--host {HOST} --port {{port}} --log-level warning {APP}"
_BOUND = f"--bind {HOST}:{{port}} --log-level warning"
SERVERS = {
    "uvicorn": {"asgi": f"{_AT} --no-access-log", "wsgi": f"{_AT} --no-access-log --interface wsgi"},
    "granian": {"asgi": f"{_AT} --interface asgi", "wsgi": f"{_AT} --interface wsgi"},
    "hypercorn": {"asgi": f"{_BOUND} {APP}", "wsgi": f"{_BOUND} wsgi:{APP}"},
    "gunicorn": {"wsgi": f"{_BOUND} {APP}"},
}
"""Server → protocol of an app → what its command takes: as documented, one process that answers, and no log of requests."""
_SCRIPT = """\
function done(summary, latency)
  local e = summary.errors
  print(string.format("[%d, %d, %d, %d, %d, %d]", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end"""


def load_generator() -> str:
    """The path of wrk.

    Raises:
        PlanError: it is not installed.
    """
    found = shutil.which("wrk")
    if found is None:
        raise PlanError("wrk, which sends the requests, is not installed: apt-get install wrk, or brew install wrk")
    return found


def free_port() -> int:
    """A port of this machine at which nobody listens."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


class ServerSession(WorkerSession):
    """A server with an endpoint, which ends with all processes that it has started."""

    def __init__(self, files: BlockFiles, timed: TimedCase, name: str, arguments: str) -> None:
        where, self.port = timed.case.environment, free_port()
        self._family: Family = frozenset()
        started = [name, *arguments.format(port=self.port).split()]
        limits = files.session(where).limits
        super().__init__(
            where, files.watchdog, files.scratch, limits, program=_program(files, timed), arguments=started
        )

    def begin(self) -> None:
        """Start it, and wait until it listens at its port, and nobody else."""
        with pinned(max(usable_cores(), default=None)):
            self._start()
        self.watchdog.expect(self, self.limits.seconds)
        while not listens(self.family(), self.port):
            self.watchdog.check()
            if self._popen is not None and self._popen.poll() is not None:
                raise self._ending(self.limits.seconds)
            time.sleep(LOOKS_S)
        self.watchdog.forget(self)

    def family(self) -> Family:
        """Its processes, all that there ever were: a child may outlive its parent."""
        self._family |= family(self.pid)
        return self._family

    def kill(self) -> None:
        """Kill all of them."""
        kill_family(self.family())

    def end(self) -> None:
        """End all of them, and wait for that."""
        self.kill()
        super().end()
        kill_family(self._family, wait_s=1)

    def answer(self, request: Request) -> tuple[dict[str, str], bytes]:
        """The headers and the body of its answer."""
        connection = http.client.HTTPConnection(HOST, self.port)
        self.watchdog.expect(self, self.limits.seconds)
        try:
            connection.request(request.method, request.target, request.body or None, dict(request.headers))
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.watchdog.check()
            with suppress(subprocess.TimeoutExpired):
                if self._popen is not None:
                    self._popen.wait(timeout=1)
                raise self._ending(self.limits.seconds) from None
            raise Fault("failed", f"no answer: {error} ({self._last_words()})", fatal=True) from None
        finally:
            self.watchdog.forget(self)
            connection.close()
        if not 200 <= response.status < 300:
            text = f"status {response.status}: {body[:200].decode(errors='replace')} ({self._last_words()})"
            raise Fault("failed", text.removesuffix(" ()"), fatal=True)
        return {name.lower(): value for name, value in response.getheaders()}, body

    def loaded(self, request: Request, wrk: str, seconds: int) -> dict[str, float]:
        """Have wrk send requests for some seconds, from the first core."""
        script = self._program.with_name("wrk.lua")
        body = json.dumps(request.body) if request.body else "nil"
        lines = [
            f"wrk.headers[{json.dumps(name.title())}] = {json.dumps(text)}" for name, text in request.headers.items()
        ]
        lines += [f"wrk.method, wrk.body = {json.dumps(request.method)}, {body}", _SCRIPT]
        script.write_text("\n".join(lines), encoding="utf-8")
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"--timeout={2 * seconds}s", f"--script={script}"]
        command = [wrk, *options, f"http://{HOST}:{self.port}{request.target}"]
        output = script.with_suffix(".txt")
        with pinned(min(usable_cores(), default=None)), output.open("wb") as printed:
            running = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT, **with_us())
        try:
            while running.poll() is None:
                self.watchdog.check()
                time.sleep(LOOKS_S)
        finally:
            running.kill()
            running.wait()
        last = output.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        if not last.startswith("["):
            raise Fault("failed", f"wrk: {last}", fatal=True)
        answers, us, p50, p99, errors, lost = json.loads(last)
        if not answers or errors or lost:
            text = f"of {answers:,} requests in {seconds} s, {errors:,} were answered with an error and {lost:,} not at all"
            raise Fault("failed" if answers else "timeout", text, fatal=True)
        return {"requests": answers / us * 1e6, "p50": p50 * 1e3, "p99": p99 * 1e3}


def _program(files: BlockFiles, timed: TimedCase) -> Path:
    """The program that runs the server, in a folder of its own with what it serves."""
    folder, case = Path(mkdtemp(dir=files.scratch)), timed.case
    path = folder / f"{case.module_name}.py"
    path.write_text(served(case.source, root_name(files.block.dataset.schema)), encoding="utf-8")
    facts = {
        "worker": str(WORKER),
        "start": {"fidelity": str(FIDELITY), "collects": True, "folders": case.environment.folders},
        "spec": files.data.spec,
        "values": str(files.data.values),
        "module": {**timed.module, "path": str(path), "writer": None},
    }
    (folder / "served.json").write_text(json.dumps(facts), encoding="utf-8")
    return Path(shutil.copyfile(SERVED_FILE, folder / "serbench_served.py"))


def requests_through(name: str, files: BlockFiles, timed: TimedCase) -> dict[str, float]:
    """The figures of an endpoint behind a fresh server.

    Raises:
        Fault: it is not installed, does not start, hangs, ends or answers wrongly.
    """
    case, wrk = timed.case, load_generator()
    where, library = case.environment, case.library
    assert isinstance(library, OwnApp | Framework)
    own = isinstance(library, OwnApp)
    path = path_and_query(case.codec.name) if own else (root_name(files.block.dataset.schema),)
    request, protocol = sent(library.protocol, *path), library.protocol.replace("mcp", "asgi").partition(" ")[0]
    if where.installed(name) is None:
        how = (
            f"pip install {name}" if where.name == "main" else f"name it with a version, as {library.name}@…+{name}==…"
        )
        raise Fault("unavailable", f"{name} is not installed in {where.name}: {how}", fatal=False)
    if protocol not in SERVERS[name]:
        raise Fault("unsupported", f"{name} serves no app of {protocol}", fatal=False)

    def prove() -> None:
        headers, body = server.answer(request)
        text = headers_fault({"headers": headers, "blob": body}, case) or meaning_fault(files, timed, [body])
        if text is not None:
            raise Fault("failed", text, fatal=True)

    server = ServerSession(files, timed, name, SERVERS[name][protocol])
    with server:
        server.begin()
        prove()
        began = time.monotonic()
        server.answer(request)
        least, most = SECONDS
        figures = server.loaded(request, wrk, min(most, max(least, ceil(ANSWERS * (time.monotonic() - began)))))
        figures["memory"] = resident_bytes(server.family())
        prove()
        return figures


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
