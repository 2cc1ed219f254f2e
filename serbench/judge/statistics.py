"""Wave medians, intervals and stopping rules."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

TIE = math.log(1.01)
"""Differences that are not proven to exceed this are ties: 1%."""
SAMPLE_VARIANCE_WAVES = 6
"""From this many waves on, the interval of a cell rests on its own variance alone."""


@dataclass(frozen=True)
class Prior:
    """The between-wave variance of a log ratio as known before a cell's own waves."""

    variance: float
    df: float


DEFAULT_PRIOR = Prior(variance=0.027**2, df=3.0)
"""Two fresh processes with the same code differed by up to 0.027 (standard deviation of the log ratio);
three degrees of freedom say that another machine may well be two or three times better or worse."""


@dataclass(frozen=True)
class Estimate:
    """A mean over waves with its confidence interval, mean ± half, in logarithms."""

    mean: float
    half: float
    df: float
    waves: int

    @property
    def low(self) -> float:
        """The lower end of the interval, in logarithms."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """The upper end of the interval, in logarithms."""
        return self.mean + self.half

    @property
    def error(self) -> float:
        """The mean's standard error, in logarithms."""
        return self.half / t_quantile(0.975, self.df)


def t_quantile(probability: float, df: float) -> float:
    """The quantile of Student's t distribution; `df` may be fractional."""
    from scipy.special import stdtrit

    return float(stdtrit(df, probability))


def estimate(values: Collection[float], prior: Prior = DEFAULT_PRIOR, *, moderated: bool = False) -> Estimate:
    """Mean over waves with a 95% interval of Student's t.

    Below `SAMPLE_VARIANCE_WAVES` waves, or if asked for, the variance is moderated: (prior.df · prior.variance + (K−1) · s²) over
    (prior.df + K−1), with as many degrees of freedom. One wave alone has the prior's interval.
    """
    waves = len(values)
    if not waves:
        raise ValueError("an estimate needs at least one wave")
    mean = math.fsum(values) / waves
    spread, df = math.fsum((value - mean) ** 2 for value in values), waves - 1.0
    if moderated or waves < SAMPLE_VARIANCE_WAVES:
        spread, df = spread + prior.df * prior.variance, df + prior.df
    half = t_quantile(0.975, df) * math.sqrt(spread / df / waves)
    return Estimate(mean, half, df, waves)


def half_width(values: Collection[float], prior: Prior = DEFAULT_PRIOR) -> float:
    """The 95% interval's half-width as a fraction: 0.02 is ±2%."""
    return math.expm1(estimate(values, prior).half)


def converged(values: Collection[float], precision: float, prior: Prior = DEFAULT_PRIOR, *, least: int = 6) -> bool:
    """Return True if a cell may leave: after `least` waves, at a half-width ≤ `precision` (0.02 is ±2%).

    Stopping when the interval is narrow favours variances that came out small by luck, so the interval must
    be narrow both by the cell's own variance and by the variance moderated with the run's other cells.
    """
    if len(values) < least:
        return False
    return max(half_width(values, prior), math.expm1(estimate(values, prior, moderated=True).half)) <= precision


