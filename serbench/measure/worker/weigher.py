"""Weighs a case in a worker's process: memory, leaks, threads, reading of long files, and the loop that times it.

The worker loads this file by its path inside any environment and calls its functions, so it is standard library
only, imports nothing of serbench, and runs on Python 3.8 and PyPy.
"""

from __future__ import annotations  # so that no annotation is looked at here

import gc
import sys
import time
import timeit
from collections import deque
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

RETAINED_BYTES = 8 << 20  # so much that pages and free lists do not matter
DOCUMENTS = 20_000
LEAST_PEAK_BYTES = 2 << 20  # less is lost in what importing a library has left free
RETAINING_NS = 3_000_000_000
SPANS = 5
SETTLING = 8  # spans at most that are not counted: caches and free lists fill
SPAN_NS = 50_000_000
SPAN_CALLS = (200, 20_000)
LONGEST_SPAN_NS = 2_000_000_000  # fewer calls than the least, if these would take longer
MOST_LEAKED_BYTES = 256 << 20  # or would fill the memory
THREADS = (1, 2, 4)
NO_PEAK = "this system has no high-water mark of memory that can be reset"
SMALL_PEAK = "less than 2 MB, too little to distinguish from memory that the process had free; use more --records"
NO_RESIDENT = "this system does not tell the resident memory of a process page by page"
NO_BLOCKS = "this interpreter does not count its blocks of memory"
LOCKED = "a compiled module that the case imports has turned the global lock on again"


def blobs(worker: Any, case: str, whole: str, small: str) -> dict[str, Any]:
    """Write a prepared case's document to the file `whole`, and the first item of a longer list alone to `small`."""
    prepared = worker.cases[case]
    with open(whole, "wb") as file:
        file.write(prepared.blob)
    if isinstance(prepared.objects, list) and len(prepared.objects) > 1:
        with open(small, "wb") as file:
            file.write(prepared.module.encode(prepared.objects[:1]))
    return {}


def memory(
    worker: Any, operation: str, module: str, path: str, whole: str, small: str | None, data: str
) -> dict[str, Any]:
    """Return the most memory that one call of an operation needs, and that each decoded document keeps, in resident bytes.

    A document of one item is encoded or decoded before, so that what the first call of all sets up is not counted.
    """
    imported = worker.load_module(module, path)
    argument, first = read(whole), read(small) if small else None
    if operation == "encode":
        spec, value = worker.data[data]
        make = getattr(imported, "build", None) or worker.fidelity.builder(spec, spec["root"], imported)
        argument = make(value) if make else value
        first = argument[:1] if small else None
    function = getattr(imported, operation)
    if first is not None:
        function(first)
    gc.collect()
    before, reset = status("VmRSS"), reset_peak()
    kept = [function(argument)]
    peak = (status("VmHWM") or 0) - before if before is not None and reset else None
    small_peak = peak is not None and peak < LEAST_PEAK_BYTES
    reply: dict[str, Any] = {"peak": NO_PEAK if peak is None else SMALL_PEAK if small_peak else peak}
    if operation == "decode":
        reply["retained"] = NO_RESIDENT if resident() is None else retained(function, argument, kept)
    return reply


