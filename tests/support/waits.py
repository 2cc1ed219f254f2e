"""Waits that end: for programs, processes, threads and conditions, each with a message that says what did not come."""

from __future__ import annotations

import multiprocessing.process
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")
LONGEST_S = 240  # far more than any of it takes on a busy machine, and less than pytest's own limit for a test
LONG_S = 1100  # for what builds a site, types many files or runs notebooks, whose tests have a limit of 1,200 s


def run(
    command: Sequence[str | Path], *, check: bool = True, seconds: float = LONGEST_S, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A program that has ended, with its output as text; with `check` it must have succeeded."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, **options)
    assert not check or done.returncode == 0, f"exit code {done.returncode}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done


def until(condition: Callable[[], Value], what: str) -> Value:
    """Wait until a condition holds; its value, which is true."""
    end = time.monotonic() + LONGEST_S
    while not (value := condition()):
        assert time.monotonic() < end, f"{what}: not within {LONGEST_S} s"
        time.sleep(0.01)
    return value


def joined(*waited: threading.Thread | multiprocessing.process.BaseProcess) -> None:
    """Wait until these threads and processes have ended."""
    for one in waited:
        one.join(LONGEST_S)
        assert not one.is_alive(), f"{one.name} did not end within {LONGEST_S} s"
