"""Starts one rendered case in a fresh process: the time of its imports, its models and its first calls.

Standard library only, imports nothing of serbench, runs on Python 3.8 and PyPy. It is started by its path
(`python -I starter.py MEMORY_BYTES`), answers one request on the worker's pipes, and imports next to nothing
before: whatever a library needs of the standard library is part of its price.
"""

from __future__ import annotations  # so that no annotation is looked at here

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def start_module(job: dict[str, Any]) -> dict[str, Any]:
    """CPU time of the import of a module of the user's and of the first call of a function of it, and the memory after each."""
    before = resident()
    began = time.process_time_ns()
    module = imported(job["folder"], job["module"])
    readings: dict[str, Any] = {"import": time.process_time_ns() - began}
    kept = [grown(before)]
    if job["function"]:
        function = module
        for name in job["function"].split("."):
            function = getattr(function, name)
        began = time.process_time_ns()
        result = function()
        readings["first_use"] = time.process_time_ns() - began
        del result
        kept.append(grown(before))
    return {**readings, "memory": kept}


def imported(folder: str, name: str) -> Any:
    """Import a module of a folder, or a file that no import statement can name."""
    if not name.endswith(".py"):
        sys.path.insert(0, folder)
        __import__(name)
        return sys.modules[name]
    path = folder + "/" + name
    module = sys.modules[name[:-3]] = type(sys)(name[:-3])
    module.__file__ = path
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, module.__dict__)  # noqa: S102 (the user's module)
    return module


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
    before = resident()
    began = time.process_time_ns()
    exec(imports, module.__dict__)  # noqa: S102 (the rendered module)
    imports_done = time.process_time_ns()
    exec(models, module.__dict__)  # noqa: S102 (as above)
    built = time.process_time_ns()
    times: dict[str, Any] = {"import": imports_done - began, "model_build": built - imports_done}
    kept = [grown(before)]
    objects, blob = document(job, module)
    before_calls = resident()
    for operation, argument in (("encode", objects), ("decode", blob)):
        if operation in job["operations"]:
            began = time.process_time_ns()
            result = getattr(module, operation)(argument)
            times["first_" + operation] = time.process_time_ns() - began
            blob = result if operation == "encode" else blob
            del result
    calls = grown(before_calls)  # without the document, which is the benchmark's
    kept.append(None if kept[0] is None or calls is None else kept[0] + calls)
    return {**times, "memory": kept}


def resident() -> int | None:
    """Resident memory in bytes, as `worker.weigher.resident` counts it; importing that would be part of it."""
    try:
        with open("/proc/self/smaps_rollup") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:")), None)
    except OSError:
        return None


def grown(before: int | None) -> int | None:
    """The bytes by which the process is larger than before, if the system tells."""
    after = resident()
    return None if before is None or after is None else after - before


def document(job: dict[str, Any], module: Any) -> tuple[Any, bytes]:
    """Return the objects of the neutral values, and the bytes, for a module that does not make them itself."""
    import pickle

    encoding = load_module("writer_of_" + job["module"], job["writer"]) if job["writer"] else module
    fidelity = load_module("_serbench_fidelity", job["fidelity"])
    with open(job["values"], "rb") as file:
        value = pickle.load(file)
    with fidelity.deep_recursion():
        make = getattr(encoding, "build", None) or fidelity.builder(job["spec"], job["spec"]["root"], encoding)
        objects = make(value) if make else value
    with open(job["blob"], "rb") as file:
        return objects, file.read()


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

            most = resource.getrlimit(resource.RLIMIT_AS)[1]  # as for a worker
            memory_bytes = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        except (ImportError, AttributeError):
            pass  # no limits on this platform
    replies = os.dup(1)
    os.dup2(2, 1)
    size = int.from_bytes(sys.stdin.buffer.read(4), "big")
    names = {"true": True, "false": False, "null": None}
    job = eval(sys.stdin.buffer.read(size).decode(), names)  # noqa: S307 (written by serbench)
    try:
        reply = start_module(job) if "folder" in job else start(job)
    except MemoryError:
        reply = {"error": "MemoryError", "status": "memory"}
    except Exception as error:
        reply = {"error": type(error).__name__ + ": " + " ".join(str(error).split())[:300], "status": "failed"}
    import json

    text = json.dumps(reply).encode()
    os.write(replies, len(text).to_bytes(4, "big") + text)


if __name__ == "__main__":
    main()
