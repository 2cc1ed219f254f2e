"""How long the ranking of a run takes, and how long its file is, with 1,000,000 samples in the store: a benchmark to be run by hand."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import groupby, product
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from synthetic import cell, measure

from serbench.api.running import load
from serbench.results import Cell, Point, Sample
from serbench.store.store import Store

SAMPLES = 1_000_000
CODECS = (("json", "json"), ("orjson", "json"), ("msgspec", "json"), ("msgpack", "msgpack"), ("pickle", "pickle"))


def measured(points: int, waves: int, seed: int) -> tuple[list[Cell], list[Sample]]:
    """Ten libraries with five codecs each, encoding and decoding, at so many sizes, and their samples of so many waves."""
    chosen = product(range(1, points + 1), ("encode", "decode"), range(10), CODECS)
    cells = [
        cell(
            number,
            f"library{library}",
            Point("client", 100 * size, 2, 0),
            operation=operation,
            codec=codec,
            format=format_,
            reference=library == 0 and codec == "json",
        )
        for number, (size, operation, library, (codec, format_)) in enumerate(chosen)
    ]
    return cells, measure([(one, 25e3 * (1 + one.id % 50 / 20)) for one in cells], waves=waves, seed=seed)


def fill(path: Path, points: int, waves: int) -> str:
    """Runs of so many waves through the store's own methods, until it has enough samples; the last run's id."""
    written, run = 0, ""
    with Store(path) as store:
        while written < SAMPLES:
            run = store.begin(command="serbench run", plan={"gc": "on"}, machine={"cpu": "none"})
            shown, samples = measured(points, waves, seed=written)
            store.put_cells(run, shown)
            for _, visit in groupby(samples, attrgetter("wave", "visit")):
                store.add_samples(run, list(visit))
            written += len(samples)
            store.finish(run, seconds=1.0)
    said = f"{written:,} samples in runs of {len(shown):,} cells and {waves} waves"
    sys.stdout.write(f"{said}: {path.stat().st_size / 1e6:.0f} MB\n")
    return run


def report(path: Path, run: str) -> None:
    """Time the ranking in a process that has imported what it needs, and the command as users type it."""
    load(run, store=path).table()
    began = time.monotonic()
    measured = load(run, store=path)
    loaded = time.monotonic()
    measured.table()
    done = time.monotonic()
    parts = f"{loaded - began:.2f} s to read {len(measured.samples):,} samples, {done - loaded:.2f} s for ranks and intervals"
    sys.stdout.write(f"the ranking of one run: {done - began:.2f} s ({parts})\n")
    began = time.monotonic()
    code = "import sys; from serbench.api.command_line.program import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "run", "--stored", run, "--to", "csv", "--store", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    sys.stdout.write(f"`serbench run --stored … --to csv`, from its start: {time.monotonic() - began:.2f} s\n")


def main() -> None:
    """A store of many runs of the usual size, and one whose only run has all the samples."""
    for points, count in ((1, 10), (20, 32)):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "store.sqlite"
            report(path, fill(path, points, count))


if __name__ == "__main__":
    main()
