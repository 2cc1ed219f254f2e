"""Measures what a second core brings, and what it costs in accuracy: one Dask worker, two, and two jobs.

    python3 tests/scripts/scale_out.py

A plan of eight blocks is measured three times on a machine with at least two cores. Two workers must need at most
0.65 times as long as one, and their ratios must lie within one worker's intervals: of all pairs of intervals of one
row, no more may be apart than 5 % of rows are by chance. Exit code 1 where that is not so.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import serbench

MOST = 0.65
CHANCE = 0.05


@contextmanager
def cluster(workers: int, folder: Path):
    """The address of a scheduler with so many worker processes on this machine."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{opened.getsockname()[1]}"
    programs = [("dask_scheduler", "--host", address, "--no-dashboard")]
    programs += [("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")] * workers
    log = (folder / "dask.log").open("a")
    started = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{name}", *arguments], cwd=folder, stdout=log, stderr=log
        )
        for name, *arguments in programs
    ]
    try:
        from distributed import Client

        with Client(address, timeout=120) as client:
            client.wait_for_workers(workers, timeout=120)
        yield address
    finally:
        for process in started[::-1]:
            process.kill()
            process.wait()


def intervals(run: serbench.Run) -> dict[tuple, tuple[float, float]]:
    """The ratio's interval of each row, against the case that is the first of its board by name.

    Each run chooses its own references; so that runs compare, rows are divided by one that they share, and
    the interval is widened by that row's.
    """
    boards: dict[tuple, list] = {}
    for row in run.rows:
        if row.measured and row.ratio_low is not None:
            boards.setdefault((row.workload, row.records, row.depth, row.operation), []).append(row)
    found = {}
    for board, rows in boards.items():
        base = min(rows, key=lambda row: (row.library, row.codec, row.format))
        for row in rows:
            if row is not base:
                place = (*board, row.library, row.codec, row.format)
                found[place] = (row.ratio_low / base.ratio_high, row.ratio_high / base.ratio_low)
    return found


def apart(one: dict, other: dict) -> tuple[int, int]:
    """How many intervals of the same row do not meet, and how many there are."""
    shared = one.keys() & other.keys()
    return sum(one[k][0] > other[k][1] or other[k][0] > one[k][1] for k in shared), len(shared)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--libraries", default="msgspec,pydantic,attrs,dataclasses")
    asked = parser.parse_args()
    choice = {
        "workload": ["client", "events", "rows", "numbers"],
        "records": [20, 200],
        "libraries": asked.libraries,
        "formats": "orjson,msgpack",
        "effort": asked.effort,
    }
    with tempfile.TemporaryDirectory(prefix="scale-out-") as name:
        folder = Path(name)

        def measured(what: str, **where) -> tuple[serbench.Run, float]:
            began = time.monotonic()
            run = serbench.run(**choice, **where, store=folder / "s.sqlite")
            seconds = time.monotonic() - began
            rows = [row for row in run.rows if row.measured]
            control = run.control
            print(
                f"{what}: {seconds:.1f} s, {len(rows)} rows, A/A error {control['aa_error']:.1%}, "
                f"miss rate {control['aa_miss_rate']:.1%} of {control['aa_cases']}",
                flush=True,
            )
            return run, seconds

        alone, _ = measured("this process alone")
        with cluster(1, folder) as address:
            one, one_s = measured("1 Dask worker", scheduler=address)
        with cluster(2, folder) as address:
            two, two_s = measured("2 Dask workers", scheduler=address)
        jobs, jobs_s = measured("2 jobs", jobs=2)
    print(f"2 workers over 1: {two_s / one_s:.2f} of the time; 2 jobs over 1 worker: {jobs_s / one_s:.2f}")
    wrong = two_s / one_s > MOST
    for what, run in (("2 workers", two), ("2 jobs", jobs), ("this process alone", alone)):
        missed, total = apart(intervals(one), intervals(run))
        print(f"ratios of {what} apart from 1 worker's: {missed} of {total}")
        wrong |= run is two and missed > CHANCE * total
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
