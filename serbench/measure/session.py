"""A worker process and the conversation with it: started by the first request, replaced after a fault that ended it."""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, TypeVar

from serbench.errors import PlanError
from serbench.machine.caretaker import mark, scratch_folder, with_us
from serbench.machine.platform import (
    core_count,
    exit_text,
    family,
    is_stopped,
    keep_to,
    kill_family,
    pin_process,
    thread_cores,
    was_killed,
)
from serbench.measure import worker
from serbench.model import fidelity
from serbench.render.case import Case, UserFunctions
from serbench.render.environments import Environment
from serbench.render.framework import OwnApp
from serbench.results import Status


def write_values(path: Path, value: Any) -> Path:
    """Pickle neutral values into a file, for a worker on any Python to read."""
    path.write_bytes(pickle.dumps(value, protocol=4))
    return path


def write_module(case: Case, folder: Path, name: str, to_read: Path | None = None) -> Mapping[str, str | None]:
    """Write a case's module, and the one that writes for it, into a folder: the worker's `module`, `path` and `writer`.

    `functions` is set for functions of the user's, `app` for an app of theirs. For a class of the user's, `user` is the
    file that says how its objects are made: of the documents or, if the class only writes these, of what it reads for
    each, in `to_read`.
    """
    path = folder / f"{name}.py"
    path.write_text(case.source, encoding="utf-8")
    parts: dict[str, str | None] = {"module": name, "path": str(path), "writer": None}
    if isinstance(case.library, UserFunctions):
        parts["functions"] = "yes"
    if isinstance(case.library, OwnApp):
        parts["app"] = "yes"
    if case.user_facts is not None:
        lacking = case.user_facts["lacking"].as_data()
        facts = {
            **case.user_facts,
            "lacking": lacking,
            "to_read": str(to_read) if to_read is not None and case.user_facts["writes"] else None,
        }
        parts["user"] = str(write_values(folder / f"user_{name}.pickle", facts))
    if case.writer is not None:
        writer = folder / f"writer_of_{name}.py"
        writer.write_text(case.writer.source, encoding="utf-8")
        parts["writer"] = str(writer)
    return parts


WORKER = Path(worker.__file__).with_name("worker.py")
STARTER = WORKER.with_name("starter.py")
WEIGHER = WORKER.with_name("weigher.py")
FILES = WORKER.with_name("files.py")
SERVED = WORKER.with_name("served.py")
FIDELITY = Path(str(fidelity.__file__))
LOOKS_S = 0.1
STOPPED_S = 2.0  # who looks every 0.1 s and finds that this much has passed was not running
STACK_BYTES = 64 << 20
MOST_PRINTED = 16 << 20
"""How much of what a worker prints is kept: code of users may print without end."""
_LAST_WORDS = 64 << 10  # bytes: below its error, a process that ends prints the stacks of Python and of C
PATIENCE_S = 0.0005
"""How long a thread that works beside a measurement may keep this one waiting."""
SET_UP = frozenset({"start", "add_data", "load", "prepare", "prepare_call"})
T = TypeVar("T")


_decode = json.JSONDecoder().raw_decode
"""`json.loads` for a text that is nothing else: the conductor shares its core with what is measured."""


def _request(do: str, arguments: dict[str, Any]) -> bytes:
    """The text of a request; one that is sent again and again, such as that for a batch, is cached."""
    try:
        return _cached_request(do, tuple(arguments.items()))
    except TypeError:  # a schema cannot be hashed
        return json.dumps({"do": do, **arguments}).encode()


@lru_cache(maxsize=4096)
def _cached_request(do: str, arguments: tuple[tuple[str, Any], ...]) -> bytes:
    return json.dumps({"do": do, **dict(arguments)}).encode()


def _read_whole(stream: IO[bytes], size: int) -> bytes:
    """Read so many bytes.

    Raises:
        BrokenPipeError: whoever writes them has ended before.
    """
    content = stream.read(size)
    if len(content) < size:
        raise BrokenPipeError
    return content


class Fault(Exception):
    """A request that failed: the status and reason of the rows that need its answer.

    `fatal` means that the process is gone or cannot be trusted any more; `retryable` that somebody else may have
    ended or stopped it, so that the case should be given another chance.
    """

    def __init__(self, status: Status, reason: str, *, fatal: bool, retryable: bool = False) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.fatal = fatal
        self.retryable = retryable


@dataclass(frozen=True)
class RequestLimits:
    """The most that a request may take: seconds, and bytes of address space (0 for any number).

    A request that imports or builds something has `set_up_seconds`, if that is more.

    Raises:
        PlanError: no time at all.
    """

    seconds: float = 10.0
    memory_bytes: int = 4 << 30
    set_up_seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise PlanError(f"time limit must be more than 0 s, not {self.seconds:g}")


