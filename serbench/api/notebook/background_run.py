"""Runs work in the background of a notebook, and reports its steps to the widgets."""

from __future__ import annotations

import asyncio
import atexit
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from serbench.errors import line_of
from serbench.measure.listener import DOUBTED, Progress
from serbench.store.progress import progress_line
from serbench.store.recorder import RunListener, SoFar
from serbench.store.run import Run

REDRAWN_S = 0.4
LAST_S = 5.0
"""How long the end of the process waits for the work of widgets."""
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
        self._fraction = max(self._fraction, progress.part or 0.0)
        left = progress.seconds_left
        if left is not None and left > DOUBTED * self._left:
            left = None
        elif left is not None:
            left = self._left = min(self._left, left)
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
        if self._wave == 1 and time.monotonic() - self._shown > REDRAWN_S:
            self._say("", so_far())

    def _say(self, text: str, run: Run | None = None) -> None:
        if run is not None:
            _ = run.rows, run.control, run.warnings  # the work is done here, not on the loop that answers the controls
            self._shown = time.monotonic()
        self._told = time.monotonic()
        self._text = text or self._text
        self._tell({"running": True, "text": self._text, "fraction": self._fraction, "error": ""}, run)


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
