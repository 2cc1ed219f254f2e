"""Supervises a command: users' code may end its process, never end, or take all memory; one line and our exit code say so.

The command goes on in a copy of this process, in a process group of its own. The copy notes on a shared page which step of
users' code it runs, until when and in how much memory, and at last its exit code. This process looks at the page, passes
signals on, and leaves nothing running. Without `fork`, as on Windows, nobody supervises.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import re
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

COMMANDS = frozenset({"run", "verify", "compare", "history", "gate", "recommend", "adopt", "weigh", "show"})
"""Those that run code of users, or read their files."""
FIXED_LIMIT = frozenset({"adopt", "compare", "show"})
"""Those that have no option --memory-limit."""
GRACE_S, ENDING_S = 3.0, 1.0
"""What a step may take beyond its limit, and the process beyond its answer."""
LOOKS_S = 0.1
MEMORY_BYTES = 8 << 30
PRINTED_BYTES = 64 << 10
"""How much of what users' code prints is shown."""
LEFT_OUT = f"\nserbench: code of yours has printed more than {PRINTED_BYTES >> 10} kB; the rest is not shown\n"
WRONG_USE = 2
_STATE = struct.Struct("=ddQ?i200s")
"""Until when, after how long, the most memory, whether there is an answer, its code, the step."""
_LIBRARIES = (os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120  # pathlib takes long
_FRAME = re.compile(r'File "(.+)", line (\d+) in')
_page: mmap.mmap | None = None  # of a supervised process
_pipe = -1  # whose other end the supervisor holds


def supervise() -> None:
    """Return in a copy of this process; this one waits for it, and exits."""
    if not hasattr(os, "fork"):
        return
    page = mmap.mmap(-1, _STATE.size)
    while (free := os.open(os.devnull, os.O_RDWR)) <= 2:  # else a pipe would have the number of a closed output
        pass
    os.close(free)
    (ours, held), (stacks, told), (aside, printed) = os.pipe(), os.pipe(), os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, _passed_on())  # until somebody is there to pass them on to
    if pid := os.fork():
        os.close(told)
        os.close(printed)
        _Supervisor(pid, page, stacks, aside).end()
    os.setpgid(0, 0)
    os.close(held)
    os.close(aside)
    _end_with(ours)
    _keep_outputs(printed)
    for number in (signal.SIGTTIN, signal.SIGTTOU):  # it is in the background: reading fails, and writing does not
        signal.signal(number, signal.SIG_IGN)
    faulthandler.enable(told)
    _set_page(page)
    os.register_at_fork(after_in_child=_set_page)  # the copies that users' code makes note nothing
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _passed_on())


@contextmanager
def bounded(step: str, seconds: float, memory_bytes: int = MEMORY_BYTES) -> Iterator[None]:
    """Have the supervisor, if there is one, end this process if the block takes more time or memory."""
    page = _page
    if page is None:
        yield
        return
    before = page[: _STATE.size]
    _note(seconds, GRACE_S, memory_bytes, step)
    try:
        yield
    finally:
        if _page is page:
            _end_if_closed(step)
            page[: _STATE.size] = before


def answer(code: int) -> None:
    """Note the exit code: whatever is still to end in this process changes nothing about it."""
    _note(0, ENDING_S, code=code)
    _set_page()


def _end_if_closed(step: str) -> None:
    """End at once if users' code has closed what it had not opened: the store's file may be among that, and others have its number."""
    try:
        os.fstat(_pipe)
    except OSError:
        _note(0, ENDING_S, step=f"{step}, which closed files of serbench,")
        os._exit(WRONG_USE)


def _note(seconds: float, more: float, memory_bytes: int = 0, step: str = "", code: int | None = None) -> None:
    until = time.monotonic() + seconds + more
    if _page is not None:
        _STATE.pack_into(_page, 0, until, seconds, memory_bytes, code is not None, code or 0, step.encode()[:200])


def _set_page(page: mmap.mmap | None = None) -> None:
    global _page  # noqa: PLW0603  # a process has one
    _page = page


def _passed_on() -> set[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGCONT")
    return {signal.Signals[name] for name in names}


def _end_with(pipe: int) -> None:
    """Have the system end this process when nobody holds the other end of a pipe: the supervisor was killed."""
    global _pipe  # noqa: PLW0603  # a process has one
    import fcntl

    _pipe = pipe
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_ASYNC)
    signal.signal(signal.SIGIO, signal.SIG_DFL)


def _keep_outputs(printed: int) -> None:
    """Keep both outputs for answers: what anything else writes to descriptors 1 and 2 goes to the supervisor."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        with suppress(OSError, AttributeError):  # there is none
            usual, kept = getattr(sys, name), os.dup(number)
            line = 1 if usual.line_buffering or usual.write_through else -1  # as by PYTHONUNBUFFERED
            setattr(sys, name, open(kept, "w", line, encoding=usual.encoding, errors=usual.errors, closefd=False))  # noqa: SIM115
            os.dup2(printed, number)


def _show_beginning(aside: int) -> None:
    """Copy the beginning of what arrives to standard error, and read the rest: else who writes it would wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # the main thread handles them
    left = PRINTED_BYTES
    with suppress(OSError):  # there is no standard error
        while text := os.read(aside, PRINTED_BYTES):
            if left > 0:
                os.write(2, text[:left])
                left -= len(text)
                if left <= 0:
                    os.write(2, LEFT_OUT.encode())


