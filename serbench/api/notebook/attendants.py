"""The attendants of a notebook's functions: one shows stored results, one measures, one shows again what was measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from serbench.api.attended import Known, Measure, Unmeasured
from serbench.api.notebook.background_run import Background
from serbench.api.notebook.stored import archive, duration_text, stored_run
from serbench.display.words import listed
from serbench.errors import PlanError
from serbench.measure.listener import Progress
from serbench.measure.plan import Plan
from serbench.store.archive import Sheet
from serbench.store.presence import alone
from serbench.store.recorder import RunListener
from serbench.store.run import Run

FIGURE = "application/vnd.plotly.v1+json"
SHOWN = (FIGURE, "text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "text/plain")
"""What is shown of a result, of the forms that it has; data for programs is left out."""


T = TypeVar("T")


class _Still:
    """Measures nothing."""

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
            raise KeyboardInterrupt("cancelled; what was measured is kept")
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
        return _Interrupting(self._background)


class _Interrupting(RunListener):
    def __init__(self, background: Background) -> None:
        self._background = background

    def progress(self, progress: Progress) -> None:
        """Tell a step, or end the work."""
        if self._background.cancelled.is_set():
            raise KeyboardInterrupt
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
        """Refuse what is no run."""
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
