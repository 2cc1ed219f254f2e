"""What a case costs in seconds as a matrix grows to 50, 100, 200 and 400 cases: a benchmark to be run by hand, not a test.

With `--image` the seconds are drawn against the cases.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from serbench.ask.calling import make_plan
from serbench.display import style
from serbench.keep.recorder import Recorder, RunListener
from serbench.keep.run import Run
from serbench.keep.store import Store
from serbench.measure.conduct import conduct
from serbench.measure.listener import Progress
from serbench.measure.plan import Block, blocks
from serbench.render.environments.platform import machine

SIZES = (50, 100, 200, 400)


class Clock(RunListener):
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


def measure(whole: Block, size: int, effort: str, folder: Path) -> float:
    """Measure so many cases of the block, drawn at random, as a run is measured, with its table; the seconds it took."""
    plan = make_plan("client", libraries="installed", effort=effort)
    cases = random.Random(size).sample(whole.cases, size)
    clock, cpu, began = Clock(), used(), time.monotonic()
    with Store(folder / f"{size}.sqlite") as store:
        run = store.begin(command="tests/scripts/matrix_cost.py", plan=plan.as_data(), machine=machine())
        recorder = Recorder(store, run, clock)
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
    return seconds


def draw(taken: dict[int, float], effort: str, image: Path) -> None:
    """Seconds against cases, both logarithmic, with a line in proportion through the largest matrix."""
    import plotly.graph_objects as go

    sizes, largest = list(taken), max(taken)
    each = {size: seconds / size for size, seconds in taken.items()}
    title = f"{largest} cases take {taken[largest]:.0f} s, {each[largest]:.2f} s each; {min(taken)} take {each[min(taken)]:.2f} s each"
    known = machine()
    foot = [
        f"A whole run at effort {effort}; dotted: in proportion to the cases",
        f"{known['cpu']}, {known['cores']} cores, {known['system']} {known['kernel']}, {known['python']}",
    ]
    drawn = style.layout(title, foot, 300, "light", left_px=60)
    line = {"type": "scatter", "x": sizes, "showlegend": False}
    drawn["data"] = [
        line
        | {"y": [each[largest] * size for size in sizes], "mode": "lines", "line": {"dash": "dot", "color": "#7F7F7F"}},
        line
        | {"y": list(taken.values()), "mode": "lines+markers", "line": {"color": "#0072B2"}, "marker": {"size": 9}},
    ]
    ticks = {"tickvals": sizes, "ticktext": [str(size) for size in sizes]}
    drawn["layout"]["xaxis"] = style.log_axis("light", sizes, title={"text": "cases", "standoff": 4}) | ticks
    drawn["layout"]["yaxis"] = style.log_axis("light", list(taken.values()), title={"text": "seconds", "standoff": 4})
    go.Figure(drawn).write_image(image, width=720, height=drawn["layout"]["height"])


def main() -> None:
    """Measure matrices of growing size; all cases are of one block, the `client` workload as it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--image", type=Path, metavar="FILE", help="an SVG or PNG file to draw")
    given = parser.parse_args()
    plan = make_plan("client", libraries="installed", formats="json[*],msgpack[*],pickle[*],cbor[*]")
    whole = next(blocks(plan))
    able = replace(whole, cases=[case for case in whole.cases if case.source and not case.absent])
    with TemporaryDirectory() as folder:
        taken = {size: measure(able, size, given.effort, Path(folder)) for size in given.sizes}
    if given.image is not None:
        draw(taken, given.effort, given.image)


if __name__ == "__main__":
    main()
