"""The accuracy of a run: its A/A error, and warnings about its conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from serbench import statistics
from serbench.analysis.rows import MEASURED, duplicate_differences, run_priors
from serbench.analysis.waves import CellWaves, Samples, cell_waves
from serbench.results import Cell, bracketed
from serbench.statistics import Estimate

NAMED = 3
"""The number of cells that a warning names, the worst first."""
Figure = Callable[[Cell, CellWaves], float | None]


def control(cells: Sequence[Cell], samples: Samples) -> dict[str, float | int | None]:
    """`aa_error`, `aa_miss_rate` and `aa_cases` of a run's hidden duplicates."""
    waves = cell_waves(cells, samples)
    # The duplicates must be judged by intervals that do not already know their differences.
    prior, _ = run_priors([cell for cell in cells if not cell.control], waves)
    differences = duplicate_differences(cells, waves)
    return aa_summary([statistics.estimate(list(d.values()), prior) for d in differences])


def aa_summary(differences: Sequence[Estimate]) -> dict[str, float | int | None]:
    """A run's own accuracy, from log ratios of identical code in two processes, where the truth is 0.

    `aa_error` is the 95th percentile of |ratio − 1| over the duplicates (the maximum below ten of them),
    `aa_miss_rate` the fraction whose 95 % interval excludes 1, `aa_cases` their number.
    """
    import numpy as np

    if not differences:
        return {"aa_error": None, "aa_miss_rate": None, "aa_cases": 0}
    cases = len(differences)
    errors = [abs(math.expm1(difference.mean)) for difference in differences]
    missed = sum(abs(difference.mean) > difference.half for difference in differences)
    error = float(np.quantile(errors, 0.95)) if cases >= 10 else max(errors)
    return {"aa_error": error, "aa_miss_rate": missed / cases, "aa_cases": cases}


def warnings(
    cells: Sequence[Cell], samples: Samples, machine: Mapping[str, Any], *, gc: str | None = None
) -> list[str]:
    """Warnings about the run's conditions, one line for each kind, which names the worst cells.

    `gc` is the collector's policy while timing, "on" or "off".
    """
    waves = cell_waves(cells, samples)
    timed = [(cell, waves[cell.id]) for cell in cells if cell.id in waves and cell.status in MEASURED]
    own = [pair for pair in timed if not pair[0].control]
    found = [
        _line(own, _shortfall, "got less than 97 % of the core (CPU time over wall time", "{:.0%}", -0.97),
        _line(
            own,
            lambda _, waves: waves.switches,
            "were interrupted more than once in two batches (switches per batch",
            "{:.1f}",
            0.5,
        ),
        _line(own, _deviation, "differ by more than 5 % from wave to wave (standard deviation", "{:.0%}", 0.05),
        _line(own, _each_ns, "take under 50 ns, of which the loop is a good part (ns", "{:.0f}", -50),
        _line(own, _one_call, "are slow enough for one call a batch: single calls, not averages (ms", "{:.1f}", 0),
    ]
    warm = [cell.warmup_ns for cell, _ in own if cell.warmup_ns]
    if warm:
        found.append(f"a JIT was at work: {len(warm)} cells were warmed up for up to {max(warm) / 1e9:.1f} s a process")
    if own and "usable_cores" not in machine:
        found.append("processes were not pinned to a core: this platform cannot, so migrations add noise")
    if machine.get("governor") not in (None, "performance"):
        found.append(f"the CPU's frequency may vary: governor {machine['governor']}")
    if machine.get("on_battery"):
        found.append("the machine ran on battery: its frequency may vary")
    if gc is not None:
        policy = {"on": "on, as users run it; what set-up made was frozen", "off": "off while timing"}
        found.append(f"garbage collector: {policy.get(gc, gc)}")
    return [line for line in found if line]


def _line(timed: Sequence[tuple[Cell, CellWaves]], figure: Figure, what: str, form: str, limit: float) -> str:
    """One warning about the cells beyond the limit: above it, or below it if it is negative."""
    sign = -1 if limit < 0 else 1
    values = [(sign * value, cell) for cell, waves in timed if (value := figure(cell, waves)) is not None]
    worst = sorted(((v, c) for v, c in values if v > limit), key=lambda pair: pair[0], reverse=True)
    if not worst:
        return ""
    named = [f"{cell_name(cell)} {form.format(abs(value))}" for value, cell in worst[:NAMED]]
    rest = f" and {len(worst) - NAMED} more" if len(worst) > NAMED else ""
    return f"{len(worst)} of {len(timed)} cells {what}: {', '.join(named)}{rest})"


def cell_name(cell: Cell) -> str:
    """A cell in words, short enough for a line that names several."""
    size = f"{cell.workload} {cell.records:,}"
    return f"{cell.library}{bracketed(cell.variant)}/{cell.codec} {cell.operation} {size}"


def _shortfall(_: Cell, waves: CellWaves) -> float | None:
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
