"""The seam between the engine and whoever keeps and shows what it measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from serbench.cases import Case
from serbench.engine.results import Cell, Sample


@dataclass(frozen=True)
class Progress:
    """How far a block is: what it does, the wave (0 while verifying), steps done of all known, seconds left."""

    what: str
    wave: int
    done: int
    total: int
    seconds_left: float | None = None


class Listener(Protocol):
    """Who hears what a run learns, as it learns it.

    `progress` and `strictness` may be called from several threads, the others only from the one that
    conducts.
    """

    def cells(self, cells: Sequence[Cell]) -> None:
        """New or changed cells."""

    def source(self, case: Case) -> None:
        """A case's text, before it is measured."""

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; they are safe once this returns."""

    def progress(self, progress: Progress) -> None:
        """A step forward."""

    def wave_done(self, wave: int) -> None:
        """Every case has been visited once more."""

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:
        """The strictness of a library, variant and codec: remembered, or measured now."""


@dataclass(frozen=True)
class Finished:
    """What a run that goes on has already: its cells and samples."""

    cells: Sequence[Cell] = ()
    samples: Sequence[Sample] = ()
