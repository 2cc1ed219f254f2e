"""Intervals of simulated runs whose truth is known."""

import numpy as np
import pytest
from synthetic import simulated

from serbench.judge import statistics


@pytest.mark.parametrize("waves", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("cells", [1, 4, 40])
@pytest.mark.parametrize("df", [None, 4])
def test_intervals_cover_the_truth(waves, cells, df):
    """At least 92% of 95% intervals hold the truth from the first wave on, however many cells there are."""
    rng = np.random.default_rng(100 * waves + cells)
    hits = []
    for _ in range(max(60, 800 // cells)):
        table = simulated(rng, cells, waves, 0.015, df=df).tolist()
        prior = statistics.fit_prior(table)
        hits += [abs(e.mean) <= e.half for e in (statistics.estimate(values, prior) for values in table)]
    assert np.mean(hits) >= 0.92


def test_stopping_early_keeps_the_coverage():
    """Intervals of cells that left when they were narrow enough still hold the truth in over 92% of cases."""
    rng, hits = np.random.default_rng(5), []
    for _ in range(25):
        table = simulated(rng, 30, 16, 0.013, df=6)
        ends = {}
        for waves in range(1, 17):
            prior = statistics.fit_prior([values[: ends.get(i, waves)].tolist() for i, values in enumerate(table)])
            for i in set(range(30)) - set(ends):
                if waves == 16 or statistics.converged(table[i, :waves].tolist(), 0.02, prior):
                    ends[i] = waves
        found = [statistics.estimate(table[i, :end].tolist()) for i, end in ends.items()]
        hits += [abs(e.mean) <= e.half for e in found]
    assert np.mean(hits) >= 0.92
