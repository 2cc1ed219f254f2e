"""A worker process and the conversation with it: requests, time limits, and how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from serbench.engine.results import Status
from serbench.environments.fingerprint import is_stopped, runs

WORKER = Path(__file__).parents[1] / "worker.py"
STARTER = Path(__file__).parents[1] / "starter.py"
WEIGHER = Path(__file__).parents[1] / "weigher.py"
FIDELITY = Path(__file__).parents[1] / "fidelity" / "__init__.py"
MARK = "worker-"
LOOKS_S = 0.1
STOPPED_S = 2.0  # who looks every 0.1 s and finds that this much has passed was not running


_decode = json.JSONDecoder().raw_decode
"""`json.loads` without a look at what stands around; the conductor shares its core with what is measured."""


def _request(do: str, arguments: dict[str, Any]) -> bytes:
    """The text of a request; what is asked again and again, as a batch is, is not written anew."""
    try:
        return _remembered(do, tuple(arguments.items()))
    except TypeError:  # a schema cannot be remembered
        return json.dumps({"do": do, **arguments}).encode()


@lru_cache(maxsize=4096)
def _remembered(do: str, arguments: tuple[tuple[str, Any], ...]) -> bytes:
    return json.dumps({"do": do, **dict(arguments)}).encode()


class Fault(Exception):
    """A case that did not answer as it should: the status and reason of its rows.

    `fatal` says that the process is gone, or cannot be trusted any more; `foreign` that somebody else may have
    ended or stopped it, so that the case should be given another chance.
    """

    def __init__(self, status: Status, reason: str, *, fatal: bool, foreign: bool = False) -> None:
        super().__init__(reason)
        self.foreign = foreign
        self.status = status
        self.reason = reason
        self.fatal = fatal


class Watchdog:
    """One thread that kills any process that has been silent beyond its deadline, and all of them on `cancel`.

    Time in which this process itself was stopped does not count: nobody could have read the answer.
    """

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self.cancel = cancel or threading.Event()
        self._deadlines: dict[Process, float] = {}
        self._stopped = 0.0  # seconds in all; deadlines are of the time without them
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="serbench-watchdog")
        self._thread.start()

    def expect(self, process: Process, seconds: float) -> None:
        """Kill the process unless `forget` comes within that time."""
        self._deadlines[process] = time.monotonic() - self._stopped + seconds

    def forget(self, process: Process) -> None:
        """The process has answered."""
        self._deadlines.pop(process, None)

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._closed.wait(LOOKS_S):
            now = time.monotonic()
            if now - before > STOPPED_S:
                self._stopped += now - before
            before = now
            for process, deadline in list(self._deadlines.items()):
                if self.cancel.is_set():
                    process.kill()
                elif now - self._stopped > deadline:
                    process.timed_out, process.was_stopped = True, is_stopped(process.pid)
                    process.kill()


class Process:
    """One worker process; a context manager that leaves nothing running.

    Args:
        python: the interpreter to run.
        watchdog: who ends it when it hangs.
        scratch: an existing folder, for what it writes to standard error.
        seconds: the longest that one request may take.
        memory_bytes: the address space it may have, where the platform can limit that; 0 for any.
        program: what it runs, which speaks as the worker does.
    """

    def __init__(
        self,
        python: str,
        watchdog: Watchdog,
        scratch: Path,
        seconds: float,
        memory_bytes: int,
        program: Path = WORKER,
    ) -> None:
        self._watchdog = watchdog
        self.seconds = seconds
        self.timed_out = self.was_stopped = False
        self._errors = (scratch / f"stderr-{time.monotonic_ns()}-{id(self)}").open("w+b")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        self._popen = subprocess.Popen(
            [python, "-I", str(program), str(memory_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=True,  # Ctrl-C is the conductor's to handle
        )
        (scratch / f"{MARK}{self.pid}").touch()  # should nobody be left to end it, `end_left` will
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._requests, self._replies = self._popen.stdin, self._popen.stdout

    @property
    def pid(self) -> int:
        """The operating system's number for it."""
        return self._popen.pid

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and wait for its reply; bytes in the reply stand under "blob".

        Raises:
            Fault: the case failed, or the process crashed, hung or ran out of memory.
            KeyboardInterrupt: whoever asked for the run has cancelled it.
        """
        if self._watchdog.cancel.is_set():
            raise KeyboardInterrupt
        text = _request(do, arguments)
        self._watchdog.expect(self, self.seconds)
        try:
            self._requests.write(struct.pack(">I", len(text)) + text)
            self._requests.flush()
            head = self._replies.read(4)
            if len(head) < 4:
                raise self._ended()
            reply: dict[str, Any] = _decode(self._replies.read(struct.unpack(">I", head)[0]).decode())[0]
            if "blob_bytes" in reply:
                reply["blob"] = self._replies.read(reply["blob_bytes"])
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended() from None
        finally:
            self._watchdog.forget(self)
        if "error" in reply:
            status: Status = reply["status"]
            raise Fault(status, self._explained(reply["error"], status), fatal=status == "memory")
        return reply

    def start(self, *, collects: bool = True) -> Self:
        """Have a worker load what compares values; it is ended where it does not.

        Raises:
            Fault: as `ask` does.
        """
        try:
            self.ask("start", fidelity=str(FIDELITY), collects=collects)
        except BaseException:
            self.close()
            raise
        return self

    def pin(self, core: int) -> None:
        """Let it run on that core only, where the platform can."""
        if hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{self.pid}/task").iterdir():
                    os.sched_setaffinity(int(task.name), {core})

    def kill(self) -> None:
        """End it now."""
        with contextlib.suppress(OSError):
            self._popen.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it and wait for that."""
        self._watchdog.forget(self)
        self.kill()
        self._popen.wait()
        for stream in (self._requests, self._replies, self._errors):
            with contextlib.suppress(OSError):
                stream.close()

    def _ended(self) -> Fault:
        code = self._popen.wait()
        if self._watchdog.cancel.is_set():
            raise KeyboardInterrupt
        if self.timed_out:
            return Fault("timeout", f"no answer within {self.seconds:g} s", fatal=True, foreign=self.was_stopped)
        last = self._last_words()
        if code == -signal.SIGKILL if hasattr(signal, "SIGKILL") else False:
            text = "killed by the system (SIGKILL), most likely for want of memory"
            return Fault("memory", text, fatal=True, foreign=True)
        if "MemoryError" in last or "memory allocation" in last:
            return Fault("memory", f"out of memory: {last}", fatal=True)
        how = f"killed by {signal.Signals(-code).name}" if code < 0 and sys.platform != "win32" else f"exit code {code}"
        return Fault("crashed", f"the process ended: {how}" + (f" ({last})" if last else ""), fatal=True)

    def _last_words(self) -> str:
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4096))
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip() and not line.startswith((" ", "Extension modules"))]
        fatal = [line for line in said if line.startswith("Fatal Python error")]
        return (fatal or said[-1:] or [""])[0][:200]

    def _explained(self, error: str, status: str) -> str:
        return f"more memory than the limit allows ({error})" if status == "memory" else error


def end_left(scratch: Path) -> None:
    """End the workers of a conductor that was killed, which left that folder: one may be in a call without end."""
    for mark in scratch.rglob(f"{MARK}*"):
        pid = int(mark.name.removeprefix(MARK))
        if any(
            runs(pid, str(program)) for program in (WORKER, STARTER)
        ):  # and not another program that has got the number since
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
