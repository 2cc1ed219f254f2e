"""Times the worker's loop beside timeit's, in the process of a worker, on a function that does nothing.

The worker loads this file by its path and calls `overhead`, so it is standard library only.
"""

from __future__ import annotations

import statistics
import time
import timeit
from collections import deque
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def nothing(_: Any) -> None:
    """Do nothing."""


def overhead(worker: Any, loops: int, turns: int) -> dict[str, float]:
    """Nanoseconds per call by the worker and by timeit: the median of batches that take turns.

    timeit has the same clock, and function and argument as local names, which is its fastest way.
    """
    timer = timeit.Timer("f(x)", "f, x = nothing, None", timer=time.thread_time, globals={"nothing": nothing})
    ways: dict[str, Callable[[], float]] = {
        "serbench_ns": lambda: worker.timed(nothing, [((), repeat(None, loops))], deque(maxlen=0))[0] / loops,
        "timeit_ns": lambda: timer.timeit(loops) / loops * 1e9,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns):
        for name in (list(ways), list(ways)[::-1])[turn % 2]:
            times[name].append(ways[name]())
    return {name: statistics.median(values) for name, values in times.items()}
