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
from contextlib import suppress
from math import ceil
from pathlib import Path
from tempfile import mkdtemp

from serbench.errors import PlanError
from serbench.machine.caretaker import with_us
from serbench.machine.platform import Family, family, kill_family, listens, pinned, resident_bytes, usable_cores
from serbench.measure.session import FIDELITY, SERVED, WORKER, Fault, WorkerSession
from serbench.measure.subjects import BlockFiles, TimedCase
from serbench.measure.verifying import headers_fault, meaning_fault
from serbench.render.framework import Framework, OwnApp, path_and_query
from serbench.render.requests import Request, sent, served
from serbench.render.source.module import root_name

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
    return Path(shutil.copyfile(SERVED, folder / "serbench_served.py"))


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
