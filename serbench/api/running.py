"""The public functions that measure times: run, and the runs that the store keeps; who answers them in a notebook."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, Unpack

from serbench.api import choices
from serbench.api.calling import call_text, plan_of, public
from serbench.display.words import counted
from serbench.errors import PlanError
from serbench.measure.plan import Plan
from serbench.render.user_class.conversion import within
from serbench.store.active_run import measure, with_status
from serbench.store.archive import read_run
from serbench.store.folder import FACTS, RunInfo
from serbench.store.recorder import RunListener
from serbench.store.run import Run
from serbench.store.scale_out import elsewhere
from serbench.store.store import Store

T = TypeVar("T")
Measure = Callable[[RunListener, threading.Event], Run]
Known: TypeAlias = tuple[T, Sequence[str]] | None
"""What is known already, and the names of what else was asked for."""


class Unmeasured(PlanError):
    """Nothing is stored of what a function would measure."""


class Attendant(Protocol):
    """Answers the public functions that measure, while it attends."""

    def run(self, plan: Plan, store: str | Path | None, measure: Measure) -> Run:
        """Return the run of a plan: a stored one, or one that `measure` makes.

        Raises:
            Unmeasured: there is none, and none is to be measured.
        """

    def recall(self, known: Callable[[], Known[T]]) -> T | None:
        """Return what is known already of something other than a run. Return None if it must be measured.

        Raises:
            Unmeasured: nothing is known, and nothing is to be measured.
        """

    def listener(self) -> RunListener:
        """Return the listener of a measurement other than a run."""


_present: ContextVar[Attendant | None] = ContextVar("attendant", default=None)


def attendant() -> Attendant | None:
    """Return who attends in this thread; None outside of controls."""
    return _present.get()


def recalled(known: Callable[[], Known[T]]) -> T | None:
    """Return what is known already, if only that may be shown. Return None if it must be measured."""
    present = attendant()
    return None if present is None else present.recall(known)


def heard(listener: RunListener | None) -> RunListener | None:
    """Return the listener of a function that measures: the given one, or the attendant's."""
    present = attendant()
    return listener if present is None else present.listener()


@contextmanager
def attended(by: Attendant) -> Iterator[None]:
    """Have an attendant answer in this thread."""
    token = _present.set(by)
    try:
        yield
    finally:
        _present.reset(token)


@public
def run(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    endpoints: choices.Names = None,
    request: str | None = None,
    paired: bool = False,
    effort: str = "normal",
    **options: Unpack[choices.Measurement],
) -> Run:
    """Measure, and store every sample as soon as it is taken.

    Returns:
        The run; after Ctrl-C with what was measured until then.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    values = {**locals(), **options}
    from serbench.store.progress import Watcher  # imports Rich

    plan = plan_of(values)

    def measured_by(listener: RunListener | None, cancel: threading.Event | None, *, quiet: bool = True) -> Run:
        with Watcher(listener, quiet=quiet) as watcher, within(options["budget"], options["memory_limit"]):
            return measure(
                plan,
                store=options["store"],
                resume=options["resume"],
                command=options["command"] or call_text(run, values, plan),
                listener=watcher,
                cancel=cancel,
                where=elsewhere(options["executor"], options["scheduler"], options["jobs"]),
            )

    if (present := attendant()) is not None:
        return present.run(plan, options["store"], measured_by)
    measured = measured_by(options["listener"], options["cancel"], quiet=not options["progress"])
    if measured.info.used_up and not len(measured.samples):
        raise PlanError(_too_short(measured, Plan.from_data(measured.info.plan)))
    return measured


def _too_short(measured: Run, plan: Plan) -> str:
    """Say where a run was when its budget was used up before anything was timed, and what to do."""
    data = Path(plan.payload).name if plan.payload else (plan.model or ", ".join(plan.workloads)).rpartition(":")[2]
    cases = {cell.case for cell in measured.cells}
    verified = {cell.case for cell in measured.cells if cell.size_bytes is not None}
    spent = (
        f"reading and verifying {data} used up the budget of {plan.budget_s:g} s"
        f" ({len(verified)} of {counted(len(cases), 'combination')} verified)"
        if cases
        else f"reading {data} and preparing environments took {measured.info.seconds:.0f} s, more than the budget of {plan.budget_s:g} s"
    )
    parts = plan.payload and plan.effort != "quick"
    smaller = "--effort quick, which measures parts of a large file" if parts else "fewer --records"
    return f"nothing was measured: {spent}; raise --budget, choose fewer libraries and formats with -l and -f, or try {smaller}"


@public
def load(run: choices.RunName = "latest", *, store: choices.Store = None) -> Run:
    """Return a stored run, or the published run of a folder.

    Raises:
        StoreError: the name matches no run, or several.
    """
    if os.path.isfile(Path(run) / FACTS):  # noqa: PTH113  # Path.is_file fails for a name that is too long
        return Run.from_store(read_run(Path(run)))
    with Store(store, read_only=True) as opened:
        return Run.from_store(opened.load(run), opened.path, ours=store is None)


@public
def runs(*, store: choices.Store = None) -> list[RunInfo]:
    """Return a summary of every stored run, newest first."""
    with Store(store, read_only=True) as opened:
        return [with_status(opened, one) for one in opened.runs()]
