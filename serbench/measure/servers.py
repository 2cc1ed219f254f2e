"""Sends requests to an endpoint through a server: requests per second, latency and memory.

The server runs on loopback, on one core; wrk, which is no part of serbench, sends the requests from another. One answer
is proven before and after: its status, its headers, and that the body means the data.
"""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from math import ceil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple, Self

import psutil

from serbench.errors import PlanError
from serbench.machine.caretaker import with_us
from serbench.machine.platform import pinned, usable_cores
from serbench.measure.session import FIDELITY, SERVED, WORKER, Fault, WorkerSession
from serbench.measure.subjects import BlockFiles, TimedCase
from serbench.measure.verifying import headers_fault, meaning_fault
from serbench.render.case import Case
from serbench.render.own_app import OwnApp, path_and_query
from serbench.render.requests import Request, sent, served
from serbench.render.source.module import root_name

HOST, CONNECTIONS = "127.0.0.1", 10
LOOKS_S = 0.02
SECONDS, ANSWERS = (2, 10), 50
"""The least and the most seconds of requests: so many that there should be `ANSWERS`."""
APP = "serbench_served:app"
_SCRIPT = """\
function done(summary, latency)
  local e = summary.errors
  print(string.format("[%%d, %%d, %%d, %%d, %%d, %%d]", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), e.status, e.connect + e.read + e.write + e.timeout))
end
wrk.method, wrk.body = %s, %s
"""


class Server(NamedTuple):
    """A server: what its command takes to serve an app of each protocol; None if it does not."""

    asgi: str | None
    wsgi: str | None


