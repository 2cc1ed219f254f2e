"""Runs code of the user's class: it prints to standard error, has some time, raises exceptions, and ends no process."""

from __future__ import annotations

import faulthandler
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, NoReturn

LIMIT_S = 60.0
"""How long a step may take, such as the import of a class; a class whose step takes longer is refused."""


class TookTooLong(BaseException):
    """A step of a class was ended; no `except Exception` of the class's own catches it."""


class Left(Exception):
    """A class raised a BaseException that is not an Exception, such as SystemExit; the message names it."""


class _Aside(io.TextIOBase):
    """A standard output for a class: closing it closes nothing else."""

    def write(self, text: str) -> int:
        """Write to standard error: standard output is for results."""
        return sys.stderr.write(text)


@contextmanager
def user_code(step: str) -> Iterator[None]:
    """Run code of the user's class. If it crashes in C code, Python names the line on standard error.

    Raises:
        TookTooLong: it took more than `LIMIT_S`; the text names the step.
        Left: it raised a BaseException that is not an Exception, or would have ended the process.
    """
    if sys.__stderr__ is not None and not faulthandler.is_enabled():
        faulthandler.enable(sys.__stderr__)
    try:
        with redirect_stdout(_Aside()), limited(LIMIT_S, step), _without_end(step):
            yield
    except (Exception, KeyboardInterrupt, TookTooLong):
        raise
    except BaseException as error:
        raise Left(said(error)) from None


@contextmanager
def limited(limit_s: float, step: str) -> Iterator[None]:
    """End the block after this time, if the platform has a timer and this is the main thread.

    Raises:
        TookTooLong: it took more; the text names the step.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    over = list[TookTooLong]()

    def end(*_: Any) -> NoReturn:
        over.append(TookTooLong(f"{step} took more than {limit_s:g} s"))
        raise over[-1]

    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)  # of a timer that others have set
    before, began = signal.signal(signal.SIGALRM, end), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, limit_s, 1.0)  # again and again, for code that catches everything
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), interval)
        if over:  # which the code may have caught, and told as something else
            raise over[-1]


@contextmanager
def _without_end(step: str) -> Iterator[None]:
    """Have calls that end a process raise `Left` instead; a process that the class forks ends as it wants."""
    here, real = os.getpid(), {name: getattr(os, name) for name in ("_exit", "abort")}

    def refusing(name: str) -> Callable[..., NoReturn]:
        def refuse(*arguments: Any) -> NoReturn:
            if os.getpid() != here:
                real[name](*arguments)
            raise Left(f"{step} called os.{name}, which ends the process")

        return refuse

    try:
        for name in real:
            setattr(os, name, refusing(name))
        yield
    finally:
        for name, function in real.items():
            setattr(os, name, function)


def said(error: BaseException) -> str:
    """An exception as one line."""
    if isinstance(error, Left | TookTooLong):
        return str(error)
    try:
        text = " ".join(str(error).split())[:500]
    except Exception:  # its class cannot tell it
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": ")