def retained(function: Callable[[Any], Any], argument: Any, kept: list[Any]) -> float | None:
    """Return the bytes by which each further document that is kept makes the process larger."""
    before = resident() or 0
    began = time.perf_counter_ns()
    grown = 0
    while (grown < RETAINED_BYTES or len(kept) < 10) and len(kept) < DOCUMENTS:
        count = len(kept)
        if count > 1 and time.perf_counter_ns() - began > RETAINING_NS:
            break
        lacking = (RETAINED_BYTES - grown) * (count - 1) // max(grown, 1) + 1
        step = min(lacking, 2 * count, 1 + RETAINING_NS * count // (8 * max(time.perf_counter_ns() - began, 1)))
        kept.extend(function(argument) for _ in range(max(step, 1)))
        grown = (resident() or 0) - before
    return grown / (len(kept) - 1)


def leak(worker: Any, case: str, operation: str) -> dict[str, Any]:
    """Return by how many blocks and resident bytes per call the process grows if no answer is kept.

    A process takes some memory once, which is no leak, so the first calls do not count. Five spans of equally many calls
    follow, and the span that grows least gives the result. Each call gets a new argument: a leaked reference then keeps
    one more object per call.
    """
    import pickle
    from array import array

    prepared = worker.cases[case]
    function = prepared.function(operation)
    make, value = None, prepared.input(operation)
    if operation == "encode":
        _, value = worker.data[prepared.data]
        make = prepared.user.make if prepared.user_encodes else prepared.make
    pickled, loads = pickle.dumps(value), pickle.loads

    def work(calls: int, function: Callable[[Any], Any] = function) -> int:
        began = time.perf_counter_ns()
        for _ in range(calls):
            argument = loads(pickled)
            function(make(argument) if make else argument)
        del argument
        gc.collect()
        return time.perf_counter_ns() - began

    gc.enable()
    work(1)
    before = resident() or 0
    each = max(work(10) // 10, 1)
    leaked = max(((resident() or 0) - before) // 10, 1)
    most = min(SPAN_CALLS[1], LONGEST_SPAN_NS // each, MOST_LEAKED_BYTES // (4 * (SPANS + SETTLING)) // leaked)
    calls = max(1, min(max(SPAN_NS // each, SPAN_CALLS[0]), most))

    def growth_in(read: Callable[[], int | None], lacking: str) -> float | str:
        """One quantity alone: a reading of resident memory leaves a block."""
        if read() is None:
            return lacking
        grown = array("q", [0] * (2 * SPANS))  # which grows by nothing itself

        def span(number: int) -> None:
            for turn, one in enumerate((id, function)):  # what making arguments alone leaves is not the function's
                before = read() or 0
                work(calls, one)
                grown[2 * number + turn] = (read() or 0) - before

        for _ in range(SETTLING):
            span(0)
            if max(grown[:2]) <= 1:  # `before` is a block
                break
        for number in range(SPANS):
            span(number)
        return (min(grown[1::2]) - min(grown[::2])) / calls

    blocks = getattr(sys, "getallocatedblocks", lambda: None)
    return {"blocks": growth_in(blocks, NO_BLOCKS), "bytes": growth_in(resident, NO_RESIDENT)}


def threads(worker: Any, case: str, operation: str, loops: int) -> dict[str, Any]:
    """Return how many times as much as one thread several get done by the wall clock, each with `loops` calls."""
    import sysconfig
    import threading

    prepared = worker.cases[case]
    function, argument = prepared.function(operation), prepared.input(operation)

    def work(ready: threading.Barrier) -> None:
        ready.wait()
        for _ in range(loops):
            function(argument)

    times = []
    for count in THREADS:
        ready = threading.Barrier(count + 1)
        started = [threading.Thread(target=work, args=(ready,)) for _ in range(count)]
        for thread in started:
            thread.start()
        ready.wait()
        began = time.perf_counter_ns()
        for thread in started:
            thread.join()
        times.append(time.perf_counter_ns() - began)
    locked = sysconfig.get_config_var("Py_GIL_DISABLED") and getattr(sys, "_is_gil_enabled", bool)()
    pairs = list(zip(THREADS, times))[1:]
    return {"{}_threads".format(count): LOCKED if locked else count * times[0] / wall for count, wall in pairs}


def files(_worker: Any) -> dict[str, Any]:
    """Every distribution that is installed here: its name, what it requires, and the bytes of its files on disk."""
    from importlib import metadata

    installed = {}
    for distribution in metadata.distributions():
        size = 0
        for file in distribution.files or ():
            try:
                size += distribution.locate_file(file).stat().st_size if "__pycache__" not in file.parts else 0  # type: ignore[attr-defined]
            except OSError:
                continue  # listed, and gone since
        installed[distribution.metadata["Name"]] = {"bytes": size, "requires": distribution.requires or []}
    return {"distributions": installed}


def read_stream(worker: Any, module: str, path: str, file: str) -> dict[str, Any]:
    """Read every record of a file, keeping none: the CPU time, how many, and the memory that this process had at most."""
    reading = worker.load_module(module, path).read_stream
    cpu = time.thread_time_ns()
    with open(file, "rb") as records:
        count = sum(1 for _ in reading(records))
    cpu = time.thread_time_ns() - cpu
    return {"cpu_ns": cpu, "records": count, "peak_bytes": status("VmHWM")}


def nothing(_: Any) -> None:
    """Do nothing."""


def overhead(worker: Any, loops: int, turns: int) -> dict[str, float]:
    """Nanoseconds per call by the worker and by timeit: the median of batches that take turns.

    timeit has the same clock, and function and argument as local names, which is its fastest way.
    """
    from statistics import median

    timer = timeit.Timer("f(x)", "f, x = nothing, None", timer=time.thread_time, globals={"nothing": nothing})
    ways: dict[str, Callable[[], float]] = {
        "serbench_ns": lambda: worker.timed(nothing, [((), repeat(None, loops))], deque(maxlen=0))[0] / loops,
        "timeit_ns": lambda: timer.timeit(loops) / loops * 1e9,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns):
        for name in (list(ways), list(ways)[::-1])[turn % 2]:
            times[name].append(ways[name]())
    return {name: median(values) for name, values in times.items()}


def read(path: str) -> bytes:
    """A file's bytes."""
    with open(path, "rb") as file:
        return file.read()


def status(name: str, path: str = "/proc/self/status") -> int | None:
    """A figure of this process in bytes, as Linux gives it; None elsewhere."""
    try:
        with open(path) as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":")), None)
    except OSError:
        return None


def resident() -> int | None:
    """Resident memory in bytes, counted page by page if the system can (its running count is off by some pages)."""
    return status("Rss", "/proc/self/smaps_rollup") or status("VmRSS")


def reset_peak() -> bool:
    """Begin the high-water mark of memory anew; False if that cannot be done."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True
