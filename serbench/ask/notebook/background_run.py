"""Measures in the background what the explorer is set to, and says beforehand how long it takes."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from serbench.ask import running
from serbench.ask.calling import make_plan
from serbench.ask.notebook.settings import Settings, timed
from serbench.ask.notebook.user_data import DataFacts, facts
from serbench.display.words import counted, held_text
from serbench.errors import SerbenchError
from serbench.judge.figures import distance
from serbench.keep.archive import Archive
from serbench.keep.presence import alone
from serbench.keep.progress import duration_words, progress_line
from serbench.keep.recorder import RunListener, SoFar
from serbench.keep.run import Run
from serbench.measure.case_waves import Pace
from serbench.measure.listener import DOUBTED, Progress
from serbench.measure.plan import Plan, chosen_cases
from serbench.model.data.dataset import get
from serbench.results import YOURS

REDRAWN_S = 0.4
SIZES = (1, 10, 100, 1_000)
DEEPER = (0, 2, 6)  # levels beyond a workload's least depth
STEPS = ("encode", "decode", "dump", "dumps", "loads", "load")

Tell = Callable[[dict[str, Any], Run | None], None]


class Poster:
    """Hands acts to the kernel's loop, on which alone widgets are touched; without a loop they are done at once, one at a time."""

    def __init__(self) -> None:
        self.one_at_a_time = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        with suppress(RuntimeError):
            self._loop = asyncio.get_running_loop()

    def __call__(self, act: Callable[[], None]) -> None:
        """Have it done soon."""
        if self._loop is None or self._loop.is_closed() or not self._loop.is_running():
            with self.one_at_a_time:
                act()
        else:
            self._loop.call_soon_threadsafe(act)


class Background(RunListener):
    """Work on a thread of its own, which begins at once.

    Args:
        tell: is called on that thread with the progress (`running`, `text`, `fraction`, `error`), and with the run as
            it stands if there is something new to see.
        work: measures with this as its listener, and returns the run, or something else.
    """

    def __init__(self, tell: Tell, work: Callable[[Background], Any]) -> None:
        self._tell, self._work = tell, work
        self.cancelled = threading.Event()
        self._wave, self._fraction = 0, 0.0
        self._before, self._now = 0.0, 1.0  # the parts of the whole that are done, and that are measured now
        self._rest, self._left = 0.0, math.inf  # the seconds of the parts to come, and those that were told last
        self._step = Progress("starting", 0, 0, 0)
        self._told = self._shown = 0.0
        self._text = ""
        self._shows_visits = True
        self.thread = threading.Thread(target=self._run, daemon=True, name="serbench-run")
        self.thread.start()

    def cancel(self) -> None:
        """End it soon; what was measured is kept."""
        self.cancelled.set()

    def _run(self) -> None:
        self._say("starting")
        began = time.monotonic()
        try:
            made = self._work(self)
        except KeyboardInterrupt as error:
            text = str(error) or "cancelled"
            self._tell({"running": False, "text": text, "fraction": 0.0, "error": ""}, None)
            return
        except Exception as error:  # whatever it is, the person who pressed Run is told
            text = " ".join(str(error).split()) or type(error).__name__
            self._tell({"running": False, "text": "", "fraction": 0.0, "error": text}, None)
            return
        run, ended = made if isinstance(made, Run) else None, f"took {time.monotonic() - began:.0f} s"
        if self.cancelled.is_set():
            ended = "cancelled; what was measured is kept"
        if run is not None:
            ended = f"run {run.id} took {run.info.seconds or 0:.0f} s"
        if run is not None and run.info.status != "finished":
            kept = "what was measured is kept" if any(row.measured for row in run.rows) else "nothing was measured"
            ended = f"run {run.id} ended early; {kept}"
        self._tell({"running": False, "text": ended, "fraction": 1.0, "error": ""}, run)

    def progress(self, progress: Progress) -> None:
        """Tell the step, and how much of the run is done, as the line says it."""
        self._wave = progress.wave
        self._fraction = max(self._fraction, self._before + self._now * (progress.part or 0.0))
        left = None if progress.seconds_left is None else progress.seconds_left + self._rest
        if left is not None and left > DOUBTED * self._left:
            left = None
        elif left is not None:
            left = self._left = min(self._left, left)
        part = None if progress.part is None else self._fraction
        self._step = replace(progress, seconds_left=left, part=part)
        if time.monotonic() - self._told > REDRAWN_S / 2:
            self._say(progress_line(self._step))

    def whole(self, progress: Progress) -> Progress:  # noqa: ARG002  # which is of one part
        """The step, and how much of all parts is done."""
        return self._step

    def wave(self, so_far: SoFar) -> None:
        """Show the run after each wave."""
        self._say("", so_far())

    def visit(self, so_far: SoFar) -> None:
        """Show the run during the first wave: the first points at once, then now and then."""
        if self._shows_visits and self._wave == 1 and time.monotonic() - self._shown > REDRAWN_S:
            self._say("", so_far())

    def _say(self, text: str, run: Run | None = None) -> None:
        if run is not None:
            _ = run.rows, run.control, run.warnings  # the work is done here, not on the loop that answers the controls
            self._shown = time.monotonic()
        self._told = time.monotonic()
        self._text = text or self._text
        self._tell({"running": True, "text": self._text, "fraction": self._fraction, "error": ""}, run)


