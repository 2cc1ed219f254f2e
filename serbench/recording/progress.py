"""Shows on standard error, or in a notebook, how far a run is."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from serbench.display import Tables
from serbench.engine.listener import Progress
from serbench.recording.recorder import RunListener, SoFar

LEADERS = 5
REDRAWN_S = 0.2


class Watcher(RunListener):
    """Shows a live line (what, how far, time left), in a terminal below the leaders.

    In a notebook the line alone changes in its place; if standard error is not a terminal, plain lines follow each
    other.

    Args:
        other: hears of everything too.
        quiet: show nothing.
    """

    def __init__(self, other: RunListener | None = None, *, quiet: bool = False) -> None:
        self._other = other or RunListener()
        for name in ("cells", "source", "samples", "wave_done", "visit"):  # it shows nothing of these
            setattr(self, name, getattr(self._other, name))
        self._console = Console(file=sys.stderr)
        self._quiet = quiet
        self._leaders: Tables | None = None
        self._said = 0.0
        self._began = time.monotonic()
        self._live: Live | None = None
        self._cell: Any = None

    def __enter__(self) -> Self:
        if self._console.is_jupyter and not self._quiet:
            from IPython.display import display

            self._cell = display({"text/plain": "starting"}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        elif self._console.is_terminal and not self._quiet:
            self._live = Live(console=self._console, transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if self._cell is not None:
            self._cell.update({"text/plain": f"took {time.monotonic() - self._began:.0f} s"}, raw=True)

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        self._other.progress(progress)
        line = progress_line(progress, self._console.width if self._live is not None else None)
        if self._live is not None:
            self._live.update(
                Group(
                    *([self._leaders] if self._leaders else []), Text(line, style="dim", no_wrap=True, overflow="crop")
                )
            )
        elif self._cell is not None:
            if time.monotonic() - self._said > REDRAWN_S:
                self._said = time.monotonic()
                self._cell.update({"text/plain": line}, raw=True)
        elif not self._quiet and time.monotonic() - self._said > 2:
            self._said = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def wave(self, so_far: SoFar) -> None:
        """Show the leaders after each wave, with intervals as wide as they are."""
        self._other.wave(so_far)
        said = self._live is None and self._leaders is not None
        if self._quiet or said or self._cell is not None:
            return
        self._leaders = so_far().leaders(LEADERS)
        if self._live is None:
            self._console.print(self._leaders)


def progress_line(progress: Progress, width: int | None = None) -> str:
    """Return one line: which block, what, how far, time left; if it is too wide, what matters least is left out."""
    block = f"{progress.block} of {progress.blocks}: " if progress.blocks > 1 else ""
    wave = f"wave {progress.wave}: " if progress.wave else ""
    done = f"{progress.done} of {progress.total}"
    left = "" if progress.seconds_left is None else f", about {_duration(max(progress.seconds_left, 0))} left"
    forms = (f"{block}{wave}{progress.what}, {done}{left}", f"{block}{wave}{done}{left}", f"{block}{done}{left}")
    return next((form for form in forms if width is None or len(form) <= width), forms[-1][:width])


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
