"""Other programs that the self-check runs: tools to compare with, and neighbours that disturb."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from serbench.render.environments.caretaker import with_us
from serbench.render.environments.platform import pin_process, usable_cores

SPIN = "while True: pass"
STREAM = """
buffer, other = bytearray(64 << 20), bytearray(64 << 20)
while True:
    other[:] = buffer
    buffer[:] = other
"""  # 64 MiB is beyond every cache
NEIGHBOURS = {"other core": (SPIN, False), "same core": (SPIN, True), "memory": (STREAM, False)}
"""A neighbour → its program, and True if it runs on the core on which the engine measures."""


class ProgramError(Exception):
    """A program that did not do its work; the message is the last line of what it said."""


def output_of(command: Sequence[str], folder: Path) -> str:
    """Run a program in a folder, and give what it prints.

    Raises:
        ProgramError: it cannot be run, or does not end well.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, env=variables, check=False, **with_us()
        )
    except OSError as error:
        raise ProgramError(f"{command[0]} does not run: {error}") from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise ProgramError(f"{Path(command[0]).name} {' '.join(command[1:4])}: {said[-1][:300]}")
    return done.stdout


@contextlib.contextmanager
def neighbour(kind: str) -> Iterator[None]:
    """A program of that kind at work meanwhile, on the engine's core or on another."""
    code, same = NEIGHBOURS[kind]
    usable = usable_cores()
    process = subprocess.Popen([sys.executable, "-I", "-c", code], **with_us())
    try:
        pin_process(process.pid, usable[-1] if same else usable[0])
        yield
    finally:
        process.kill()
        process.wait()