class Measuring(Background):
    """A run of what the explorer is set to; with `few_first`, a few cases are measured and shown before all others."""

    def __init__(self, settings: Settings, store: str | Path | None, tell: Tell, *, few_first: bool = False) -> None:
        few = [settings.changed({**running.FEW, "effort": "quick"})] if few_first else []
        self._parts, self._store = [*few, settings], store
        super().__init__(tell, lambda _: self._measure())

    def _measure(self) -> Run:
        with alone(self._store):
            seconds = [_expected_s(part) for part in self._parts]
            for number, part in enumerate(self._parts):
                self._before, self._now = sum(seconds[:number]) / sum(seconds), seconds[number] / sum(seconds)
                self._rest = sum(seconds[number + 1 :])
                run = running.run(
                    **run_arguments(part),
                    store=self._store,
                    command=f"serbench.Explorer({part.state!r})",
                    listener=self,
                    cancel=self.cancelled,
                )
                self._shows_visits = False  # what is on the screen stays until there is as much of the next part
                if self.cancelled.is_set():
                    break
        return run

    def may_build(self) -> bool:
        """No page makes an environment: the command line does."""
        return False


def run_arguments(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `serbench.run`: the chosen point, or in the scaling view several sizes, depths or both.

    Own data at its own size or depth is measured as it is, without scaling.
    """
    records, depths = _axes(settings)
    library, _, codec = settings.present.partition("/")
    known = facts(settings.user_data) if settings.user_data else None
    return {
        **{name: getattr(settings, name) for name in ("seed", "conditions", "gc", "effort")},
        **(settings.user_data or {"workload": settings.workload}),
        "libraries": _with(settings.libraries, library) if not library.startswith(YOURS) else settings.libraries,
        "formats": _with(settings.formats, codec),
        "records": None if known and records == [known.records] else records,
        "depth": None if known and depths == [known.depth] else depths,
        "operations": _operations(settings),
        "budget": settings.budget or None,
    }


def _with(chosen: tuple[str, ...], present: str) -> tuple[str, ...]:
    """Add the name of what is used today to chosen names; no names are all of the usual ones."""
    return (*chosen, present) if chosen and present and present not in chosen else chosen


def plan_text(settings: Settings) -> str:
    """Say in a few words what Run would measure."""
    if settings.view != "scaling":
        return f"{counted(settings.records, 'record')} at depth {settings.depth:,}"
    records, depths = _axes(settings)
    sizes, levels = counted(len(records), "size"), counted(len(depths), "depth")
    if settings.grow == "both":
        return f"{sizes} × {levels}"
    fixed = held_text(settings.grow, settings.depth if settings.grow == "records" else settings.records)
    return f"{sizes if settings.grow == 'records' else levels} {fixed}"


def points(settings: Settings) -> list[tuple[int, int]]:
    """Return the records and depth of each block that Run would measure."""
    return list(product(*_axes(settings)))


def _axes(settings: Settings) -> tuple[list[int], list[int]]:
    """The sizes and the depths that Run would measure: in the scaling view several of those that are to grow."""
    records, depths = [settings.records], [settings.depth]
    if settings.view != "scaling":
        return records, depths
    if settings.grow != "depth":
        records = sorted({*SIZES, settings.records})
    if settings.grow == "records":
        return records, depths
    known = facts(settings.user_data) if settings.user_data else DataFacts(depth=get(settings.workload).shallowest)
    least, deeper = known.depth, DEEPER if known.nests else ()
    return records, sorted({*(least + more for more in deeper), settings.depth})


def _operations(settings: Settings) -> tuple[str, ...]:
    if settings.view == "phases":
        return STEPS
    ends = ("encode", "decode") if settings.operation in ("encode", "decode") else ()
    return (settings.operation, *(name for name in ends if name != settings.operation))  # what is looked at comes first


def duration_text(settings: Settings, archive: Archive) -> str:
    """Say how long Run would take: "about 40 s"; "at least" if no time of such data is stored, empty if it cannot run."""
    if (plan := _planned(settings)) is None:
        return ""
    known = _call_s(settings, archive)
    seconds = expected_s(*plan, points(settings), known)
    if settings.budget and seconds > settings.budget:
        return f"at most {duration_words(settings.budget)}"
    return f"{'about' if known else 'at least'} {duration_words(seconds)}"


def expected_s(plan: Plan, cases: int, at: Iterable[tuple[int, int]], known: Mapping[tuple[int, int], float]) -> float:
    """Return the seconds that a run tells at its beginning, with those of calls; `known` has what a call takes at some points."""
    cells = cases * len(plan.operations)
    return sum(Pace(cases, cells, plan.rules, _nearest_s(known, *point)).left("verifying", 0.0) for point in at)


@lru_cache(16)
def _planned(settings: Settings) -> tuple[Plan, int] | None:
    """The plan and the number of its cases; None if it is refused."""
    try:
        plan = make_plan(**run_arguments(settings))
        return plan, len(chosen_cases(plan))
    except (SerbenchError, OSError):
        return None


def _call_s(settings: Settings, archive: Archive) -> dict[tuple[int, int], float]:
    """Records and depth → the seconds of a call, as the mean of the chosen cases that have a time there."""
    times: dict[tuple[int, int], list[float]] = defaultdict(list)
    for _, rows in timed(settings, archive, {settings.operation}):
        for row in rows:
            times[row.records, row.depth].append((row.time_ns or 0.0) / 1e9)
    return {point: fmean(each) for point, each in times.items()}


def _expected_s(settings: Settings) -> float:
    """Return the seconds that a run is expected to take, in which the times of calls hardly count; 1 if it is refused."""
    plan = _planned(settings)
    return 1.0 if plan is None else expected_s(*plan, points(settings), {})


def _nearest_s(known: Mapping[tuple[int, int], float], records: int, depth: int) -> float:
    """The seconds of a call in proportion to those at the nearest known point; 0 if there is none."""
    point = min(sorted(known), key=lambda one: distance(one, records, depth), default=None)
    return 0.0 if point is None else known[point] * records / max(point[0], 1)
