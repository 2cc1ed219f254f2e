"""Runs work in the background of a notebook, reports its steps to the widgets, and answers with what is stored."""

from __future__ import annotations

import asyncio
import atexit
import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from serbench.api.notebook.stored import archive, duration_text, stored_run
from serbench.api.running import Known, Measure, Unmeasured
from serbench.display.words import listed
from serbench.errors import PlanError, line_of
from serbench.measure.listener import DOUBTED, Progress
from serbench.measure.plan import Plan
from serbench.store.active_run import alone
from serbench.store.archive import Sheet
from serbench.store.progress import progress_line
from serbench.store.recorder import RunListener, SoFar
from serbench.store.run import Run

REDRAWN_S = 0.4
LAST_S = 5.0
"""How long the end of the process waits for the work of widgets."""
KEPT = "cancelled; what was measured is kept"
ENDING = threading.Event()
"""The process ends, and work in the background with it."""

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
        builds: whether environments that are missing may be made.
    """

    def __init__(self, tell: Tell, work: Callable[[Background], Any], *, builds: bool = True) -> None:
        self._tell, self._work, self._builds = tell, work, builds
        self.cancelled = threading.Event()
        _measuring.add(self)
        self.begin()
        self._told = self._shown = 0.0
        self._unseen: SoFar | None = None
        self._text = ""
        self.thread = threading.Thread(target=self._run, daemon=True, name="serbench-run")
        self.thread.start()

    def begin(self) -> None:
        """Take the next step for the first of a run."""
        self._wave, self._fraction = 0, 0.0
        self._left = math.inf  # the seconds that were told last

    def cancel(self) -> None:
        """End it soon; what was measured is kept."""
        self.cancelled.set()

    def end(self) -> None:
        """End it, and wait for that."""
        self.cancel()
        self.thread.join()

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
            text = line_of(error) or type(error).__name__
            self._tell({"running": False, "text": "", "fraction": 0.0, "error": text}, None)
            return
        run, ended = made if isinstance(made, Run) else None, f"took {time.monotonic() - began:.0f} s"
        if self.cancelled.is_set():
            ended = KEPT
        if run is not None:
            ended = f"run {run.id} took {run.info.seconds or 0:.0f} s"
        if run is not None and run.info.status != "finished":
            kept = "what was measured is kept" if any(row.measured for row in run.rows) else "nothing was measured"
            ended = f"run {run.id} ended early; {kept}"
        self._tell({"running": False, "text": ended, "fraction": 1.0, "error": ""}, run)

    def progress(self, progress: Progress) -> None:
        """Tell the step, and how much of the run is done, as the line says it."""
        self._wave = progress.wave
        self._fraction = max(self._fraction, progress.part or 0.0)
        left = progress.seconds_left
        if left is not None and left > DOUBTED * self._left:
            left = None
        elif left is not None:
            left = self._left = min(self._left, left)
        if self._unseen is not None and not progress.wave:  # others are verified before more is measured
            self._say("", self._unseen())
        part = None if progress.part is None else self._fraction
        if time.monotonic() - self._told > REDRAWN_S / 2:
            self._say(progress_line(replace(progress, seconds_left=left, part=part)))

    def may_build(self) -> bool:
        """Tell if environments that are missing may be made."""
        return self._builds

    def wave(self, so_far: SoFar) -> None:
        """Show the run after each wave."""
        self._say("", so_far())

    def visit(self, so_far: SoFar) -> None:
        """Show the run during the first wave: the first points at once, then now and then."""
        if self._wave == 1:
            self._unseen = so_far
            if time.monotonic() - self._shown > REDRAWN_S:
                self._say("", so_far())

    def _say(self, text: str, run: Run | None = None) -> None:
        if run is not None:
            _ = run.rows, run.control, run.warnings  # the work is done here, not on the loop that answers the controls
            self._shown, self._unseen = time.monotonic(), None
        self._told = time.monotonic()
        self._text = text or self._text
        self._tell({"running": True, "text": self._text, "fraction": self._fraction, "error": ""}, run)


FIGURE = "application/vnd.plotly.v1+json"
SHOWN = (FIGURE, "text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "text/plain")
"""What is shown of a result, of the forms that it has; data for programs is left out."""


T = TypeVar("T")


class _Still:
    def listener(self) -> RunListener:
        """Return one that hears nothing."""
        return RunListener()


class Stored(_Still):
    """Answers with what is stored, and measures nothing.

    Attributes:
        complete: whether all that was asked for is stored.
        notes: where it comes from, and what is missing.
    """

    def __init__(self) -> None:
        self.complete = True
        self.notes: list[str] = []

    def run(self, plan: Plan, store: str | Path | None, _: Measure) -> Run:
        """Return the stored rows of the plan."""
        if plan.payload and not Path(plan.payload).is_file():
            raise PlanError(f"there is no file {plan.payload}")
        found = stored_run(plan, store)
        if found is None:
            self.complete = False
            raise Unmeasured(f"nothing of this is stored: Run measures it, {duration_text(plan, archive(store))}")
        run, published, missing = found
        self.notes.append(f"{'published, ' if published else f'run {run.id} of '}{run.info.started[:10]}")
        if missing:
            self._lacks(missing, f", {duration_text(plan, archive(store))}")
        return run

    def recall(self, known: Callable[[], Known[T]]) -> T:
        """Return what is known."""
        found = known()
        if found is None:
            self.complete = False
            raise Unmeasured("nothing of this is stored: Run measures it")
        self.notes.append("what is stored or published")
        if found[1]:
            self._lacks(found[1])
        return found[0]

    def _lacks(self, names: Sequence[str], took: str = "") -> None:
        self.complete = False
        self.notes.append(f"{listed(names)} not measured there: Run measures all{took}")


class Live:
    """Measures in the background, one run of a store at a time; `runs` are those that have ended."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self.runs: list[Run] = []

    def run(self, _: Plan, store: str | Path | None, measure: Measure) -> Run:
        """Measure a plan, and keep the run; end the work instead if it was cancelled in a run before."""
        if self.runs and self._background.cancelled.is_set():
            raise KeyboardInterrupt(KEPT)
        self._background.begin()
        with alone(store):
            run = measure(self._background, self._background.cancelled)
        archive(store).add(Sheet.of(run))
        self.runs.append(run)
        return run

    def recall(self, _: Callable[[], Known[T]]) -> None:
        """Have it measured."""

    def listener(self) -> RunListener:
        """Return one that tells how far it is, and ends it if that is asked for."""
        return _Interrupting(self._background, KEPT if self.runs else "cancelled; there is nothing new to show")


