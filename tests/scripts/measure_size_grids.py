"""Measures the size grids that lie below the explorer's sliders: `python measure_size_grids.py`.

Each workload is one run at five sizes and four depths, which is published as a folder below `data/size-grids`. What is
published already in these conditions is left out, and what the last call left unfinished goes on where it was, so that
the script may be ended and started again at any time.
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import serbench
from serbench.errors import PlanError
from serbench.machine.files import write_files
from serbench.model.data.dataset import get, workload_names
from serbench.store.archive import DEEPER, ROWS, SIZES, packed, size_grid_folder
from serbench.store.folder import as_files
from serbench.store.run import Run

LIBRARIES = ("dataclasses", "cattrs", "dacite", "marshmallow", "mashumaro", "msgspec", "pydantic")
"""The core libraries that define models."""
CODECS = ("orjson", "msgspec/json", "pydantic/json")


def publish(run: Run, folder: Path) -> int:
    """Write a run as a size grid; the bytes of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    return sum(path.stat().st_size for path in write_files(folder, {ROWS: packed(run), **as_files(run)}))


def measure(workload: str, cancel: threading.Event) -> Run:
    """Measure one workload, or go on with its unfinished run."""
    depth = [get(workload).shallowest + more for more in DEEPER]
    plan = {"records": SIZES, "depth": depth, "libraries": LIBRARIES, "formats": CODECS, "effort": "quick"}
    plan |= {"store": "size_grids.sqlite", "cancel": cancel, "progress": True}
    try:
        return serbench.run(workload, **plan, resume=True)
    except PlanError as error:
        if "no unfinished run" not in str(error):
            raise
    return serbench.run(workload, **plan)


def main() -> None:
    """Measure what is missing until the time is over."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--minutes", type=float, default=25, help="when to stop; another call goes on")
    given = ask.parse_args()
    cancel = threading.Event()
    timer = threading.Timer(given.minutes * 60, cancel.set)
    timer.daemon = True
    timer.start()
    for workload in workload_names():
        folder = size_grid_folder(Path("data"), "varied", workload)
        if (folder / ROWS).exists() or cancel.is_set():
            print(f"{workload}: {'not begun' if cancel.is_set() else f'published already in {folder}'}", flush=True)
            continue
        run = measure(workload, cancel)
        told = f"{workload}: {sum(row.measured for row in run.rows)} rows"
        if run.info.status == "finished":
            print(f"{told}; published in {folder}, {publish(run, folder) / 1e3:.0f} kB", flush=True)
        else:
            print(f"{told}; unfinished: call the script again to go on", flush=True)


if __name__ == "__main__":
    main()