_UVICORN = f"{APP} --host {HOST} --port {{port}} --log-level warning --no-access-log"
_GRANIAN = f"{APP} --host {HOST} --port {{port}} --log-level warning --interface"
_HYPERCORN = f"--bind {HOST}:{{port}} --log-level warning"
SERVERS = {
    "uvicorn": Server(_UVICORN, f"{_UVICORN} --interface wsgi"),
    "granian": Server(f"{_GRANIAN} asgi", f"{_GRANIAN} wsgi"),
    "hypercorn": Server(f"{_HYPERCORN} {APP}", f"{_HYPERCORN} wsgi:{APP}"),
    "gunicorn": Server(None, f"{APP} --bind {HOST}:{{port}} --log-level warning"),
}
"""Server → how it is started: as its documentation shows it, with one process that answers, and no log of the requests."""


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
    """A port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


class ServerSession(WorkerSession):
    """A server that listens at a port; its end is that of all processes that it has started."""

    def __init__(self, files: BlockFiles, timed: TimedCase, command: list[str], port: int) -> None:
        program = _program(files, timed)
        limits = files.session(timed.case.environment).limits
        super().__init__(
            timed.case.environment, files.watchdog, files.scratch, limits, program=program, arguments=command
        )
        self.port, self._family = port, set[psutil.Process]()

    def __enter__(self) -> Self:
        with pinned(max(usable_cores(), default=None)):
            self._start()
        try:
            self._await()
        except BaseException:
            self.end()
            raise
        return self

    def _await(self) -> None:
        """Wait until it listens at its port, and not somebody else."""
        end = time.monotonic() + self.limits.set_up_seconds
        while not any(self._listens(process) for process in self.family()):
            self.watchdog.check()
            if self._popen is not None and self._popen.poll() is not None:
                raise self._ending(self.limits.set_up_seconds)
            if time.monotonic() > end:
                raise Fault("timeout", f"it does not listen within {self.limits.set_up_seconds:g} s", fatal=True)
            time.sleep(LOOKS_S)

    def _listens(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return any(
                one.status == psutil.CONN_LISTEN and one.laddr.port == self.port for one in process.net_connections()
            )
        return False

    def family(self) -> set[psutil.Process]:
        """Its processes, which are remembered: a child may outlive its parent."""
        with suppress(psutil.Error):
            process = psutil.Process(self.pid)
            self._family |= {process, *process.children(recursive=True)}
        return self._family

    def kill(self) -> None:
        """Kill all of them."""
        for process in self.family():
            with suppress(psutil.Error):
                process.kill()

    def end(self) -> None:
        """Kill all of them, and wait for that."""
        self.kill()
        super().end()
        psutil.wait_procs(self._family, timeout=1)

    def resident(self) -> int:
        """The resident memory of all of them in bytes."""
        return sum(process.memory_info().rss for process in self.family() if process.is_running())

    def answer(self, request: Request) -> tuple[dict[str, str], bytes]:
        """The headers and the body that it answers with."""
        seconds = self.limits.seconds
        connection = http.client.HTTPConnection(HOST, self.port)
        self.watchdog.expect(self, seconds)
        try:
            connection.request(request.method, request.target, request.body or None, dict(request.headers))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.watchdog.check()
            with suppress(subprocess.TimeoutExpired):
                if self._popen is not None:
                    self._popen.wait(timeout=1)
                raise self._ending(seconds) from None
            raise Fault("failed", f"no answer: {error}{self._said()}", fatal=True) from None
        finally:
            self.watchdog.forget(self)
            connection.close()
        if not 200 <= response.status < 300:
            text = f"status {response.status}: {body[:200].decode(errors='replace')}{self._said()}"
            raise Fault("failed", text, fatal=True)
        return headers, body

    def _said(self) -> str:
        words = self._last_words()
        return f" ({words})" if words else ""


def _program(files: BlockFiles, timed: TimedCase) -> Path:
    """The program that runs the server, in a folder of its own with what it serves."""
    folder = Path(mkdtemp(dir=files.scratch, prefix="served-"))
    case, path = timed.case, folder / f"{timed.case.module_name}.py"
    path.write_text(served(case.source, root_name(files.block.dataset.schema)), encoding="utf-8")
    facts = {
        "worker": str(WORKER),
        "start": {"fidelity": str(FIDELITY), "collects": True, "folders": list(case.environment.folders)},
        "spec": files.data.spec,
        "values": str(files.data.values),
        "module": {**timed.module, "path": str(path), "writer": None},
    }
    (folder / "served.json").write_text(json.dumps(facts), encoding="utf-8")
    return Path(shutil.copyfile(SERVED, folder / "serbench_served.py"))


def requests_through(name: str, files: BlockFiles, timed: TimedCase) -> dict[str, float]:
    """The figures of an endpoint behind a fresh server.

    Raises:
        Fault: it does not start, hangs, ends or answers wrongly.
    """
    case, wrk = timed.case, load_generator()
    if case.environment.installed(name) is None:
        here = case.environment.name == "main"
        how = f"pip install {name}" if here else f"name its version, as in {case.library.name}@…+{name}==…"
        raise Fault("unavailable", f"{name} is not installed in this environment: {how}", fatal=False)
    protocol: str = getattr(case.library, "protocol", "")
    kind = "asgi" if protocol == "mcp" else protocol.partition(" ")[0]
    command = getattr(SERVERS[name], kind, None)
    if command is None:
        raise Fault("unsupported", f"{name} does not serve apps of {kind}", fatal=False)
    request = _request(case, protocol, files)
    port = free_port()
    with ServerSession(files, timed, [name, *command.format(port=port).split()], port) as server:
        _prove(server, request, files, timed)
        began = time.monotonic()
        server.answer(request)
        least, most = SECONDS
        seconds = min(most, max(least, ceil(ANSWERS * (time.monotonic() - began))))
        figures = _driven(server, request, wrk, seconds)
        figures["memory"] = server.resident()
        _prove(server, request, files, timed)
        return figures


def _request(case: Case, protocol: str, files: BlockFiles) -> Request:
    if isinstance(case.library, OwnApp):
        return sent(protocol, *path_and_query(case.codec.name))
    return sent(protocol, root_name(files.block.dataset.schema))


def _prove(server: ServerSession, request: Request, files: BlockFiles, timed: TimedCase) -> None:
    headers, body = server.answer(request)
    reply: Mapping[str, Any] = {"headers": headers, "blob": body}
    text = headers_fault(reply, timed.case) or meaning_fault(files, timed, [body])
    if text is not None:
        raise Fault("failed", text, fatal=True)


def _driven(server: ServerSession, request: Request, wrk: str, seconds: int) -> dict[str, float]:
    """Have wrk send requests for some seconds, from the first core."""
    script = server.scratch / f"wrk-{server.port}.lua"
    lines = [f"wrk.headers[{json.dumps(name.title())}] = {json.dumps(text)}" for name, text in request.headers.items()]
    texts = json.dumps(request.method), json.dumps(request.body) if request.body else "nil"
    script.write_text("\n".join([_SCRIPT % texts, *lines]), encoding="utf-8")
    options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"--timeout={2 * seconds}s", f"--script={script}"]
    url = f"http://{HOST}:{server.port}{request.target}"
    output = script.with_suffix(".txt")
    with pinned(min(usable_cores(), default=None)), output.open("w+b") as printed:
        running = subprocess.Popen([wrk, *options, url], stdout=printed, stderr=subprocess.STDOUT, **with_us())
    try:
        while running.poll() is None:
            server.watchdog.check()
            time.sleep(LOOKS_S)
    finally:
        running.kill()
        running.wait()
    last = output.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
    if not last.startswith("["):
        raise Fault("failed", f"wrk: {last}", fatal=True)
    answers, us, p50, p99, status, lost = json.loads(last)
    if not answers or status or lost:
        text = f"of {answers:,} requests in {seconds} s, {status:,} were answered with an error and {lost:,} not at all"
        raise Fault("timeout" if not answers else "failed", text, fatal=True)
    return {"requests": answers / us * 1e6, "p50": p50 * 1e3, "p99": p99 * 1e3}
