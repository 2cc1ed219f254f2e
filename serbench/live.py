"""What a person sees on standard error while a run goes on."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from serbench.engine.listener import Progress
from serbench.result import Run

LEADERS = 5


class Watcher:
    """A live line (what, how far, time left) with the leaders above it; plain lines where nobody can see it move."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(file=sys.stderr)
        self._quiet = quiet
        self._leaders: Group | None = None
        self._said = 0.0
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            self._live = Live(console=self._console, transient=True, refresh_per_second=8)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        line = describe(progress)
        if self._live is not None:
            self._live.update(Group(*([self._leaders] if self._leaders else []), Text(line, style="dim")))
        elif not self._quiet and time.monotonic() - self._said > 2:
            self._said = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def wave(self, run: Run) -> None:
        """A wave is complete: show who leads, with intervals as wide as they are."""
        if self._quiet:
            return
        first = self._leaders is None
        self._leaders = run.leaders(LEADERS)
        if self._live is None and first:
            self._console.print(self._leaders)


def describe(progress: Progress) -> str:
    """One line: what, how far, time left."""
    where = f"wave {progress.wave}: " if progress.wave else ""
    left = f", about {progress.seconds_left:.0f} s left at most" if progress.seconds_left is not None else ""
    return f"{where}{progress.what}, {progress.done} of {progress.total}{left}"