class _Interrupting(RunListener):
    def __init__(self, background: Background, text: str) -> None:
        self._background, self._text = background, text

    def progress(self, progress: Progress) -> None:
        """Tell a step, or end the work."""
        if self._background.cancelled.is_set():
            raise KeyboardInterrupt(self._text)
        self._background.progress(progress)


class Replayed(_Still):
    """Answers with runs one after the other, the last of which may go on."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = list(runs)

    def run(self, *_: object) -> Run:
        """Return the next run."""
        if not self._runs:
            raise Unmeasured("this comes later")
        return self._runs.pop(0)

    def recall(self, _: Callable[[], Known[T]]) -> T:
        """Refuse a measurement other than a run."""
        raise Unmeasured("this comes later")


def bundle(result: Any) -> dict[str, Any]:
    """Return the forms in which a notebook shows a result."""
    if hasattr(result, "to_plotly_json"):
        return {FIGURE: json.loads(result.to_json()), "text/plain": type(result).__name__}
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell

    is_there = InteractiveShell.initialized()
    formatter: Any = InteractiveShell.instance().display_formatter if is_there else DisplayFormatter()
    data, _ = formatter.format(result)
    return {form: data[form] for form in SHOWN if form in data}


_measuring: WeakSet[Background] = WeakSet()


@atexit.register
def _end() -> None:
    """End what goes on: a thread that is still in compiled code when the interpreter ends aborts the process."""
    ENDING.set()
    for one in list(_measuring):
        one.cancel()
    until = time.monotonic() + LAST_S
    for thread in threading.enumerate():
        if thread.name.startswith("serbench-"):
            thread.join(max(until - time.monotonic(), 0.0))
