"""Which core a conductor has for itself, and processes that conduct side by side."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path

LOOKS_S = 0.2


@contextmanager
def own_core() -> Iterator[None]:
    """A core for the calling thread and whatever it starts, which no other conductor of this machine has; waits for one.

    Cores are shared out by locks on files, which the system takes back from a process that dies. Where a
    platform cannot pin a process there is nothing to share out.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    usable = os.sched_getaffinity(0)
    lock = _lock(usable)
    while lock is None:
        time.sleep(LOOKS_S)
        lock = _lock(usable)
    core, handle = lock
    try:
        os.sched_setaffinity(0, {core})
        yield
    finally:
        os.sched_setaffinity(0, usable)
        os.close(handle)


def _lock(cores: set[int]) -> tuple[int, int] | None:
    """The first of the cores that is free, with the open file that holds it."""
    import fcntl

    for core in sorted(cores, reverse=True):
        path = Path(tempfile.gettempdir()) / f"serbench-core-{core}.lock"
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
        except PermissionError:  # another user's, which Linux lets nobody else create in a folder of everybody's
            handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
        else:
            return core, handle
    return None


def conductors(count: int) -> ProcessPoolExecutor:
    """So many processes, each of which conducts one block at a time; Ctrl-C is for who started them."""
    return ProcessPoolExecutor(count, _Context(), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))


def end_conductors() -> None:
    """End those processes at once, whatever they are at, and no other child of this one."""
    for process in multiprocessing.active_children():
        if isinstance(process, _Conductor):
            with suppress(OSError):
                process.kill()


class _Conductor(SpawnProcess):
    """A process that `end_conductors` may end."""


class _Context(SpawnContext):
    Process = _Conductor
