"""A core for each conductor, and processes that conduct side by side."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path

from serbench.machine.platform import lock_file, pinned, usable_cores

LOOKS_S = 0.2


@contextmanager
def exclusive_core() -> Iterator[None]:
    """Give the calling thread, and what it starts, a core that no other conductor of this machine has; wait for one.

    Locks on files share out the cores: the system releases the lock of a process that dies. Nothing happens if the
    platform cannot pin a process.
    """
    usable = usable_cores()
    if not usable:
        yield
        return
    while (free := _free_core(usable)) is None:
        time.sleep(LOOKS_S)
    core, handle = free
    try:
        with pinned(core):
            yield
    finally:
        os.close(handle)


def _free_core(cores: Sequence[int]) -> tuple[int, int] | None:
    """The last of the cores that is free, with the open file that holds it."""
    for core in reversed(cores):
        path = Path(tempfile.gettempdir()) / f"serbench-core-{core}.lock"
        try:
            handle = lock_file(path)
        except PermissionError:  # of a user whose umask lets nobody read it: that one's cores are not known
            handle = lock_file(path.with_suffix(f".{getattr(os, 'getuid', int)()}.lock"))
        if handle is not None:
            return core, handle
    return None


def conductors(count: int) -> ProcessPoolExecutor:
    """So many processes, each of which conducts one block at a time, and ends when this one does; Ctrl-C is left to this one."""
    sys.warnoptions.append(
        "ignore:resource_tracker"
    )  # what clears up behind a run that is killed has nothing to say to its user
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()
    return ProcessPoolExecutor(count, _Context(), initializer=_begin)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True, name="serbench-parent").start()


def _end_with_parent() -> None:
    """End this process at once when its parent is gone, however that went; then its caretaker ends its workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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