class Watchdog(AbstractContextManager["Watchdog"]):
    """Kills any worker that has been silent beyond its deadline, and every worker when the run is cancelled or its time is up.

    Time in which this process itself was stopped does not count: nobody could have read the answer. A context manager
    that leaves no worker running.

    Args:
        cancel: an event that another thread may set to cancel the run.
        end: the time on the monotonic clock, in s, at which the run is cancelled.

    Attributes:
        spent: the wall time in s of each kind of work, as the conductor and the workers tell it.
    """

    def __init__(self, cancel: threading.Event | None = None, end: float = math.inf) -> None:
        self.sessions: set[WorkerSession] = set()
        self.spent: dict[str, float] = defaultdict(float)
        self._cancel, self._end = cancel or threading.Event(), end
        self._ended = False
        self._deadlines: dict[WorkerSession, float] = {}
        self._stopped = 0.0  # seconds in all; deadlines are of the time without them
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="serbench-watchdog")
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.end_sessions()
        self._closed.set()

    @property
    def cancelled(self) -> bool:
        """True once the run is cancelled: every request then raises KeyboardInterrupt."""
        return self._ended or self._cancel.is_set() or self.used_up

    @property
    def used_up(self) -> bool:
        """True once the time of the run is up."""
        return time.monotonic() >= self._end

    def check(self) -> None:
        """Raise KeyboardInterrupt if the run is cancelled."""
        if self.cancelled:
            raise KeyboardInterrupt

    def cancel(self) -> None:
        """Cancel the run: kill every worker, and let none be started."""
        self._ended = True
        for session in list(self.sessions):
            session.kill()

    def end_sessions(self) -> None:
        """End every worker."""
        for session in list(self.sessions):
            session.end()

    def expect(self, session: WorkerSession, seconds: float) -> None:
        """Kill the session's worker unless `forget` is called within that time."""
        self._deadlines[session] = time.monotonic() - self._stopped + seconds

    @contextmanager
    def spending(self, what: str) -> Iterator[None]:
        """Count the wall time of some work."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent[what] += time.monotonic() - began

    def forget(self, session: WorkerSession) -> None:
        """Take note that the worker has answered."""
        self._deadlines.pop(session, None)

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._closed.wait(LOOKS_S):
            now = time.monotonic()
            if now - before > STOPPED_S:
                self._stopped += now - before
            before = now
            for session, deadline in list(self._deadlines.items()):
                session.drop_printed()
                if self.cancelled:
                    session.kill()
                elif now - self._stopped > deadline:
                    session.timed_out, session.was_stopped = True, is_stopped(session.pid)
                    session.kill()


class WorkerSession(AbstractContextManager["WorkerSession"]):
    """One worker process at a time in an environment; a context manager that leaves nothing running.

    The first request starts the process. A fault that ends it is raised, and the next request starts another.

    Args:
        environment: the environment in which it runs.
        watchdog: ends it when it hangs.
        scratch: an existing folder for the files that it reads, and for its standard error.
        limits: what one request may take.
        collects: run the garbage collector while timing.
        program: the file that it runs, which speaks as the worker does.
        arguments: further ones of the program.

    Attributes:
        known: what the present process has been told; emptied when it ends.
    """

    def __init__(
        self,
        environment: Environment,
        watchdog: Watchdog,
        scratch: Path,
        limits: RequestLimits,
        *,
        collects: bool = True,
        program: Path = WORKER,
        arguments: Sequence[str] = (),
    ) -> None:
        self.environment, self.scratch, self.limits = environment, scratch, limits
        self.known: set[Hashable] = set()
        self.watchdog, self._collects, self._program = watchdog, collects, program
        self._arguments = arguments
        self._core: int | None = None
        self._popen: subprocess.Popen[bytes] | None = None
        self._requests: IO[bytes]
        self._replies: IO[bytes]
        self._errors: IO[bytes]

    @property
    def pid(self) -> int:
        """The process's number; 0 if there is none."""
        return 0 if self._popen is None else self._popen.pid

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and wait for its reply; bytes in the reply stand under "blob".

        Raises:
            Fault: the case failed, or the process crashed, hung or ran out of memory.
            KeyboardInterrupt: the run is cancelled.
            OSError: the disk on which the process writes is full.
        """
        try:
            if self._popen is None:
                self._start()
            return self._answer(do, arguments)
        except Fault as fault:
            if fault.fatal or not self._ready:
                self.end()
            raise

    def call(self, script: Path, function: str, **arguments: Any) -> dict[str, Any]:
        """Call a function of a file in the worker, with the worker as its first argument; raises as `ask` does."""
        return self.ask("call", script=str(script), function=function, **arguments)

    def add_data(self, name: str, spec: Any, values: Path, documents: Mapping[str, Any] | None = None) -> str:
        """Have the worker read pickled neutral values, unless it has them already; gives their name back."""
        if ("data", name) not in self.known:
            self.ask("add_data", name=name, spec=spec, values=str(values), documents=documents)
            self.known.add(("data", name))
        return name

    def add_value(self, name: str, spec: Any, value: Any) -> str:
        """Have the worker know a neutral value, unless it has it already; gives its name back."""
        if ("data", name) in self.known:
            return name
        return self.add_data(name, spec, write_values(self.scratch / f"{name.replace(' ', '_')}.pickle", value))

    def load(self, case: Case, name: str) -> None:
        """Have the worker import a case's module under that name in place of the one before, unless it is that one."""
        if ("module", name) not in self.known:
            self.known = {fact for fact in self.known if not (isinstance(fact, tuple) and fact[0] == "module")}
            self.ask("load", **write_module(case, self.scratch, name))
            self.known.add(("module", name))

    def prepare(self, case: Case, name: str, spec: Any, value: Any) -> None:
        """Have the worker import a case's module under that name, and make and encode the value's objects."""
        self.known.discard(("data", name))
        self.add_value(name, spec, value)
        self.ask("prepare", case=name, data=name, **write_module(case, self.scratch, name))

    def pin(self, core: int | None) -> None:
        """Keep the worker, and those that replace it, on one core, if the platform can; None lets later ones run free."""
        self._core = core
        if core is not None and self._popen is not None:
            pin_process(self._popen.pid, core)

    def kill(self) -> None:
        """Kill the process, and what it has started, which may hold its pipe; whoever waits for its answer gets a fault."""
        popen = self._popen  # meanwhile another thread may end it
        if popen is not None and popen.returncode is None:
            kill_family(family(popen.pid))

    def end(self) -> None:
        """End the process and wait for that; the next request starts another."""
        self.known.clear()
        self.watchdog.forget(self)
        popen, self._popen = self._popen, None
        if popen is None:
            return
        with suppress(OSError):
            popen.kill()
        popen.wait()
        for stream in (self._requests, self._replies, self._errors):
            with suppress(OSError):
                stream.close()
        self.watchdog.sessions.discard(self)

    def drop_printed(self) -> None:
        """Empty the file of what the process prints if it has become large: the last words are not there yet."""
        with suppress(OSError, ValueError):  # it has been closed
            if os.fstat(self._errors.fileno()).st_size > MOST_PRINTED:
                os.ftruncate(self._errors.fileno(), 0)

    def take(self, other: WorkerSession) -> None:
        """End this process, and work with that of another session, which has been told the same; the other has none then."""
        self.end()
        self._popen, other._popen = other._popen, None
        self._requests, self._replies, self._errors = other._requests, other._replies, other._errors
        self.known, other.known = other.known, set()
        self.timed_out = self.was_stopped = False
        self._ready = True
        self.watchdog.sessions.add(self)
        self.watchdog.sessions.discard(other)

    def __exit__(self, *_: object) -> None:
        self.end()

    def _start(self) -> None:
        self.watchdog.check()
        self.timed_out = self.was_stopped = self._ready = False
        self._errors = (self.scratch / f"stderr-{time.monotonic_ns()}-{id(self)}").open("a+b")  # emptied meanwhile, too
        try:
            self._popen = subprocess.Popen(
                [self.environment.python, "-I", str(self._program), str(self.limits.memory_bytes), *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
                    "TMPDIR": str(self.scratch),  # what a library leaves there goes too
                },
                **with_us(),
            )
        except BaseException as error:
            self._errors.close()
            if isinstance(error, FileNotFoundError):
                reason = f"the environment {self.environment.name} was removed during the run"
                raise Fault("crashed", reason, fatal=True) from None
            raise
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._requests, self._replies = self._popen.stdin, self._popen.stdout
        self.watchdog.sessions.add(self)
        mark(self.scratch, self.pid, self._program)
        if self._program == WORKER:
            folders = list(self.environment.folders)
            self._answer("start", {"fidelity": str(FIDELITY), "collects": self._collects, "folders": folders})
        self._ready = True
        if self._core is not None:
            pin_process(self.pid, self._core)

    def _answer(self, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.watchdog.check()
        limits = self.limits
        seconds = max(limits.seconds, limits.set_up_seconds) if do in SET_UP else limits.seconds
        text = _request(do, arguments)
        self.watchdog.expect(self, seconds)
        try:
            self._requests.write(struct.pack(">I", len(text)) + text)
            self._requests.flush()
            (size,) = struct.unpack(">I", _read_whole(self._replies, 4))
            reply: dict[str, Any] = _decode(_read_whole(self._replies, size).decode())[0]
            for what, ns in reply.pop("spent", {}).items():
                self.watchdog.spent[what] += ns / 1e9
            if "blob_bytes" in reply:
                reply["blob"] = _read_whole(self._replies, reply["blob_bytes"])
        except (BrokenPipeError, ConnectionResetError):
            raise self._ending(seconds) from None
        except (ValueError, AttributeError):  # users' code may have replaced what the worker writes it with
            raise Fault("crashed", "what the process answers cannot be read", fatal=True) from None
        finally:
            self.watchdog.forget(self)
        if "error" in reply:
            if reply["status"] == "full disk":
                raise OSError(errno.ENOSPC, reply["error"], str(self.scratch))
            if reply["status"] == "memory":
                raise Fault("memory", f"more memory than the limit allows ({reply['error']})", fatal=True)
            raise Fault(reply["status"], reply["error"], fatal=False)
        return reply

    def _ending(self, seconds: float) -> Fault:
        assert self._popen is not None
        code = self._popen.wait()
        self.watchdog.check()
        if self.timed_out:
            return Fault("timeout", f"no answer within {seconds:g} s", fatal=True, retryable=self.was_stopped)
        if was_killed(code):
            text = "killed by the system (SIGKILL), most likely for want of memory"
            return Fault("memory", text, fatal=True, retryable=True)
        last = self._last_words()
        if "MemoryError" in last or "memory allocation" in last:
            return Fault("memory", f"out of memory: {last}", fatal=True)
        return Fault("crashed", f"the process ended: {exit_text(code)}" + (f" ({last})" if last else ""), fatal=True)

    def _last_words(self) -> str:
        """The line of the process's standard error that says most; empty if it wrote nothing."""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip() and not line.startswith((" ", "Extension modules"))]
        fatal = [line for line in said if line.startswith("Fatal Python error")]
        return (fatal or said[-1:] or [""])[0][:200]


