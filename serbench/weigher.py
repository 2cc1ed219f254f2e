"""Weighs one rendered case in a fresh process: its start-up, its memory, its threads or where its time goes.

Standard library only, imports nothing of serbench, runs on Python 3.8 and PyPy. As a program
(`python -I weigher.py MEMORY_BYTES`) it answers one request on the worker's pipes about a start-up, and
imports next to nothing before: whatever a library needs of the standard library is part of its price.
The other functions are called by a worker, in its process.
"""

from __future__ import annotations  # so that no annotation is looked at here

import gc
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from typing import Any

RETAINED_BYTES = 8 << 20  # so much that pages and free lists do not matter
DOCUMENTS = 20_000
LEAST_PEAK_BYTES = 2 << 20  # less is lost in what importing a library has left free
RETAINING_NS = 3_000_000_000


def start(job: dict[str, Any]) -> dict[str, Any]:
    """CPU time of a module's imports, of the rest of the module, and of the first calls of its functions."""
    with open(job["path"], encoding="utf-8") as file:
        lines = file.read().splitlines(True)
    count = job["imports"]
    blank = ["\n"] * count
    if any(line.startswith("from __future__") for line in lines[:count]):
        blank[-1] = "from __future__ import annotations\n"
    imports = compile("".join(lines[:count]), job["path"], "exec")
    models = compile("".join(blank + lines[count:]), job["path"], "exec")
    module = type(sys)(job["module"])
    module.__file__ = job["path"]
    sys.modules[job["module"]] = module
    began = time.process_time_ns()
    exec(imports, module.__dict__)  # noqa: S102 (the rendered module)
    imported = time.process_time_ns()
    exec(models, module.__dict__)  # noqa: S102 (as above)
    built = time.process_time_ns()
    found = {"import": imported - began, "model_build": built - imported}
    objects, blob = document(job, module)
    for operation, argument in (("encode", objects), ("decode", blob)):
        if operation in job["operations"]:
            began = time.process_time_ns()
            result = getattr(module, operation)(argument)
            found["first_" + operation] = time.process_time_ns() - began
            blob = result if operation == "encode" else blob
            del result
    return found


def document(job: dict[str, Any], module: Any) -> tuple[Any, bytes]:
    """The objects of the neutral values, and the bytes where the module itself does not make them."""
    import pickle

    encoding = load_module("writer_of_" + job["module"], job["writer"]) if job["writer"] else module
    fidelity = load_module("_serbench_fidelity", job["fidelity"])
    with open(job["values"], "rb") as file:
        value = pickle.load(file)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        make = getattr(encoding, "build", None) or fidelity.builder(job["spec"], job["spec"]["root"], encoding)
        objects = make(value) if make else value
    finally:
        sys.setrecursionlimit(limit)
    with open(job["blob"], "rb") as file:
        return objects, file.read()


def blobs(worker: Any, case: str, whole: str, small: str) -> dict[str, Any]:
    """Write a prepared case's document to the file `whole`, and the first item of a list alone to `small`."""
    prepared = worker.cases[case]
    with open(whole, "wb") as file:
        file.write(prepared.blob)
    first = prepared.objects[:1] if isinstance(prepared.objects, list) and len(prepared.objects) > 1 else None
    if first is not None:
        with open(small, "wb") as file:
            file.write(prepared.module.encode(first))
    return {"small": first is not None}


def memory(
    worker: Any, operation: str, module: str, path: str, whole: str, small: str | None, data: str
) -> dict[str, Any]:
    """What one call of an operation needs at most, and what each decoded document keeps, in bytes of resident memory.

    A document of one item is encoded or decoded before, so that what the first call of all sets up is not counted.
    """
    imported = load_module(module, path)
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
    peak = status("VmHWM")
    found: dict[str, Any] = {"peak": None, "retained": None, "lacking": None}
    if before is None or peak is None or not reset:
        found["lacking"] = "this system has no high-water mark of memory that can be reset"
    else:
        found["peak"] = peak - before
    if operation == "decode" and resident() is not None:
        found["retained"] = retained(function, argument, kept)
    return found


