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
    from collections.abc import Callable
    from typing import Any

NO_RESIDENT = "this system does not tell the resident memory of a process page by page"


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
    module = new_module(job["module"], job["path"])
    times: dict[str, Any] = {}
    before = resident()
    times["import"] = timed(exec, imports, module.__dict__)[0]
    times["model_build"] = timed(exec, models, module.__dict__)[0]
    after = grown(before)
    objects, blob = document(job, module)
    before = resident()
    if "encode" in job["operations"]:
        times["first_encode"], blob = timed(module.encode, objects)
    if "decode" in job["operations"]:
        times["first_decode"] = timed(module.decode, blob)[0]
    calls = grown(before)  # without the document, which is the benchmark's
    used = NO_RESIDENT if isinstance(after, str) or isinstance(calls, str) else after + calls
    return dict(times, after_import=after, after_first_use=used)


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    """The CPU time of a call, and its result."""
    began = time.process_time_ns()
    result = function(*arguments)
    return time.process_time_ns() - began, result


def load_module(name: str, path: str) -> Any:
    """Import a file, perhaps that of a package, under a flat name; `importlib.util` would be a part of the price."""
    module = new_module(name, path)
    if path.endswith("__init__.py"):
        module.__spec__, module.__path__ = (
            type(sys.__spec__)(name, None, is_package=True),
            [path[: -len("/__init__.py")]],
        )
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, module.__dict__)  # noqa: S102 (a module of serbench's)
    return module


def new_module(name: str, path: str) -> Any:
    """An empty module, which the others can import."""
    module: Any = type(sys)(name)
    module.__file__ = path
    sys.modules[name] = module
    return module


def resident() -> int | None:
    """Resident memory in bytes, as `worker.weigher.resident` counts it; importing that would be part of it."""
    try:
        with open("/proc/self/smaps_rollup") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Rss:")), None)
    except OSError:
        return None


def grown(before: int | None) -> int | str:
    """The bytes by which the process is larger than before, or why that is not known."""
    after = resident()
    return NO_RESIDENT if before is None or after is None else after - before


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
        reply = start(job)
    except MemoryError:
        reply = {"error": "MemoryError", "status": "memory"}
    except Exception as error:
        try:
            told = " ".join(str(error).split())[:300]
        except Exception:
            told = "an error that cannot say what it is"
        reply = {"error": type(error).__name__ + ": " + told, "status": "failed"}
    import json

    text = json.dumps(reply).encode()
    os.write(replies, len(text).to_bytes(4, "big") + text)


if __name__ == "__main__":
    main()
