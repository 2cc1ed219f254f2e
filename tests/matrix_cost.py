"""What a case costs in seconds as a matrix grows to 50, 100, 200 and 400 cases: a benchmark to be run by hand, not a test."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from serbench.engine.conduct import conduct
from serbench.engine.listener import Progress
from serbench.engine.plan import Block, blocks
from serbench.environments.fingerprint import machine
from serbench.recorder import Recorder
from serbench.result import Run
from serbench.store import Store
from serbench.verbs import make_plan

SIZES = (50, 100, 200, 400)


class Clock:
    """Adds up the seconds of each phase as the engine tells what it does."""

    def __init__(self) -> None:
        self.phase, self.since, self.seconds = "starting", time.monotonic(), dict[str, float]()

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        self.enter(progress.what.partition(" ")[0])
        if progress.what == "measuring" and progress.done + 1 == progress.total:
            self.enter("last visit, next processes")

    def enter(self, phase: str) -> None:
        """Whatever passed belongs to the phase before."""
        now = time.monotonic()
        self.seconds[self.phase] = self.seconds.get(self.phase, 0.0) + now - self.since
        self.phase, self.since = phase, now


def used() -> float:
    """CPU seconds of this process and of those that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(whole: Block, size: int, effort: str, folder: Path) -> None:
    """Measure so many cases of the block, drawn at random, as a run is measured, with its table."""
    plan = make_plan("client", libraries="installed", effort=effort)
    cases = random.Random(size).sample(whole.cases, size)
    clock, cpu, began = Clock(), used(), time.monotonic()
    with Store(folder / f"{size}.sqlite") as store:
        run = store.begin(command="tests/matrix_cost.py", plan=plan.as_data(), machine=machine())
        recorder = Recorder(store, run, clock.progress)
        conduct(plan, [replace(whole, cases=cases)], recorder)
        store.finish(run)
        clock.enter("table")
        done = Run.from_store(store.load(run))
        done.table()
    clock.enter("")
    seconds, waves = time.monotonic() - began, [row.waves for row in done.rows if row.waves]
    said = f"{size} cases: {seconds:.0f} s, {seconds / size:.2f} s a case, {used() - cpu:.0f} s of CPU time; "
    said += f"{sum(waves) / len(waves):.1f} waves, {sum(row.status == 'ok' for row in done.rows)} of {len(done.rows)} rows known; "
    sys.stdout.write(said + ", ".join(f"{name} {spent:.0f} s" for name, spent in clock.seconds.items()) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure matrices of growing size; all cases are of one block, the `client` workload as it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--effort", default="normal")
    given = parser.parse_args()
    plan = make_plan("client", libraries="installed", formats="json[*],msgpack[*],pickle[*],cbor[*]")
    whole = next(blocks(plan))
    able = replace(whole, cases=[case for case in whole.cases if case.source and not case.absent])
    with TemporaryDirectory() as folder:
        for size in given.sizes:
            measure(able, size, given.effort, Path(folder))


if __name__ == "__main__":
    main()
