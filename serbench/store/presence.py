"""Tells which run of a store is active, its process and its progress, and lets another process end it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from serbench.errors import PlanError, StoreError
from serbench.machine.platform import is_running, process_space, started_at
from serbench.measure.listener import Forwarder, Progress
from serbench.store.folder import RunInfo, RunStatus
from serbench.store.opening import default_path
from serbench.store.recorder import RunListener
from serbench.store.store import Store, if_readable

MOST_PID = 2**31 - 1
TOLD_S = 0.5
"""How often a run tells the store how far it is, and looks if it is to end."""
BEAT_S, SILENT_S = 10.0, 60.0
"""How often it tells the store at least that it goes on, and after what silence one of another container has ended."""
ALONE = "process that measures"


@dataclass(frozen=True)
class Active:
    """A run that goes on, as the store tells it: its process, which may be this one, and the last line of its progress."""

    run: str
    pid: int
    text: str = "starting"
    part: float = 0.0
    wave: int = 0
    is_mine: bool = False

    @property
    def who(self) -> str:
        """Who measures it."""
        return "another cell of this notebook" if self.is_mine else "another tab or program"


class Announcer(Forwarder, RunListener):
    """Tells other processes through the store how far a run is, and sets `cancel` when one of them asks for its end."""

    listener: RunListener

    def __init__(self, listener: RunListener, path: Path, run: str, cancel: threading.Event) -> None:
        super().__init__(listener)
        self._path, self._run, self._cancel = path, run, cancel
        self._progress = self._told = Progress("starting", 0, 0, 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True, name="serbench-announcer")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        self._progress = progress
        self.listener.progress(progress)

    def _tell(self) -> None:
        from serbench.store.progress import progress_line  # imports Rich

        with suppress(StoreError), Store(self._path, timeout=TOLD_S) as store:  # a store in trouble is the run's affair
            beat = time.monotonic()
            while not self._ended.wait(TOLD_S):
                if store.fact(_end_key(self._run)) == _this_process():
                    self._cancel.set()
                step = self._progress
                if step is not self._told or time.monotonic() - beat > BEAT_S:
                    line = {"text": progress_line(step), "part": step.part or 0.0, "wave": step.wave}
                    with suppress(StoreError):  # another process writes for long
                        store.put_facts({_lock_key(self._run): _lock() | line})
                        self._told, beat = step, time.monotonic()


def active(path: str | Path | None) -> Active | None:
    """Return the newest run of a store that a living process measures; None if there is none."""
    return next((_active(run, lock) for run, lock in _living(path).items() if run), None)


def measuring(path: str | Path | None) -> set[int]:
    """Return the processes of this machine that measure into a store, or are about to."""
    return {_pid(lock) for lock in _living(path).values() if _is_here(lock)}


def measured_beside(path: str | Path | None) -> bool:
    """Tell if another process measures into a store, or is about to."""
    return not all(_is_mine(lock) for lock in _living(path).values())


def ask_to_end(path: str | Path | None, run: str) -> None:
    """Ask the process that measures a run to end it, which it does within a second; what was measured is kept."""
    with Store(path) as store:
        lock = store.fact(_lock_key(run))
        if isinstance(lock, dict):
            store.put_facts({_end_key(run): {name: lock[name] for name in _this_process() if name in lock}})


@contextmanager
def alone(path: str | Path | None) -> Iterator[None]:
    """Measure while nothing else of this store is measured.

    Raises:
        PlanError: another run goes on.
    """
    with Store(path) as store:
        if other := active(store.path):
            raise PlanError(busy(other))
        if not store.take(ALONE, _lock(), lambda held: not _lives(held)):
            raise PlanError("another run has just been started: wait for its end")
    try:
        yield
    finally:
        with suppress(StoreError), Store(path or default_path()) as store:
            store.put_facts({ALONE: None})


def busy(other: Active) -> str:
    """Say why nothing else is measured now."""
    return f"one run at a time: {other.who} measures run {other.run}; wait for its end, or cancel it"


def is_locked(store: Store, run: str) -> bool:
    """Tell if another living process is measuring that run."""
    lock = store.fact(_lock_key(run))
    return lock is not None and not is_stale(lock)


def with_status(store: Store, run: RunInfo) -> RunInfo:
    """The run with its actual status: if its process was killed, it is interrupted, not running."""
    return replace(run, status=actual_status(store, run.id, run.status))


def actual_status(store: Store, run: str, status: RunStatus) -> RunStatus:
    """The status of a run that is stored with this one."""
    return status if status != "running" or _lives(store.fact(_lock_key(run))) else "interrupted"


def acquire(store: Store, run: str) -> bool:
    """Lock a run for this process; return False, and change nothing, if another process holds the lock."""
    if not store.take(_lock_key(run), _lock(), is_stale):
        return False
    store.put_facts({_end_key(run): None})  # what was asked of an earlier part of it
    return True


def is_stale(lock: Any) -> bool:
    """Tell if a lock's process is gone or is this one."""
    return _is_mine(lock) or not _lives(lock)


def _lock_key(run: str) -> str:
    return f"process of {run}"


def _end_key(run: str) -> str:
    return f"end of {run}"


def _this_process() -> dict[str, Any]:
    return {"pid": os.getpid(), "began": started_at(os.getpid()), "space": process_space()}


def _lock() -> dict[str, Any]:
    return _this_process() | {"seen": time.time()}


def _active(run: str, lock: dict[str, Any]) -> Active:
    """Read what a lock says, in which another program may have written anything."""
    text, part, wave = lock.get("text"), lock.get("part"), lock.get("wave")
    return Active(
        run,
        _pid(lock),
        text if isinstance(text, str) else Active.text,
        min(max(part, 0.0), 1.0) if isinstance(part, float) else 0.0,
        wave if isinstance(wave, int) else 0,
        _is_mine(lock),
    )


def _living(path: str | Path | None) -> dict[str, Any]:
    """Return the locks of all processes that measure into a store, by their runs; that of one that is about to under ""."""

    def read(store: Store) -> dict[str, Any]:
        return {"": store.fact(ALONE)} | {run: store.fact(_lock_key(run)) for run in store.running()}

    return {run: lock for run, lock in (if_readable(path, read) or {}).items() if _lives(lock)}


def _is_here(lock: Any) -> bool:
    """Tell if the number in a lock is that of a process of this machine and container; so it is if an older serbench wrote it."""
    return not isinstance(lock, dict) or lock.get("space") in (None, process_space())


def _is_mine(lock: Any) -> bool:
    return _pid(lock) == os.getpid() and _is_here(lock)


def _lives(lock: Any) -> bool:
    """Tell if there is a lock whose process is still there; one that reuses its PID began at another time.

    A process of another machine or container is there as long as it is heard of.
    """
    if not _is_here(lock):
        seen = lock.get("seen")
        return isinstance(seen, int | float) and abs(time.time() - seen) < SILENT_S
    pid, began = _pid(lock), lock.get("began") if isinstance(lock, dict) else None
    return 0 < pid <= MOST_PID and is_running(pid) and (began is None or began == started_at(pid))


def _pid(lock: Any) -> int:
    """Return the number of a lock's process; 0 if it names none."""
    pid = lock.get("pid") if isinstance(lock, dict) else lock
    return pid if isinstance(pid, int) else 0