def in_parallel(work: Callable[[T], None], items: Iterable[T], watchdog: Watchdog, workers: int = 0) -> None:
    """Do work that is not timed in threads, by default one for each core; an interrupt ends the processes at once."""
    with _threads(ThreadPoolExecutor(workers or core_count()), watchdog) as pool:
        _await({pool.submit(work, item) for item in items}, watchdog)


@contextmanager
def meanwhile(
    work: Callable[[T], None], items: Iterable[T], cores: list[int], watchdog: Watchdog
) -> Iterator[Callable[[], None]]:
    """Begin work that is not timed, on these cores alone. To call what this gives does what is left, on all cores."""
    patience = sys.getswitchinterval()
    with _threads(on_cores(cores), watchdog) as pool:
        begun = {pool.submit(work, item): item for item in items}

        def finish() -> None:
            left = {future: item for future, item in begun.items() if future.cancel()}
            in_parallel(work, left.values(), watchdog)
            _await(begun.keys() - left.keys(), watchdog)

        sys.setswitchinterval(PATIENCE_S)
        try:
            yield finish
        finally:
            sys.setswitchinterval(patience)


def on_cores(cores: list[int]) -> ThreadPoolExecutor:
    """A thread for each of these cores, which keeps to them with what it starts."""
    return ThreadPoolExecutor(len(cores), "serbench-beside", keep_to, (cores,))


def other_cores(core: int | None) -> list[int]:
    """The cores that do not measure; none if one thread cannot keep to them."""
    return [] if core is None else [one for one in thread_cores() if one != core]


@contextmanager
def _threads(pool: ThreadPoolExecutor, watchdog: Watchdog) -> Iterator[ThreadPoolExecutor]:
    """Give threads for deep values, which are compared here; if something goes wrong, end the processes."""
    usual = threading.stack_size(STACK_BYTES)
    try:
        with pool:
            try:
                yield pool
            except BaseException:
                watchdog.cancel()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        threading.stack_size(usual)


def _await(pending: AbstractSet[Future[None]], watchdog: Watchdog) -> None:
    while pending:  # not one wait for all: some systems and signal handlers keep Ctrl-C from ending a wait
        watchdog.check()
        done, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()


@contextmanager
def scratch_session(
    environment: Environment, watchdog: Watchdog, limits: RequestLimits, *, below: Path | None = None
) -> Iterator[WorkerSession]:
    """A session with a scratch folder that is removed when it ends, below a given one or among the system's."""
    folder = scratch_folder() if below is None else tempfile.TemporaryDirectory(dir=below)
    with folder as scratch, WorkerSession(environment, watchdog, Path(scratch), limits) as session:
        yield session
