"""Measures the size grids that lie below the explorer's sliders: `python measure_size_grids.py`.

Each workload is one run at five sizes and four depths, which is published as a folder below `data/size-grids`. What is
published already in these conditions is left out, and what the last call left unfinished goes on where it was, so that
the script may be ended and started again at any time.
"""

from __future__ import annotations

import argparse
import threading
import time
from pathlib import Path

import serbench
from serbench.errors import PlanError
from serbench.keep.archive import DEEPER, ROWS, SIZES, packed, size_grid_folder
from serbench.keep.folder import as_files
from serbench.keep.run import Run
from serbench.machine.files import write_files
from serbench.model.data.dataset import get, workload_names

LIBRARIES = ("dataclasses", "cattrs", "dacite", "marshmallow", "mashumaro", "msgspec", "pydantic")
"""The core libraries that define models."""
CODECS = ("orjson", "msgspec/json", "pydantic/json")


def publish(run: Run, folder: Path) -> int:
    """Write a run as a size grid; the bytes of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    return sum(path.stat().st_size for path in write_files(folder, {ROWS: packed(run), **as_files(run)}))


def measure(workload: str, given: argparse.Namespace, cancel: threading.Event) -> Run:
    """Measure one workload, or go on with its unfinished run."""
    plan = {
        "records": given.records,
        "depth": [get(workload).shallowest + more for more in DEEPER],
        "libraries": given.library,
        "formats": given.format,
        "conditions": given.conditions,
        "effort": given.effort,
        "time_limit": given.time_limit,
        "store": given.store,
        "cancel": cancel,
        "progress": True,
    }
    try:
        return serbench.run(workload, **plan, resume=True)
    except PlanError as error:
        if "no unfinished run" not in str(error):
            raise
    return serbench.run(workload, **plan)


def main() -> None:
    """Measure what is missing until the time is over."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument(
        "--conditions", default="varied", help="as for serbench run; the explorer shows those that it is set to"
    )
    ask.add_argument("--workload", nargs="*", default=workload_names(), help="all of them by default")
    ask.add_argument("--records", nargs="*", type=int, default=list(SIZES))
    ask.add_argument("--library", nargs="*", default=list(LIBRARIES))
    ask.add_argument("--format", nargs="*", default=list(CODECS), help="formats or codecs")
    ask.add_argument("--effort", default="quick")
    ask.add_argument("--time-limit", type=float, default=60.0, help="seconds after which a case is given up")
    ask.add_argument("--minutes", type=float, default=25, help="when to stop; another call goes on")
    ask.add_argument("--output", type=Path, default=Path("data"))
    ask.add_argument("--store", type=Path, default=Path("size_grids.sqlite"), help="keeps what is unfinished")
    given = ask.parse_args()
    cancel, began = threading.Event(), time.monotonic()
    timer = threading.Timer(given.minutes * 60, cancel.set)
    timer.daemon = True
    timer.start()
    for workload in given.workload:
        folder = size_grid_folder(given.output, given.conditions, workload)
        if (folder / ROWS).exists():
            print(f"{workload}: published already; delete {folder} to measure it anew", flush=True)
            continue
        if cancel.is_set():
            print(f"{workload}: not begun", flush=True)
            continue
        run = measure(workload, given, cancel)
        told = f"{workload}: {sum(row.measured for row in run.rows)} rows, {time.monotonic() - began:.0f} s since the start"
        if run.info.status == "finished":
            print(f"{told}; published in {folder}, {publish(run, folder) / 1e3:.0f} kB", flush=True)
        else:
            print(f"{told}; unfinished: call the script again to go on", flush=True)


if __name__ == "__main__":
    main()
