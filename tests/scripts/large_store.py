"""How long the ranking of a run takes, and how long its file is, with 1,000,000 samples in the store: a benchmark to be run by hand."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from serbench.api.running import load
from serbench.results import CaseId, Cell, Point, Sample
from serbench.store.store import Store

SAMPLES = 1_000_000
CODECS = (("json", "json"), ("orjson", "json"), ("msgspec", "json"), ("msgpack", "msgpack"), ("pickle", "pickle"))


def cells(points: int) -> list[Cell]:
    """Ten libraries with five codecs each, encoding and decoding, at so many sizes."""
    found = []
    for size, operation, library, (codec, format_) in product(range(points), ("encode", "decode"), range(10), CODECS):
        cell = Cell(
            id=len(found),
            **vars(Point("client", 100 * (size + 1), 2, 0)),
            **vars(CaseId(f"library{library}", "default", codec, format_)),
            operation=operation,
        )
        cell.status, cell.work_class, cell.loops, cell.size_bytes = "ok", "objects, strict", 20, 20_000 * (size + 1)
        cell.reference = library == 0 and codec == "json"
        found.append(cell)
    return found


def waves(shown: list[Cell], count: int, draw: random.Random) -> Iterator[list[Sample]]:
    """The samples of each visit: eight rounds of a cell and its reference."""
    references = {(c.point, c.operation): c for c in shown if c.reference}
    for wave in range(1, count + 1):
        luck = [draw.gauss(1 + c.id % 50 / 20, 0.01) for c in shown]
        for visit, cell in enumerate(shown):
            both = {c.id: c for c in (references[cell.point, cell.operation], cell)}
            yield [
                Sample(
                    number, wave, visit, turn, cpu, cpu + draw.randrange(9_000), cpu + 700, int(draw.random() < 0.05)
                )
                for turn, number in product(range(8), both)
                for cpu in [round(500_000 * luck[number] * draw.gauss(1, 0.01))]
            ]


def fill(path: Path, points: int, count: int) -> str:
    """Runs of so many waves through the store's own methods, until it has enough samples; the last run's id."""
    draw, written, run = random.Random(0), 0, ""
    with Store(path) as store:
        while written < SAMPLES:
            run = store.begin(command="serbench run", plan={"gc": "on"}, machine={"cpu": "none"})
            shown = cells(points)
            store.put_cells(run, shown)
            for visit in waves(shown, count, draw):
                store.add_samples(run, visit)
                written += len(visit)
            store.finish(run, seconds=1.0)
    said = f"{written:,} samples in runs of {len(shown):,} cells and {count} waves"
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
