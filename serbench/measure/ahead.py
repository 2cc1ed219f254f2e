"""Makes the processes of the next repetition ready on other cores, while one core measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from serbench.machine.platform import core_count, keep_to, thread_cores
from serbench.measure.session import WorkerSession
from serbench.measure.subjects import BlockFiles, Killed, TimedCase, prepare


class Ahead(AbstractContextManager["Ahead"]):
    """Processes that are started and prepared for sessions which are still at work, each to be taken by its session.

    A process that cannot be made ready is given up: the repetition then starts it as usual, and finds what is wrong. A context
    manager that leaves none running.

    Args:
        files: those of the block that is measured.
        core: the core that measures. Without another one, or if threads cannot keep to cores, nothing is made ready.
    """

    def __init__(self, files: BlockFiles, core: int | None) -> None:
        self._files = files
        self._cores = [] if core is None else [one for one in thread_cores() if one != core]
        self._made: dict[WorkerSession, WorkerSession] = {}
        self._ready: set[WorkerSession] = set()
        self._thread = ThreadPoolExecutor(1, "serbench-ahead")
        self._work: Future[None] | None = None
        self._given_up = False

    def begin(self, groups: Iterable[Sequence[TimedCase]]) -> None:
        """Begin to make ready what each group, whose cases share a session, has there now."""
        if self._cores:
            self._given_up = False
            self._work = self._thread.submit(self._make, list(groups))

    def take(self, sessions: Iterable[WorkerSession]) -> None:
        """Wait until all is ready, and give these sessions the processes that were made for them; others end."""
        self._wait()
        for session in sessions:
            if session in self._ready:
                session.take(self._made.pop(session))
        self._end()

    def __exit__(self, *_: object) -> None:
        self._given_up = True
        for session in list(self._made.values()):
            session.kill()
        self._wait()
        self._end()
        self._thread.shutdown()

    def _wait(self) -> None:
        if self._work is not None:
            wait([self._work])  # a thread that is joined looks ended once Ctrl-C has interrupted that
            self._work = None

    def _end(self) -> None:
        for session in self._made.values():
            session.end()
        self._made.clear()
        self._ready.clear()

    def _make(self, groups: Sequence[Sequence[TimedCase]]) -> None:
        keep_to(self._cores)  # with it the threads that this one starts
        # Whatever it is, the repetition meets it as well, where it can be told; a cancelled run ends in the main thread.
        with suppress(Exception, KeyboardInterrupt), ThreadPoolExecutor(core_count()) as pool:
            list(pool.map(self._make_one, groups))

    def _make_one(self, members: Sequence[TimedCase]) -> None:
        session = members[0].session
        made = self._made[session] = self._files.session(session.environment)
        copies = [replace(timed, session=made, cells={}, merged={}) for timed in members]
        with suppress(Killed, OSError):
            if not self._given_up:
                prepare(copies)
        if all(copy.prepared and copy.alive for copy in copies):
            self._ready.add(session)
        else:
            made.end()
