"""Measuring in the background: the plan that a choice asks for, and a thread that tells how it goes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serbench import verbs
from serbench.engine.listener import Progress
from serbench.engine.plan import Plan
from serbench.live import describe
from serbench.measuring import measure
from serbench.notebook.choice import Choice
from serbench.result import Run
from serbench.workloads import get

REDRAWN_S = 0.4
SIZES = (1, 10, 100, 1_000)
DEEPER = (0, 2, 6)  # levels beyond a workload's least depth
STEPS = ("encode", "decode", "dump", "dumps", "loads", "load")

Tell = Callable[[dict[str, Any], Run | None], None]


class Measuring:
    """One run on a thread of its own.

    Args:
        tell: is called on that thread with the progress (`running`, `text`, `fraction`, `error`) and, when
            there is something new to see, with the run as it stands.
    """

    def __init__(self, plan: Plan, store: str | Path | None, command: str, tell: Tell) -> None:
        self._plan, self._store, self._command, self._tell = plan, store, command, tell
        self._cancel = threading.Event()
        self._blocks = max(len(plan.records), 1) * max(len(plan.depth), 1)
        self._block, self._wave, self._fraction = 0, 0, 0.0
        self._told = self._shown = 0.0
        self._text = ""
        self.thread = threading.Thread(target=self._run, daemon=True, name="serbench-run")
        self.thread.start()

    def cancel(self) -> None:
        """End it soon; what was measured is kept."""
        self._cancel.set()

    def _run(self) -> None:
        self._say("starting")
        try:
            run = measure(
                self._plan,
                store=self._store,
                command=self._command,
                on_progress=self._on_progress,
                on_wave=lambda run: self._say("", run),
                on_visit=self._on_visit,
                cancel=self._cancel,
            )
        except Exception as error:  # whatever it is, the person who pressed Run is told
            self._tell({"running": False, "text": "", "fraction": 0.0, "error": " ".join(str(error).split())}, None)
            return
        ended = f"run {run.id} took {run.info.seconds or 0:.0f} s"
        if run.info.status != "finished":
            ended = f"run {run.id} ended early; what was measured is kept"
        self._tell({"running": False, "text": ended, "fraction": 1.0, "error": ""}, run)

    def _on_progress(self, progress: Progress) -> None:
        self._block += progress.wave < self._wave
        self._wave = progress.wave
        part = (max(progress.wave - 1, 0) + progress.done / max(progress.total, 1) * (progress.wave > 0)) / (
            self._plan.rules.waves_max
        )
        self._fraction = min((self._block + part) / self._blocks, 1.0)
        block = f"{self._block + 1} of {self._blocks}: " if self._blocks > 1 else ""
        if time.monotonic() - self._told > REDRAWN_S / 2:
            self._say(block + describe(progress))

    def _on_visit(self, run: Run) -> None:
        """Before the first wave is complete, what there is: the first points at once, then now and then."""
        if self._wave == 1 and time.monotonic() - self._shown > REDRAWN_S:
            self._say("", run)

    def _say(self, text: str, run: Run | None = None) -> None:
        if run is not None:
            _ = run.rows, run.control  # the work is done here, not on the loop that answers the controls
            self._shown = time.monotonic()
        self._told = time.monotonic()
        self._text = text or self._text
        self._tell({"running": True, "text": self._text, "fraction": self._fraction, "error": ""}, run)


def plan_for(choice: Choice) -> Plan:
    """What Run measures: the chosen point, or in the scaling view several sizes and depths.

    Raises:
        PlanError: a choice that cannot be measured.
    """
    records, depths = _points(choice)
    return verbs.make_plan(
        choice.workload,
        records=records,
        depth=depths,
        seed=choice.seed,
        libraries=choice.libraries,
        formats=choice.formats,
        operations=_operations(choice),
        gc=choice.gc,
        effort=choice.effort,
        budget=choice.budget or None,
    )


def plan_text(choice: Choice) -> str:
    """What Run would measure, in a few words."""
    records, depths = _points(choice)
    if choice.view == "scaling":
        return f"{len(records)} sizes × {len(depths)} depths"
    return f"{choice.records:,} record{'' if choice.records == 1 else 's'} at depth {choice.depth:,}"


def _points(choice: Choice) -> tuple[list[int], list[int]]:
    if choice.view != "scaling":
        return [choice.records], [choice.depth]
    least = get(choice.workload).shallowest
    return sorted({*SIZES, choice.records}), sorted({*(least + more for more in DEEPER), choice.depth})


def _operations(choice: Choice) -> tuple[str, ...]:
    if choice.view == "phases":
        return STEPS
    ends = ("encode", "decode") if choice.operation in ("encode", "decode") else ()
    return (choice.operation, *(name for name in ends if name != choice.operation))  # what is looked at comes first