def retained(function: Callable[[Any], Any], argument: Any, kept: list[Any]) -> float | None:
    """By how much each further document that is kept makes the process larger."""
    before = resident() or 0
    began = time.perf_counter_ns()
    count, grown = 1, 0
    while (grown < RETAINED_BYTES or count < 10) and count < DOCUMENTS:
        if count > 1 and time.perf_counter_ns() - began > RETAINING_NS:
            break
        lacking = (RETAINED_BYTES - grown) * (count - 1) // max(grown, 1) + 1
        step = min(lacking, 2 * count, 1 + RETAINING_NS * count // (8 * max(time.perf_counter_ns() - began, 1)))
        kept.extend(function(argument) for _ in range(step))
        count += step
        grown = (resident() or 0) - before
    return grown / (count - 1)


def collector(worker: Any, case: str, operation: str, loops: int, turns: int) -> dict[str, Any]:
    """CPU time of a batch with the garbage collector on and with it off, turn by turn in alternating order."""
    times: dict[str, list[int]] = {"on": [], "off": []}
    for turn in range(turns):
        for state in ("on", "off") if turn % 2 else ("off", "on"):
            worker.collects = state == "on"
            times[state].append(worker.measure(case, operation, loops, max(1, loops // 2))["times"][0])
    return times


def threads(worker: Any, case: str, operation: str, counts: list[int], loops: int) -> dict[str, Any]:
    """Wall time in which so many threads each call an operation `loops` times, for each number of threads."""
    import threading

    function, argument = worker.cases[case].input(operation)
    times = {}
    for count in counts:
        ready = threading.Barrier(count + 1)

        def work(ready: threading.Barrier = ready) -> None:
            ready.wait()
            for _ in range(loops):
                function(argument)

        started = [threading.Thread(target=work) for _ in range(count)]
        for thread in started:
            thread.start()
        ready.wait()
        began = time.perf_counter_ns()
        for thread in started:
            thread.join()
        times[str(count)] = time.perf_counter_ns() - began
    return {"times": times, "gil": getattr(sys, "_is_gil_enabled", lambda: True)()}


def profile(worker: Any, case: str, operation: str, loops: int) -> dict[str, Any]:
    """Where the time of `loops` calls goes: each function with its calls, its own time and who it called.

    Times are seconds of wall time under cProfile; `plain_s` is the same without it.
    """
    import cProfile

    function, argument = worker.cases[case].input(operation)
    function(argument)
    plain = time.perf_counter()
    for _ in range(loops):
        function(argument)
    plain = time.perf_counter() - plain
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(loops):
        function(argument)
    profiler.disable()
    entries = profiler.getstats()
    places: dict[Any, int] = {}
    functions: list[dict[str, Any]] = []
    for entry in entries:
        places[entry.code] = len(functions)
        file, line, name = origin(entry.code)
        functions.append({"name": name, "file": file, "line": line, "calls": entry.callcount})
        functions[-1].update(own_s=entry.inlinetime, total_s=entry.totaltime)
    for entry, described in zip(entries, functions):
        described["callees"] = [
            [places[c.code], c.callcount, c.totaltime] for c in entry.calls or () if c.code in places
        ]
    root = places.get(getattr(function, "__code__", None))
    return {"functions": functions, "root": root, "plain_s": plain, "loops": loops}


def origin(code: Any) -> tuple[str, int, str]:
    """The file of a function (below the folder it is imported from), its line, and its name."""
    if isinstance(code, str):
        return "", 0, code
    path = code.co_filename
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        if path.startswith(folder):
            path = path[len(folder) :].lstrip("/\\")
            break
    return path, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)


def files(_worker: Any) -> dict[str, Any]:
    """Every distribution that is installed here: its name, what it requires, and the bytes of its files on disk."""
    from importlib import metadata

    found = {}
    for one in metadata.distributions():
        size = 0
        for file in one.files or ():
            try:
                size += one.locate_file(file).stat().st_size if "__pycache__" not in file.parts else 0  # type: ignore[attr-defined]
            except OSError:
                continue  # listed, and gone since
        found[one.metadata["Name"]] = {"bytes": size, "requires": one.requires or []}
    return {"distributions": found}


def read(path: str) -> bytes:
    """A file's bytes."""
    with open(path, "rb") as file:
        return file.read()


def status(name: str) -> int | None:
    """A figure of this process in bytes, as Linux gives it; None elsewhere."""
    try:
        with open("/proc/self/status") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":")), None)
    except OSError:
        return None


def resident() -> int | None:
    """Resident memory in bytes, counted page by page where the system can (its running count is off by some pages)."""
    try:
        with open("/proc/self/smaps_rollup") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:")), None)
    except OSError:
        return status("VmRSS")


def reset_peak() -> bool:
    """Begin the high-water mark of memory anew; False where that cannot be done."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def load_module(name: str, path: str) -> Any:
    """Import a file under a flat name."""
    import importlib.util

    spec: Any = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Answer one request; JSON is read as the Python that it is but for three names."""
    import os

    memory_bytes = int(sys.argv[1])
    if memory_bytes:
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        except (ImportError, AttributeError):
            pass  # no limits on this platform
    replies = os.dup(1)
    os.dup2(2, 1)
    size = int.from_bytes(sys.stdin.buffer.read(4), "big")
    names = {"true": True, "false": False, "null": None}
    job = eval(sys.stdin.buffer.read(size).decode(), names)  # noqa: S307 (written by serbench)
    try:
        reply = start(job)
    except MemoryError:
        reply = {"error": "MemoryError", "status": "memory"}
    except Exception as error:
        reply = {"error": type(error).__name__ + ": " + " ".join(str(error).split())[:300], "status": "failed"}
    import json

    text = json.dumps(reply).encode()
    os.write(replies, len(text).to_bytes(4, "big") + text)


if __name__ == "__main__":
    main()
