"""Shows that a process that measures again and again does not grow: its memory, handles, threads and seconds over many runs.

    python3 tests/scripts/many_runs.py 200

Each run measures two cases into one store, and is shown. A line follows for each twenty runs. Exit code 1 if handles, threads
or processes are more after the last twenty runs than after the first, or memory has grown by more than a tenth.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

import serbench

EACH = 20
CHOICE = {"records": 2, "libraries": "msgspec,dataclasses", "formats": "orjson", "effort": "quick"}
GROWTH = 1.1


class State(NamedTuple):
    """What the process holds, and the median of the last runs' times."""

    memory_mb: float
    handles: int
    threads: int
    processes: int
    seconds: float


def state(seconds: list[float]) -> State:
    """What this process holds now."""
    gc.collect()
    process = psutil.Process()
    return State(
        process.memory_info().rss / 1e6,
        process.num_fds() if hasattr(process, "num_fds") else process.num_handles(),
        threading.active_count(),
        len(process.children(recursive=True)),
        median(seconds),
    )


def main() -> None:
    """So many runs, as the first argument says."""
    count = int(sys.argv[1]) if sys.argv[1:] else 200
    states: list[State] = []
    times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="many-runs-") as folder:
        for number in range(1, count + 1):
            began = time.monotonic()
            run = serbench.run("tiny", **CHOICE, store=Path(folder, "runs.sqlite"))
            str(run.table())
            times.append(time.monotonic() - began)
            if number % EACH == 0 or number == count:
                states.append(now := state(times[-EACH:]))
                print(
                    f"{number} runs: {now.memory_mb:.0f} MB, {now.handles} handles, {now.threads} threads, "
                    f"{now.processes} processes, {now.seconds:.2f} s a run",
                    flush=True,
                )
    first, last = states[0], states[-1]
    counted = any(getattr(last, name) > getattr(first, name) for name in ("handles", "threads", "processes"))
    grows = counted or last.memory_mb > first.memory_mb * GROWTH
    said = f"memory {first.memory_mb:.0f} → {last.memory_mb:.0f} MB, a run {first.seconds:.2f} → {last.seconds:.2f} s"
    print(f"{count} runs in one process: {said}, handles {first.handles} → {last.handles}")
    sys.exit(grows)


if __name__ == "__main__":
    main()
