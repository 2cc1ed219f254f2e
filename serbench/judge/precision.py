"""How precisely a cell is to be known before it leaves the waves: what a decision hangs on is measured longest."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from serbench.judge import statistics
from serbench.judge.statistics import TIE, Prior

T = TypeVar("T", bound=Hashable)
FAR = math.log(1.5)
"""A cell that is proven slower than its leader by more than this needs its order of magnitude only."""
OF_SLOWER, OF_FAR = 0.05, 0.10
"""The half-widths at which a cell is known well enough that is proven slower than its leader, and proven to be far from it."""
WAVES_OF_SLOWER = 3
"""The fewest waves of such a cell."""


@dataclass(frozen=True)
class Wanted:
    """The half-width of a cell's interval at which it may leave (0.02 is ±2 %), and after how many waves at the earliest."""

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
