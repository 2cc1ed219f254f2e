"""The interface by which the engine reports what it measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from serbench.cases import Case
from serbench.results import Cell, Sample


@dataclass(frozen=True)
class Progress:
    """The progress of a block: the present step, the wave (0 while verifying), steps done of all known, seconds left."""

    what: str
    wave: int
    done: int
    total: int
    seconds_left: float | None = None


class Listener:
    """Hears of each step of the engine; each method does nothing until a subclass overrides it.

    `progress` and `strictness` may be called from several threads, the others only from the one that conducts.
    """

    def progress(self, progress: Progress) -> None:
        """A step forward."""

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""

    def source(self, case: Case) -> None:
        """A case's text, before it is measured."""

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; they are safe once this returns."""

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:  # noqa: ARG002  # subclasses look it up
        """Return the strictness of a library, variant and codec: remembered, or measured now."""
        return measure()


@dataclass(frozen=True)
class Finished:
    """The cells and samples that a resumed run has already."""

    cells: Sequence[Cell] = ()
    samples: Sequence[Sample] = ()
