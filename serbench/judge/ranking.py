"""Ranks: every pair of rows compared, ties, and the probability of being first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from serbench.judge.statistics import DEFAULT_PRIOR, TIE, Prior, moderate

if TYPE_CHECKING:
    from serbench.judge.statistics import Floats

MOST_BORROWED = 10
"""A pair counts the other pairs at most ten times its own waves. Simulated with 60 identical rows of unequal noise
(Student t with 4 df) over two waves, 4% of rankings had a false rank; 9% at twenty times, 12% without a limit."""
DRAWS = 4000
"""A probability of being first is known to 0.8% (standard deviation) at worst."""


def compare_pairs(
    rows: Sequence[Mapping[int, float]], *, margin: float = TIE, base: Prior = DEFAULT_PRIOR
) -> tuple[Floats, Floats]:
    """Every pair of rows over the waves that they share, paired by wave so that the reference cancels.

    Returns:
        Two square arrays. The first has at [i, j] row i's log time over row j's. The second has the chance of so large
        a difference if the true one were within ± the margin, before any correction for the number of pairs. It is 1
        on the diagonal and for two rows that share no wave.

    The rows map waves to log ratios to one reference. The pairs' variances are moderated by each other at any
    number of waves: hundreds of tests at five degrees of freedom would prove nothing.
    """
    import numpy as np
    from scipy.special import stdtr

    table = _wave_table(rows)
    differences = table[:, None, :] - table[None, :, :]
    shared = ~np.isnan(differences)
    count = shared.sum(axis=2)
    differences = np.where(shared, differences, 0.0)
    delta = differences.sum(axis=2) / np.maximum(count, 1)
    spread = (np.where(shared, differences - delta[:, :, None], 0.0) ** 2).sum(axis=2)
    error, df = _moderated_errors(spread, count, np.triu(count > 1, k=1), len(rows), base)
    size = np.abs(delta)
    return delta, stdtr(df, (margin - size) / error) + stdtr(df, (-margin - size) / error)


def _wave_table(rows: Sequence[Mapping[int, float]]) -> Floats:
    """The rows' log ratios as an array of shape (rows, waves); NaN for a wave that a row lacks."""
    import numpy as np

    waves = sorted({wave for row in rows for wave in row})
    table = np.array([[row.get(wave, np.nan) for wave in waves] for row in rows], dtype=np.float64)
    return table.reshape(len(rows), len(waves))


def _moderated_errors(spread: Floats, count: Any, lending: Any, rows: int, base: Prior) -> tuple[Floats, Floats]:
    """Standard errors and degrees of freedom of means over `count` waves, moderated by each other.

    `spread` holds sums of squares; the variances of the entries that `lending` marks give the prior.
    """
    import numpy as np

    degrees, prior = np.maximum(count - 1.0, 0.0), base
    if lending.any():
        freedom = degrees[lending]
        cap = float(np.median(freedom)) * min(rows - 1, MOST_BORROWED)
        prior = moderate(spread[lending] / freedom, freedom, cap=cap, base=base)
    df = degrees + prior.df
    return np.sqrt((spread + prior.df * prior.variance) / df / np.maximum(count, 1)), df


def holm(p: Any) -> Floats:
    """Holm's step-down adjustment (1979): reject if the result is ≤ the family-wise error rate."""
    import numpy as np

    p_values = np.asarray(p, dtype=np.float64)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def ranks(rows: Sequence[Mapping[int, float]], *, margin: float = TIE, alpha: float = 0.05) -> list[int]:
    """The rank of each row: 1 + the number of rows in the groups of ties before its own, as in 1, 2, 2, 4.

    The rows are taken in the order of their means. A row that is proven slower than some row of the present group begins
    the next one, so that no two rows of a group are proven to differ. Proven means by more than `margin`, with Holm's
    correction over all pairs.
    """
    import numpy as np

    if not rows:
        return []
    delta, p = compare_pairs(rows, margin=margin)
    upper = np.triu_indices(len(rows), k=1)
    adjusted = np.ones_like(p)
    adjusted[upper] = holm(p[upper])
    slower = (np.minimum(adjusted, adjusted.T) <= alpha) & (delta > 0)
    ranking = [0] * len(rows)
    first = 0
    order = np.argsort([math.fsum(row.values()) / len(row) for row in rows], kind="stable")
    for position, row in enumerate(order):
        if slower[row, order[first:position]].any():
            first = position
        ranking[row] = first + 1
    return ranking


def first_probabilities(rows: Sequence[Mapping[int, float]], *, draws: int = DRAWS, seed: int = 0) -> list[float]:
    """The probability of each row to be the fastest of all, as far as its waves tell: how stable the first rank is.

    A parametric bootstrap: each row's mean is drawn again and again from Student's t distribution over its waves,
    and the share of draws in which it is the smallest is counted. What all rows share in a wave is taken out
    first, and the rows' variances are moderated by each other, as those of pairs are for `ranks`. The rows map
    waves to log ratios to one reference.
    """
    import numpy as np

    if len(rows) < 2:
        return [1.0] * len(rows)
    table = _wave_table(rows)
    count = (~np.isnan(table)).sum(axis=1)
    mean = np.nanmean(table, axis=1)
    rest = table - mean[:, None]
    beside = (~np.isnan(rest)).sum(axis=0)
    rest = rest - np.where(beside > 1, np.nanmean(rest, axis=0), 0.0)
    spread = np.nansum(rest**2, axis=1) * len(rows) / (len(rows) - 1)
    error, df = _moderated_errors(spread, count, count > 1, len(rows), DEFAULT_PRIOR)
    near = np.flatnonzero(mean - 8 * error <= (mean + 8 * error).min())
    drawn = mean[near] + error[near] * np.random.default_rng(seed).standard_t(df[near], (draws, len(near)))
    shares = np.zeros(len(rows))
    shares[near] = np.bincount(drawn.argmin(axis=1), minlength=len(near)) / draws
    return [float(share) for share in shares]