class _Supervisor:
    """Waits for the copy of this process."""

    def __init__(self, pid: int, page: mmap.mmap, stacks: int, aside: int) -> None:
        self.pid, self.page, self.stacks = pid, page, stacks
        self.why, self.asked = "", set[int]()
        self.printed = threading.Thread(target=_show_beginning, args=(aside,), daemon=True)
        self.printed.start()
        _adopt_others()
        with suppress(OSError):  # it has done so itself
            os.setpgid(pid, pid)
        for number in _passed_on():
            if signal.getsignal(number) is not signal.SIG_IGN:  # a shell has its background jobs ignore some
                signal.signal(number, self._pass_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _passed_on())
        signal.signal(signal.SIGALRM, self._look)
        signal.setitimer(signal.ITIMER_REAL, LOOKS_S)

    def end(self) -> NoReturn:
        """Wait until the copy ends; end what it has left, and exit as it wants to."""
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        while os.WIFSTOPPED(status):
            if not (self._step() and os.WSTOPSIG(status) == signal.SIGSTOP):  # else the limit of that step ends it
                os.kill(os.getpid(), signal.SIGSTOP)
                os.killpg(self.pid, signal.SIGCONT)
            _, status = os.waitpid(self.pid, os.WUNTRACED)
        signal.setitimer(signal.ITIMER_REAL, 0)
        with suppress(OSError):  # there is nobody
            os.killpg(self.pid, signal.SIGKILL)
        _end_others()
        self.printed.join(ENDING_S)
        ended = os.waitstatus_to_exitcode(status)
        *_, answered, code, step = _STATE.unpack_from(self.page)
        if answered:
            sys.exit(code)
        if -ended in self.asked:
            signal.signal(-ended, signal.SIG_DFL)
            os.kill(os.getpid(), -ended)
        begun = "\n" if step.strip(b"\0") else ""  # the step may have printed a part of a line
        with suppress(OSError):  # standard error is closed or full
            os.write(2, f"{begun}serbench: {self._told(_text(step), ended)}\n".encode())
        sys.exit(WRONG_USE)

    def _step(self) -> str:
        return _text(_STATE.unpack_from(self.page)[-1])

    def _pass_on(self, number: int, _frame: Any) -> None:
        self.asked.add(number)
        with suppress(OSError):  # it has ended
            os.killpg(self.pid, number)

    def _look(self, *_: Any) -> None:
        until, seconds, most, answered, _, step = _STATE.unpack_from(self.page)
        if until and time.monotonic() > until:
            self._end_copy(f"{_text(step)} took more than {round(seconds, 1):g} s", at_once=answered)
        elif most and _resident(self.pid) > most:
            raised = "" if FIXED_LIMIT & {*sys.argv[1:2]} else " (--memory-limit raises that)"
            self._end_copy(f"{_text(step)} took more than {most >> 20:,} MB of memory{raised}")
        signal.setitimer(signal.ITIMER_REAL, LOOKS_S)

    def _end_copy(self, why: str, *, at_once: bool = False) -> None:
        self.why = self.why or why
        with suppress(OSError):  # it has ended
            if not at_once:
                os.kill(self.pid, signal.SIGABRT)  # which has Python tell where it is
                time.sleep(LOOKS_S)
            os.killpg(self.pid, signal.SIGKILL)

    def _told(self, step: str, ended: int) -> str:
        """Return one line: why there is no answer, and where the code was."""
        from serbench.errors import visible
        from serbench.machine.platform import exit_text, was_killed

        frames: list[tuple[str, str]] = []
        os.set_blocking(self.stacks, False)
        with suppress(OSError):  # Python has told no stack
            frames = _FRAME.findall(
                os.read(self.stacks, 1 << 16).decode(errors="replace").partition("Current thread")[2]
            )
        own = [(file, line) for file, line in frames if not file.startswith(_LIBRARIES) and "site-packages" not in file]
        where = "".join(f", at {file}, line {line}" for file, line in (own or frames)[:1])
        by = ", most likely for want of memory" if was_killed(ended) else ""
        what = f"{step} ended the process" if step else "the process of serbench ended"
        why = self.why or f"{what} ({exit_text(ended)}{by})"
        return visible(f"{why}{where}; no answer can be given, and what was measured is kept")


def _adopt_others() -> None:
    """Become the parent of what users' code leaves in sessions of its own, where the system can do that."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _end_others() -> None:
    """End what the copy has left outside its group, but for the caretakers, which remove its folders and then end."""
    end = time.monotonic() + ENDING_S
    with suppress(ChildProcessError):  # there is none, or no other
        while time.monotonic() < end:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            import psutil

            for one in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    if not any(word.endswith("caretaker.py") for word in one.cmdline()):
                        one.kill()
            time.sleep(0.02)


def _text(step: bytes) -> str:
    return step.rstrip(b"\0").decode(errors="replace")


def _resident(pid: int) -> int:
    import psutil

    with suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0