def fit_prior(
    cells: Iterable[Collection[float]],
    *,
    references: int = 1,
    differences: Collection[float] = (),
    base: Prior = DEFAULT_PRIOR,
) -> Prior:
    """The prior that a run's cells give each other: `cells` are the per-wave log ratios of each.

    Cells with nothing but zeros (a reference over itself) are left out.

    `differences` are log ratios of identical code in two processes of the first wave (the control): with
    `base` they are all that is known before the second wave. `references` counts the reference cells that the
    ratios share. A reference's own luck is in all its cells, and half the variance of a ratio is the reference's: so
    they cannot tell more of the variance than four times its degrees of freedom.
    """
    if differences:
        counted = min(len(differences), 5.0)
        mean_square = math.fsum(value**2 for value in differences) / len(differences)
        pooled = (base.df * base.variance + counted * mean_square) / (base.df + counted)
        base = Prior(pooled, base.df + counted)
    repeated = [list(values) for values in cells if len(values) > 1 and any(values)]
    if not repeated:
        return base
    dfs = [len(values) - 1.0 for values in repeated]
    means = [math.fsum(values) / len(values) for values in repeated]
    squares = [math.fsum((v - m) ** 2 for v in values) for values, m in zip(repeated, means, strict=True)]
    cap = 4 * references * sorted(dfs)[len(dfs) // 2]
    return moderate([s / df for s, df in zip(squares, dfs, strict=True)], dfs, cap=cap, base=base)


def moderate(variances: Sequence[float], dfs: Sequence[float], *, cap: float, base: Prior = DEFAULT_PRIOR) -> Prior:
    """Smyth's moment estimate of the prior from sample variances with `dfs` degrees of freedom.

    With few cells the estimate itself is uncertain: its logarithm is averaged with that of `base`, each by its
    precision, and its degrees of freedom are at most `cap` and the sum of `dfs` (as limma's df.total).
    """
    import numpy as np
    from scipy.special import digamma, polygamma

    df = np.asarray(dfs, dtype=np.float64)
    raw = np.asarray(variances, dtype=np.float64)
    if len(raw) < 3 or not raw.max() > 0:
        return base
    middle = float(np.median(raw)) or float(raw.max())
    least = max(1e-5 * middle, sys.float_info.min)  # what is less has no logarithm that means anything
    logs = np.log(np.maximum(raw, least)) - digamma(df / 2) + np.log(df / 2)
    mean, spread = float(logs.mean()), float(logs.var(ddof=1))
    excess = spread - float(polygamma(1, df / 2).mean())
    fitted = trigamma_inverse(excess) * 2 if excess > 0 else math.inf
    prior_df = min(fitted, cap, float(df.sum()))
    if math.isfinite(fitted):
        mean += float(digamma(fitted / 2)) - math.log(fitted / 2)
    doubt = spread / len(raw)
    base_doubt = float(polygamma(1, base.df / 2))
    mean = (mean * base_doubt + math.log(base.variance) * doubt) / (base_doubt + doubt)
    return Prior(math.exp(mean), prior_df)


def trigamma_inverse(value: float) -> float:
    """The x with trigamma(x) = value > 0, by Newton's method on 1/trigamma (Smyth 2004, appendix)."""
    from scipy.special import polygamma

    guess = 0.5 + 1 / value
    for _ in range(50):  # 33 reach the last digit of 1e18
        before, trigamma = guess, float(polygamma(1, guess))
        guess += trigamma * (1 - trigamma / value) / float(polygamma(2, guess))
        if guess == before:
            break
    return guess


def change(a: Estimate, b: Estimate) -> Estimate:
    """Return the difference of two independent estimates, `b` − `a`, with Welch–Satterthwaite degrees of freedom."""
    parts = [e.error**2 for e in (a, b)]
    total = math.fsum(parts)
    df = min(a.df, b.df)
    if total > 0:
        df = total**2 / math.fsum(part**2 / e.df for part, e in zip(parts, (a, b), strict=True))
    return Estimate(b.mean - a.mean, t_quantile(0.975, df) * math.sqrt(total), df, min(a.waves, b.waves))


def p_beyond(value: Estimate, *, margin: float = TIE) -> float:
    """The chance of so large a mean if the truth were within ± `margin` (TREAT's p value)."""
    from scipy.special import stdtr

    size, error = abs(value.mean), value.error
    if error == 0:
        return float(size <= margin)
    return float(stdtr(value.df, (margin - size) / error) + stdtr(value.df, (-margin - size) / error))


def p_above(value: Estimate, limit: float) -> float:
    """The chance of so large a mean if the truth were at most `limit`, in logarithms (one-sided t test)."""
    from scipy.special import stdtr

    if value.error == 0:
        return float(value.mean <= limit)
    return float(stdtr(value.df, (limit - value.mean) / value.error))


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

THREADS = 1.1
"""A process that uses this many times the CPU time of its measured thread is running others."""
WAITS, UNINTERRUPTED = 0.5, 1
"""A function of the user's that gets less of the core, although nothing interrupts a batch so often, waits."""
SAMPLE_FIELDS = 8
"""A sample is its cell, wave, visit and round, CPU, wall and process time in ns, and switches: see `results.Sample`."""


@dataclass(frozen=True)
class CellWaves:
    """One cell's samples by wave: medians over the wave's rounds.

    `log_times` holds log(ns per operation) on the cell's `clock`, `log_ratios` the log of its time over its
    reference's in the same wave, visit and round (absent if the reference has no sample), each on the clock of its
    cell. `cpu_over_wall` is a median over batches, `switches` a mean per batch.
    """

    clock: Literal["cpu", "wall"]
    log_times: dict[int, float]
    log_ratios: dict[int, float]
    samples: int
    cpu_over_wall: float
    switches: float


def wave_medians(
    samples: Any, loops: Mapping[int, int], reference: Mapping[int, int], may_wait: Collection[int] = ()
) -> dict[int, CellWaves]:
    """The per-wave medians of every cell that has samples, by which it is reported and stopped.

    A cell is timed by its thread's CPU clock. It is timed by the wall clock if its process typically used over 1.1
    times as much CPU time (the library has threads), if it waits and may do so, or if the CPU clock is too coarse to
    see a batch.

    Args:
        samples: a list of `Sample`, or an array of such rows of 8 integers, structured or of shape (n, 8).
        loops: cell → the calls of a batch.
        reference: cell → the cell that it is divided by.
        may_wait: cells whose code may sleep, read or send; of all others little CPU time is the machine's doing.
    """
    import numpy as np

    table = sample_table(samples)
    if not len(table):
        return {}
    ids, cell = np.unique(table[:, 0], return_inverse=True)
    cpu, wall, process, switches = (table[:, column].astype(np.float64) for column in range(4, 8))
    counts = np.bincount(cell)
    switching = np.bincount(cell, weights=switches) / counts
    with np.errstate(divide="ignore", invalid="ignore"):
        cpu_over_wall = _group_medians(cell, np.where(wall > 0, cpu / wall, np.nan))[1]
        by_wall = _group_medians(cell, np.where(cpu > 0, process / cpu, np.inf))[1] > THREADS
        by_wall |= (cpu_over_wall < WAITS) & (switching < UNINTERRUPTED) & np.isin(ids, [*may_wait])
        log_time = np.log(np.where(by_wall[cell], wall, cpu))
        log_time -= np.log(np.array([loops.get(int(i), 0) for i in ids], dtype=np.float64))[cell]
    log_time[~np.isfinite(log_time)] = np.nan
    positions = {int(i): position for position, i in enumerate(ids)}
    partner = np.array([positions.get(reference.get(int(i), -1), -1) for i in ids])[cell]
    times = _by_wave(cell, table[:, 1], log_time)
    ratios = _by_wave(cell, table[:, 1], log_time - _partner_times(cell, partner, table[:, 1:4], log_time))
    return {
        int(i): CellWaves(
            "wall" if by_wall[n] else "cpu",
            times.get(n, {}),
            ratios.get(n, {}),
            int(counts[n]),
            float(cpu_over_wall[n]),
            float(switching[n]),
        )
        for n, i in enumerate(ids)
    }


def _partner_times(cell: Any, partner: Any, where: Any, log_time: Floats) -> Floats:
    """For each sample the log time of its reference in the same wave, visit and round; NaN if there is none."""
    import numpy as np

    low, span = where.min(axis=0), np.ptp(where, axis=0) + 1
    wave, visit, turn = (where - low).T
    slot = (wave * span[1] + visit) * span[2] + turn
    slots = int(span.prod())
    key, wanted = cell * slots + slot, partner * slots + slot
    order = np.argsort(key, kind="stable")
    nearest = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where((partner >= 0) & (key[nearest] == wanted), log_time[nearest], np.nan)


def _by_wave(cell: Any, wave: Any, values: Floats) -> dict[int, dict[int, float]]:
    """Medians of the values that are numbers, by cell and wave."""
    import numpy as np

    kept = ~np.isnan(values)
    first = int(wave.min())
    span = int(wave.max()) - first + 1
    groups, medians = _group_medians(cell[kept] * span + (wave[kept] - first), values[kept])
    by_wave: dict[int, dict[int, float]] = {}
    for group, value in zip(groups.tolist(), medians.tolist(), strict=True):
        by_wave.setdefault(group // span, {})[group % span + first] = value
    return by_wave


def _group_medians(group: Any, values: Floats) -> tuple[Any, Floats]:
    import numpy as np

    order = np.lexsort((values, group))
    groups, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    ranked = values[order]
    return groups, (ranked[starts + (counts - 1) // 2] + ranked[starts + counts // 2]) / 2


def sample_table(samples: Any) -> NDArray[np.int64]:
    """Samples, as `wave_medians` takes them, as an array of shape (n, 8)."""
    import numpy as np

    if isinstance(samples, np.ndarray):
        return np.ascontiguousarray(samples).view(np.int64).reshape(-1, SAMPLE_FIELDS)
    return np.array(list(samples), dtype=np.int64).reshape(-1, SAMPLE_FIELDS)
