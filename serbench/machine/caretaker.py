"""Leaves nothing behind: programs that this process starts, and its temporary folders, go when it goes, however it went.

This file is also a program, the caretaker (standard library only, started by its path). It reads a pipe whose other end this
process alone holds. When that closes, it ends its group, in which each program of ours is from its birth, and removes the folders.
Where there are no groups of processes, or if the caretaker itself was ended, the next scratch folder removes what was left.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

SCRATCH = "serbench-"
MARK = "worker-"
_lock = threading.Lock()
_caretaker: subprocess.Popen[bytes] | None = None


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A temporary folder, the only kind that serbench makes: its name says whose it is."""
    _remove_leftovers_once(tempfile.gettempdir())
    with_us()
    with tempfile.TemporaryDirectory(prefix=_begins(os.getpid()), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _begins(pid: int | str) -> str:
    """How the names of a process's folders begin; containers that share the place of these number processes alike."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    return f"{SCRATCH}{pid}.{space}-"


def with_us() -> dict[str, Any]:
    """Options of `subprocess` for a program that ends with this process at the latest; Ctrl-C is left to this process."""
    global _caretaker  # noqa: PLW0603  # there is one for each process
    if sys.platform == "win32":
        return {"start_new_session": True}
    with _lock:
        if _caretaker is None or _caretaker.poll() is not None:
            _close_pipe()
            command = [sys.executable, "-I", "-S", __file__, tempfile.gettempdir(), str(os.getpid())]
            nobody = subprocess.DEVNULL
            _caretaker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nobody, stderr=nobody, process_group=0)
        return {"process_group": _caretaker.pid}


def _close_pipe() -> None:
    if _caretaker is not None and _caretaker.stdin is not None:
        _caretaker.stdin.close()


@atexit.register
def _end_caretaker() -> None:
    _close_pipe()
    if _caretaker is not None:
        _caretaker.wait()


def _forget_caretaker() -> None:
    """In a copy of this process, which would else hold the pipe open."""
    global _caretaker, _lock  # noqa: PLW0603
    _lock = threading.Lock()
    _close_pipe()
    if _caretaker is not None:
        _caretaker.returncode = 0  # it is nobody's child here
    _caretaker = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_caretaker)


def mark(folder: Path, pid: int, program: Path) -> None:
    """Note in a scratch folder which process works for it, should nobody be left to end that."""
    (folder / f"{MARK}{pid}").write_text(str(program), encoding="utf-8")


@cache
def _remove_leftovers_once(folder: str) -> None:
    remove_leftovers(Path(folder))


def remove_leftovers(folder: Path) -> None:
    """Remove this user's scratch folders whose processes, of this container, were killed, and end the workers of these."""
    from serbench.machine.platform import is_running

    for left in folder.glob(_begins("*") + "*"):
        pid = left.name.removeprefix(SCRATCH).partition(".")[0]
        with suppress(OSError):  # another process removes it
            if pid.isdigit() and not is_running(int(pid)) and _is_ours(left):
                end_orphans(left)
                shutil.rmtree(left, ignore_errors=True)


def end_orphans(scratch: Path) -> None:
    """End the workers of a conductor that was killed and left that folder: one may be in a call without end."""
    from serbench.machine.platform import kill_process, runs_file

    for left in scratch.rglob(f"{MARK}*"):
        pid = left.name.removeprefix(MARK)
        program = left.read_text(encoding="utf-8")
        if pid.isdigit() and program and runs_file(int(pid), program):
            kill_process(int(pid))  # it is no other program that has got the number since


def _is_ours(folder: Path) -> bool:
    """Say if a folder, and not a link to one, is this user's: anybody may make one of that name."""
    return not folder.is_symlink() and (not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid())


def _take_care(folder: str, pid: str, group: str = "") -> None:
    """Wait until the process of that number has closed the pipe; then end its programs' group, and remove its folders.

    Whoever ends a group is not in it: that is this program again, which is then told the group.
    """
    if not group:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while os.read(0, 1):
            pass
        subprocess.Popen([sys.executable, "-I", "-S", *sys.argv, str(os.getpgrp())], process_group=0).wait()
        return
    with suppress(ProcessLookupError):
        os.killpg(int(group), signal.SIGKILL)
    _end_kernels(Path(folder) / _begins(pid))
    left = list(Path(folder).glob(f"{_begins(pid)}*"))
    for _ in range(50):  # what has just been killed may still be writing
        for one in filter(_is_ours, left):
            shutil.rmtree(one, ignore_errors=True)
        left = [one for one in left if one.exists()]
        if not left:
            break
        time.sleep(0.02)


def _end_kernels(begins: Path) -> None:
    """End the kernels of notebooks, whose files begin so: they are in sessions of their own.

    One that starts would make its folder again, even if the process has removed that before it ended.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            words = (process / "cmdline").read_bytes()
            if b"\0-f\0" + os.fsencode(begins) in words:
                os.kill(int(process.name), signal.SIGKILL)


if __name__ == "__main__":
    _take_care(*sys.argv[1:])
