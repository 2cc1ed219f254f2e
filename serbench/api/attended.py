"""The attendant of a notebook's function: shows stored results in place of measuring, or follows the measurement."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from serbench.errors import PlanError
from serbench.measure.plan import Plan
from serbench.store.recorder import RunListener
from serbench.store.run import Run

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
        """Return who hears of what is measured that is no run."""


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
