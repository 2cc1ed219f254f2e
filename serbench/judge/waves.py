"""A run's samples in memory, each cell's waves against its reference, and the precision at which a cell may stop."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from serbench.judge import statistics
from serbench.judge.statistics import TIE, CellWaves, Prior, sample_table, wave_medians
from serbench.results import Cell, Point, Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


__all__ = ["CellWaves", "Samples", "cell_waves", "paired_ratios", "reference_ids", "shared_ratios"]

Samples: TypeAlias = "Sequence[Sample] | NDArray[Any]"
"""A list of `Sample`, or a structured array with the same fields (as the store gives it)."""


def cell_waves(cells: Sequence[Cell], samples: Samples) -> dict[int, CellWaves]:
    """The waves of every cell that was measured, each against the reference of its point and operation.

    A cell that has the very same code as another has the waves of that one.
    """
    references = reference_ids(cells)
    medians = medians_of(cells, samples, {c.id: references.get((c.point, c.operation), -1) for c in cells})
    by_identity = {cell.identity: medians[cell.id] for cell in cells if cell.id in medians and not cell.control}
    copies = {cell.id: cell.measured_as for cell in cells if cell.same_as is not None}
    return medians | {id_: by_identity[measured] for id_, measured in copies.items() if measured in by_identity}


def medians_of(cells: Sequence[Cell], samples: Samples, reference: Mapping[int, int]) -> dict[int, CellWaves]:
    """The per-wave medians of cells, each against the cell that `reference` gives for it, by the clock of its rows."""
    loops, may_wait = {cell.id: cell.loops for cell in cells}, [cell.id for cell in cells if cell.may_wait]
    return wave_medians(samples, loops, reference, may_wait)


def shared_ratios(one: CellWaves, other: CellWaves) -> dict[int, float]:
    """The log ratio of one cell to another in each wave that has both; by their times if one has no ratios."""
    ratios = one.log_ratios and other.log_ratios
    above, below = (one.log_ratios, other.log_ratios) if ratios else (one.log_times, other.log_times)
    return {wave: value - below[wave] for wave, value in above.items() if wave in below}


def paired_ratios(
    cells: Sequence[Cell], samples: Samples, bases: Mapping[int, int], waves: Mapping[int, CellWaves]
) -> dict[int, dict[int, float]]:
    """Cell → base (ids) → the cell's log ratio to its base in each wave that has both.

    If the two were visited together in all these waves, samples are paired by round; otherwise the reference cancels.
    `waves` are those of `cell_waves`.
    """
    direct = medians_of(cells, samples, bases)
    ratios = {}
    for cell, base in bases.items():
        if {cell, base} <= waves.keys():
            shared = shared_ratios(waves[cell], waves[base])
            met = direct[cell].log_ratios if cell in direct else {}
            ratios[cell] = met if met.keys() == shared.keys() else shared
    return ratios


def reference_ids(cells: Sequence[Cell]) -> dict[tuple[Point, str], int]:
    """The reference cell of each point and operation."""
    return {(cell.point, cell.operation): cell.id for cell in cells if cell.reference and not cell.control}


SAMPLE = [(name, "i8") for name in Sample._fields]
"""The fields of the structured array that keeps a run's samples."""


class SampleTable:
    """Samples in the order in which they came; what was added never changes, so that an array stays valid."""

    def __init__(self, samples: Iterable[Sample] | NDArray[Any] | None = None) -> None:
        self._rows: NDArray[np.int64] | None = None  # with room for more; None before numpy is needed
        self._length = 0
        if samples is not None:
            self.add(samples)

    def __len__(self) -> int:
        return self._length

    def add(self, samples: Iterable[Sample] | NDArray[Any]) -> None:
        """Add these samples."""
        import numpy as np

        fresh = sample_table(samples)
        whole = self._length + len(fresh)
        if self._rows is None or whole > len(self._rows):
            rows = np.empty((max(whole * 5 // 4, 1024), len(SAMPLE)), np.int64)
            rows[: self._length] = self.rows()
            self._rows = rows
        self._rows[self._length : whole] = fresh
        self._length = whole

    def rows(self, first: int = 0) -> NDArray[np.int64]:
        """The samples from that one on, as an array of shape (n, 8) that shares their memory."""
        return sample_table(()) if self._rows is None else self._rows[first : self._length]

    def array(self) -> NDArray[Any]:
        """The samples as a structured array of shape (n,) that shares their memory, as `MeasuredRun.samples` has it."""
        return self.rows().view(SAMPLE).reshape(-1)

    def places(self, cells: Collection[int]) -> NDArray[np.intp]:
        """The numbers of the samples that these cells have, in their order."""
        import numpy as np

        return np.flatnonzero(np.isin(self.rows()[:, 0], list(cells)))


T = TypeVar("T", bound=Hashable)
FAR = math.log(1.5)
"""A cell that is proven slower than its leader by more than this needs its order of magnitude only."""
OF_SLOWER, OF_FAR = 0.05, 0.10
"""The half-widths at which a cell is known well enough that is proven slower than its leader, and proven to be far from it."""
WAVES_OF_SLOWER = 3
"""The fewest waves of such a cell."""


@dataclass(frozen=True)
class Wanted:
    """The half-width of a cell's interval at which it may leave (0.02 is ±2%), and after how many waves at the earliest."""

    precision: float
    least: int

    def reached(self, values: Collection[float], prior: Prior) -> bool:
        """Whether the log ratios of a cell over its waves are known so well."""
        return statistics.converged(values, self.precision, prior, least=self.least)


def wanted(
    rows: Mapping[T, Mapping[int, float]], full: Wanted, prior: Prior, asked: Collection[T] = ()
) -> dict[T, Wanted]:
    """What is wanted of each row of one ranking.

    The row with the least mean leads. It, the rows that are `asked` for, and those not proven slower than the leader get
    the `full` precision; the others what their distance from the leader needs. Rows map waves to log ratios to one
    reference, and are compared over the waves that they share with the leader.
    """
    known = {row: values for row, values in rows.items() if values}
    leader = min(known, key=lambda row: math.fsum(known[row].values()) / len(known[row]), default=None)
    needs = {}
    for row, values in rows.items():
        needs[row] = full
        if leader is None or row == leader or row in asked:
            continue
        behind = [value - known[leader][wave] for wave, value in values.items() if wave in known[leader]]
        if len(behind) > 1:
            low = statistics.estimate(behind, prior, moderated=True).low
            if low > TIE:
                precision = max(full.precision, OF_FAR if low > FAR else OF_SLOWER)
                needs[row] = Wanted(precision, min(WAVES_OF_SLOWER, full.least))
    return needs
