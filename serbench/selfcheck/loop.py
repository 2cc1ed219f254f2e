"""The loop around what is measured, beside timeit's, on a function that does nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from serbench.engine.process import WORKER
from serbench.engine.programs import output_of

LOOPS, TURNS = 20_000, 30
SCRIPT = """
import importlib.util, json, os, random, statistics, sys, time, timeit

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
path, loops, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
spec = importlib.util.spec_from_file_location("worker", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
worker = module.Worker()


def nothing(_):
    pass


timer = timeit.Timer("f(x)", "f, x = nothing, None", timer=time.thread_time, globals=globals())
ways = {
    "serbench_ns": lambda: worker.batch(nothing, None, loops)[0] / loops,
    "timeit_ns": lambda: timer.timeit(loops) / loops * 1e9,
}
times = {name: [] for name in ways}
for turn in range(turns):
    for name in (list(ways), list(ways)[::-1])[turn % 2]:
        times[name].append(ways[name]())
print(json.dumps({name: statistics.median(values) for name, values in times.items()}))
"""


def loops(processes: int, scratch: Path) -> dict[str, list[float]]:
    """Nanoseconds per call by each, in so many fresh processes: the median of batches that take turns.

    timeit has the same clock, and function and argument as local names, which is its fastest way.
    """
    command = [sys.executable, "-I", "-c", SCRIPT, str(WORKER), str(LOOPS), str(TURNS)]
    found = [json.loads(output_of(command, scratch)) for _ in range(processes)]
    return {name: [one[name] for one in found] for name in found[0]}
