"""Run the same tests again and again, each time in a fork of a process that has read all that they import from elsewhere.

    python tests/scripts/forked_tests.py PYTEST_ARGUMENT …

A line of the standard input asks for a run: a JSON object with `cpu_s` and `seconds`, the most that it may take, and
`output`, the file for what pytest prints. Its answer is a line with pytest's exit code, or `null` if the run was ended.
Starting pytest takes several times as long as most runs of it that end with the first failure.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

LOOKS_S = 0.02


def forget_project() -> None:
    """Have each module of the current folder be read again by whom imports it."""
    project = str(Path.cwd()) + os.sep
    for name, module in list(sys.modules.items()):
        if name != "__main__" and (getattr(module, "__file__", None) or "").startswith(project):
            del sys.modules[name]


def redirect(path: str) -> None:
    """Send what this process prints into a file."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def started(arguments: list[str], asked: dict) -> int:
    """The number of a process that runs the tests, and leads a group of those that they start."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    redirect(asked["output"])
    if asked["cpu_s"]:
        resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu_s"], asked["cpu_s"]))
    code = pytest.main(arguments)
    sys.stdout.flush()
    os._exit(int(code))


def ended(pid: int, seconds: float) -> int | None:
    """The exit code of that process; None if a signal, or the time, has ended it. Its group is ended with it."""
    end, status = time.monotonic() + seconds, None
    while status is None and time.monotonic() < end:
        done, code = os.waitpid(pid, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if done else None
        time.sleep(0 if done else LOOKS_S)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
    return status if status is not None and status >= 0 else None


def main() -> None:
    """Read what the tests import, and then run them as often as is asked."""
    arguments = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    redirect(os.devnull)
    pytest.main(["--collect-only", *arguments])
    forget_project()
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(ended(started(arguments, asked), asked["seconds"])), file=answers, flush=True)


if __name__ == "__main__":
    main()
