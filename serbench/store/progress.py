"""Shows the progress of a run, on standard error or in a notebook."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from serbench.display.table import bar, console
from serbench.display.words import open_words, with_unit
from serbench.errors import visible
from serbench.judge.leading import undecided
from serbench.measure.listener import Forwarder, Progress
from serbench.store.recorder import RunListener, SoFar
from serbench.store.run import Run

LEADERS, BAR = 5, 16
VERIFIED = 5
"""How many cases of those just verified are shown, in the order in which that was done: nothing is ranked yet."""
REDRAWN_S, LED_S = 0.2, 1.0
SO_FAR = "so far, of the rows already measured:"
SILENCE_S, LOOKED_S = (
    1.5,
    0.25,
)  # without a step forward, the line is repeated after the one; that is looked at so often


class Watcher(Forwarder, RunListener):
    """Shows a live line (what, how far, time left), in a terminal below the leaders, or below the cases just verified.

    In a notebook the line alone changes in its place; if standard error is not a terminal, plain lines follow each
    other. A step that takes long is told again, with its seconds.

    Args:
        listener: hears of everything too.
        quiet: show nothing.
        verbose: say at the end what the time was spent on.
    """

    listener: RunListener

    def __init__(self, listener: RunListener | None = None, *, quiet: bool = False, verbose: bool = False) -> None:
        super().__init__(listener or RunListener())
        self._console = console(sys.stderr)
        self._quiet, self._verbose = quiet, verbose
        self._spent: dict[str, float] = {}
        self._leaders: Group | None = None
        self._unseen: SoFar | None = None
        self._verified: deque[str] = deque(maxlen=VERIFIED)
        self._waves, self._led, self._left = 0, 0.0, math.inf
        self._step = Progress("starting", 0, 0, 0)
        self._began = self._stepped = self._said = time.monotonic()
        self._ended = threading.Event()
        self._telling = threading.Lock()
        self._live: Live | None = None
        self._cell: Any = None

    def __enter__(self) -> Self:
        if self._console.is_jupyter and not self._quiet:
            from IPython.display import display

            self._cell = display({"text/plain": "starting"}, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        elif self._console.is_terminal and not self._quiet:
            self._live = Live(console=self._console, transient=True, refresh_per_second=8)
            self._live.start()
        if not self._quiet:
            threading.Thread(target=self._repeat, daemon=True, name="serbench-progress").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._live is not None:
            self._live.stop()
        if self._cell is not None:
            self._cell.update({"text/plain": f"took {time.monotonic() - self._began:.0f} s"}, raw=True)
        if self._verbose and self._spent:
            print(spent_line(self._spent), file=sys.stderr)

    def spent(self, seconds: Mapping[str, float]) -> None:
        """Keep what the time was spent on."""
        self.listener.spent(seconds)
        self._spent = {what: self._spent.get(what, 0.0) + spent for what, spent in seconds.items()}

    def progress(self, progress: Progress) -> None:
        """A step forward."""
        self.listener.progress(progress)
        first = progress.total > 0 and not self._step.total  # what comes before may be refused, which is one line
        self._step, self._stepped = progress, time.monotonic()
        if self._unseen is not None and not progress.wave:  # others are verified before more is measured
            self._lead(SO_FAR, self._unseen)
        self._tell(REDRAWN_S if self._cell is not None else 0.0 if self._live is not None or first else SILENCE_S)

    def verified(self, name: str, each_ns: Mapping[str, float]) -> None:
        """Show about how long the calls of the last cases take."""
        self.listener.verified(name, each_ns)
        times = (f"{operation} about {with_unit(float(f'{ns:.2g}'))}" for operation, ns in each_ns.items())
        self._verified.append(f"{visible(name)}: {', '.join(times)}")

    def _repeat(self) -> None:
        while not self._ended.wait(LOOKED_S):
            self._tell(SILENCE_S)

    def _tell(self, silence: float) -> None:
        """Show the present step if nothing has been shown for so many seconds."""
        with self._telling:
            now = time.monotonic()
            if self._quiet or self._ended.is_set() or now - self._said < silence:
                return
            self._said = now
            spent, step = now - self._stepped, self._step
            if step.seconds_left is not None and spent < step.seconds_left:
                self._left = min(self._left, step.seconds_left - spent)
                step = replace(step, seconds_left=self._left)
            else:  # it takes longer than thought
                step = replace(step, seconds_left=None)
            shown = "" if step.part is None or self._live is None else f"{self._bar(step.part)} "
            line = progress_line(step, self._console.width - len(shown) if self._live is not None else None)
            line += f" ({spent:.0f} s)" if spent >= SILENCE_S else ""
            if self._live is not None:
                text = Text.assemble((shown, "green"), (line, "dim"), no_wrap=True, overflow="crop")
                rows = [Text(row, no_wrap=True, overflow="crop") for row in self._verified]
                self._live.update(Group(*([self._leaders] if self._leaders else rows), text))
            elif self._cell is not None:
                self._cell.update({"text/plain": line}, raw=True)
            else:
                print(line, file=sys.stderr, flush=True)

    def _bar(self, part: float) -> str:
        """The share that is done of verifying, sizing and measuring."""
        ascii_only = self._console.options.ascii_only
        return bar(part, BAR, ascii_only=ascii_only).ljust(BAR, "." if ascii_only else "░")

    def visit(self, so_far: SoFar) -> None:
        """Show the leaders as soon as a few cases of the first wave have been measured; a terminal follows that wave."""
        self.listener.visit(so_far)
        if self._step.wave == 1 and self._step.done:
            if self._leaders is None or (self._live is not None and time.monotonic() - self._led > LED_S):
                self._lead(SO_FAR, so_far)
            else:
                self._unseen = so_far if self._live is not None else None

    def wave(self, so_far: SoFar) -> None:
        """Show the leaders after each wave, with intervals as wide as they are; plain lines only after the first."""
        self.listener.wave(so_far)
        self._waves += 1
        if self._live is not None or self._waves == 1:
            self._lead("so far, after one repetition:", so_far)

    def _lead(self, said: str, so_far: SoFar) -> None:
        if self._quiet or self._cell is not None:
            return
        self._unseen, run = None, so_far()
        self._leaders, self._led = Group(run.leaders(LEADERS), Text(standing(run), "bold")), time.monotonic()
        if self._live is None:
            print(said, file=sys.stderr)
            self._console.print(self._leaders)


def standing(run: Run) -> str:
    """Say in one line who leads so far, and how many combinations may still do so."""
    return f"{run.closing().use}, so far; {open_words(*undecided(run.rows))}"


def progress_line(progress: Progress, width: int | None = None) -> str:
    """Return one line: which block, how much is done, time left, what; if it is too wide, what matters least is left out."""
    block = f"{progress.block} of {progress.blocks}: " if progress.blocks > 1 else ""
    counted = f"{progress.done} of {progress.total}" if progress.total else ""
    far = counted if progress.part is None else f"{progress.part:.0%}"
    left = "" if progress.seconds_left is None else f"about {duration_words(progress.seconds_left)} left"
    wave = f"repetition {progress.wave}" if progress.wave else ""
    forms = ((visible(progress.what), wave, far, left), (wave, far, left), (far, left))
    texts = [block + ", ".join(filter(None, form)) for form in forms]
    return next((text for text in texts if width is None or len(text) <= width), texts[-1][:width])


def spent_line(seconds: Mapping[str, float]) -> str:
    """Say in one line what the wall time of a run was spent on, the most first."""
    whole = sum(seconds.values())
    parts = sorted(seconds.items(), key=lambda part: -part[1])
    return f"took {whole:.0f} s: " + ", ".join(f"{what} {spent:.1f} s ({spent / whole:.0%})" for what, spent in parts)


def duration_words(seconds: float) -> str:
    """Return a duration as nobody knows it better: "7 s", "45 s", "3 min"."""
    if seconds >= 120:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.0f} s" if seconds < 20 else f"{5 * round(seconds / 5)} s"
