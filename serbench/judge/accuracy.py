"""Measured ratios of functions beside their true ratios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from serbench.judge import statistics
from serbench.judge.rows import run_priors
from serbench.judge.waves import Samples, cell_waves, paired_ratios
from serbench.results import Cell

PRECISION = 0.02


@dataclass(frozen=True)
class Pair:
    """The time of one function over that of another, with its 95 % interval, and the true ratio if it is known.

    `factor` is the true ratio (None if it is unknown), `repeated` how many processes or sessions the interval
    rests on, `seconds` what measuring took for this pair.
    """

    group: str
    of: str
    factor: float | None
    ratio: float
    low: float
    high: float
    repeated: int
    seconds: float = 0.0

    @property
    def error(self) -> float:
        """Distance of the ratio from the true one: 0.01 is 1 %."""
        return abs(self.ratio / (self.factor or self.ratio) - 1)

    @property
    def holds(self) -> bool:
        """True if the true ratio is within the interval."""
        return self.factor is None or self.low <= self.factor <= self.high

    @property
    def different(self) -> bool:
        """True if the interval excludes a ratio of 1."""
        return not self.low <= 1 <= self.high

    @property
    def ranks_differ(self) -> bool:
        """True if the interval excludes a ratio of 1 and the margin that ranks have around it (`statistics.TIE`)."""
        return not (math.log(self.low) <= statistics.TIE and math.log(self.high) >= -statistics.TIE)

    @property
    def seconds_to_precision(self) -> float:
        """Seconds to an interval of ±2 %: the seconds taken, times the square of the factor by which the interval is too wide."""
        half = math.sqrt(self.high / self.low) - 1
        return self.seconds * max(1.0, (half / PRECISION) ** 2)


def pairs(
    cells: Sequence[Cell], samples: Samples, wanted: Iterable[tuple[str, str, float | None, Cell, Cell]]
) -> list[Pair]:
    """Group, name, true ratio and the two cells of each pair → what a run says of it, as `gate` would.

    No cell is the second of two pairs; pairs without a common wave are left out.
    """
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    listed = list(wanted)
    ratios = paired_ratios(cells, samples, {other.id: base.id for *_, base, other in listed}, waves)
    measured = []
    for group, of, factor, _, other in listed:
        shared = ratios.get(other.id)
        if shared:
            e = statistics.estimate(list(shared.values()), prior)
            measured.append(Pair(group, of, factor, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves))
    return measured


def as_columns(measured: Sequence[Pair]) -> list[list[Any]]:
    """Pairs as short JSON data."""
    return [[round(v, 5) if isinstance(v, float) else v for v in asdict(pair).values()] for pair in measured]


def share(outcomes: Sequence[bool]) -> float:
    """The share that is true; NaN if there is none."""
    return sum(outcomes) / len(outcomes) if outcomes else math.nan


def p95(measured: Sequence[Pair]) -> float:
    """The error that 95 % of the pairs do not exceed; NaN if there is none."""
    errors = sorted(pair.error for pair in measured)
    return errors[math.ceil(0.95 * len(errors)) - 1] if errors else math.nan


def agree(one: Pair, other: Pair) -> bool:
    """True if the ratios differ by less than their joint interval."""
    halves = [math.log(pair.high / pair.low) / 2 for pair in (one, other)]
    return abs(math.log(one.ratio / other.ratio)) <= math.hypot(*halves)
