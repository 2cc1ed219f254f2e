"""The accuracy of a run: its A/A error, disturbed cells, and measured ratios beside true ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from serbench.judge import statistics
from serbench.judge.rows import MEASURED, duplicate_differences, run_priors
from serbench.judge.statistics import Estimate
from serbench.judge.waves import CellWaves, Samples, cell_waves, paired_ratios
from serbench.results import CALL, Cell, bracketed

Disturbance = Literal["short of CPU", "interrupted", "unsteady", "short", "single calls"]
CellFigure = Callable[[Cell, CellWaves], float | None]


def control(cells: Sequence[Cell], samples: Samples) -> dict[str, float | int | None]:
    """`aa_error`, `aa_miss_rate` and `aa_cases` of a run's hidden duplicates."""
    if not any(cell.control for cell in cells):
        return aa_summary([])
    waves = cell_waves(cells, samples)
    # The duplicates must be judged by intervals that do not already know their differences.
    prior, _ = run_priors([cell for cell in cells if not cell.control], waves)
    differences = duplicate_differences(cells, waves)
    return aa_summary([statistics.estimate(list(d.values()), prior) for d in differences])


def aa_summary(differences: Sequence[Estimate]) -> dict[str, float | int | None]:
    """A run's own accuracy, from log ratios of identical code in two processes, where the truth is 0.

    `aa_error` is the 95th percentile of |ratio − 1| over the duplicates (the maximum below ten of them),
    `aa_miss_rate` the fraction whose 95% interval excludes 1, `aa_cases` their number.
    """
    import numpy as np

    if not differences:
        return {"aa_error": None, "aa_miss_rate": None, "aa_cases": 0}
    cases = len(differences)
    errors = [abs(math.expm1(difference.mean)) for difference in differences]
    missed = sum(abs(difference.mean) > difference.half for difference in differences)
    error = float(np.quantile(errors, 0.95)) if cases >= 10 else max(errors)
    return {"aa_error": error, "aa_miss_rate": missed / cases, "aa_cases": cases}


def disturbed(
    cells: Sequence[Cell], samples: Samples
) -> tuple[list[Cell], dict[Disturbance, list[tuple[float, Cell]]]]:
    """The cells that were timed, and for each disturbance the figures and cells beyond its limit, the worst first."""
    waves = cell_waves(cells, samples)
    timed = [cell for cell in cells if cell.id in waves and cell.status in MEASURED and not cell.control]
    disturbances = {}
    for name, (figure, side, limit) in LIMITS.items():
        values = [(value, cell) for cell in timed if (value := figure(cell, waves[cell.id])) is not None]
        beyond = [pair for pair in values if (pair[0] < limit if side == "below" else pair[0] > limit)]
        disturbances[name] = sorted(beyond, key=lambda pair: pair[0], reverse=side == "above")
    return timed, disturbances


def cell_name(cell: Cell) -> str:
    """A cell in words, short enough for a line that names several; of functions from cells, which have no codec, their name."""
    if not cell.codec:
        return cell.library if cell.operation == CALL else f"{cell.library} {cell.operation}"
    size = f"{cell.workload} {cell.records:,} {cell.conditions}"
    return f"{cell.library}{bracketed(cell.variant)}/{cell.codec} {cell.operation} {size}"


def _cpu_share(_: Cell, waves: CellWaves) -> float | None:
    usable = waves.clock == "cpu" and math.isfinite(waves.cpu_over_wall)
    return waves.cpu_over_wall if usable else None


def _deviation(cell: Cell, waves: CellWaves) -> float | None:
    values = list((waves.log_times if cell.reference else waves.log_ratios).values())
    if len(values) < 3:
        return None
    mean = math.fsum(values) / len(values)
    return math.expm1(math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1)))


def _each_ns(_: Cell, waves: CellWaves) -> float | None:
    values = sorted(waves.log_times.values())
    return math.exp(values[len(values) // 2]) if values else None


def _one_call(cell: Cell, waves: CellWaves) -> float | None:
    each = _each_ns(cell, waves)
    return each / 1e6 if cell.loops == 1 and each is not None else None


LIMITS: dict[Disturbance, tuple[CellFigure, Literal["above", "below"], float]] = {
    "short of CPU": (_cpu_share, "below", 0.97),
    "interrupted": (lambda _, waves: waves.switches, "above", 0.5),
    "unsteady": (_deviation, "above", 0.05),
    "short": (_each_ns, "below", 50),
    "single calls": (_one_call, "above", 0),
}
"""Disturbance → its figure, and the figures that count: those above or below a limit."""


PRECISION = 0.02


@dataclass(frozen=True)
class Pair:
    """The time of one function over that of another, with its 95% interval, and the true ratio if it is known.

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
        """Distance of the ratio from the true one: 0.01 is 1%."""
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
        """Seconds to an interval of ±2%: the seconds taken, times the square of the factor by which the interval is too wide."""
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
    """The error that 95% of the pairs do not exceed; NaN if there is none."""
    errors = sorted(pair.error for pair in measured)
    return errors[math.ceil(0.95 * len(errors)) - 1] if errors else math.nan


def agree(one: Pair, other: Pair) -> bool:
    """True if the ratios differ by less than their joint interval."""
    halves = [math.log(pair.high / pair.low) / 2 for pair in (one, other)]
    return abs(math.log(one.ratio / other.ratio)) <= math.hypot(*halves)
