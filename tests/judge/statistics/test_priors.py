"""The prior that cells give each other, against closed forms, an independent computation and draws from a known prior."""

import math
import sys

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from synthetic import simulated

from serbench.judge import statistics
from serbench.judge.statistics import DEFAULT_PRIOR, Prior

BASE = Prior(0.02**2, 5.0)


def smyth(variances, dfs, cap, base):
    """Section 6.2 of Smyth (2004), solved by bisection, and its logarithm averaged with that of `base` by precision."""
    variances, halves = np.asarray(variances), np.asarray(dfs) / 2
    e = np.log(variances) - scipy.special.digamma(halves) + np.log(halves)
    spread = np.var(e, ddof=1)
    excess = spread - scipy.special.polygamma(1, halves).mean()
    center, df = e.mean(), math.inf
    if excess > 0:
        half = math.exp(
            scipy.optimize.brentq(lambda x: scipy.special.polygamma(1, math.exp(x)) - excess, -20, 40, xtol=1e-13)
        )
        center, df = center + scipy.special.digamma(half) - math.log(half), 2 * half
    weight, base_weight = len(variances) / spread if spread else math.inf, 1 / scipy.special.polygamma(1, base.df / 2)
    share = 1 / (1 + base_weight / weight)
    return math.exp(share * center + (1 - share) * math.log(base.variance)), min(df, cap, sum(dfs))


@given(st.floats(-17, 18).map(lambda exponent: 10**exponent))
def test_trigamma_inverse_inverts_trigamma(value):
    """trigamma(trigamma_inverse(y)) = y over 35 orders of magnitude."""
    assert pytest.approx(value, rel=1e-9) == float(scipy.special.polygamma(1, statistics.trigamma_inverse(value)))


@given(
    st.lists(st.tuples(st.floats(-12, -4).map(math.exp), st.integers(1, 30)), min_size=3, max_size=12),
    st.sampled_from([1.0, 8.0, 1e9]),
)
def test_the_prior_is_smyths(cells, cap):
    """The fitted prior is that of an independent computation, whichever of the three bounds its degrees of freedom meet."""
    variances, dfs = zip(*cells, strict=True)
    found = statistics.moderate(variances, dfs, cap=cap, base=BASE)
    assert pytest.approx(smyth(np.maximum(variances, 1e-5 * np.median(variances)), dfs, cap, BASE), rel=1e-6) == (
        found.variance,
        found.df,
    )


def test_three_cells_are_enough_for_a_prior():
    """Fewer than three variances leave the base; three do not."""
    assert BASE == statistics.moderate([1e-4, 9e-4], [5, 5], cap=100, base=BASE)
    assert BASE != statistics.moderate([1e-4, 9e-4, 4e-4], [5, 5, 5], cap=100, base=BASE)
    assert DEFAULT_PRIOR == statistics.moderate([1e-4, 9e-4], [5, 5], cap=100)


def test_equal_variances_have_as_many_degrees_of_freedom_as_are_known():
    """If the variances differ no more than chance allows, the prior is as firm as all cells together, or as the cap."""
    for cap in (11, 12, 13):
        found = statistics.moderate([4e-4] * 3, [4, 4, 4], cap=cap, base=BASE)
        assert (pytest.approx(smyth([4e-4] * 3, [4] * 3, cap, BASE)[0]), min(cap, 12)) == (found.variance, found.df)


@pytest.mark.parametrize(
    ("variances", "as_if"),
    [
        ([0.0, 1e-4, 2e-4], [1e-9, 1e-4, 2e-4]),
        ([1e-12, 1e-4, 2e-4], [1e-9, 1e-4, 2e-4]),
        ([0.0, 0.0, 1e-4], [1e-9, 1e-9, 1e-4]),
        ([0.0, 5e-324, 5e-324], [sys.float_info.min] * 3),
    ],
)
def test_a_variance_without_a_logarithm_counts_as_a_tiny_one(variances, as_if):
    """No variance counts as less than 1e-5 of their median, or of the largest if the median is zero."""
    found, expected = (statistics.moderate(values, [5] * 3, cap=100, base=BASE) for values in (variances, as_if))
    assert (pytest.approx(expected.variance), pytest.approx(expected.df)) == (found.variance, found.df)


@given(st.lists(st.lists(st.floats(-0.1, 0.1), max_size=7), max_size=9), st.integers(1, 3))
def test_a_runs_prior_is_that_of_its_repeated_cells(cells, references):
    """Each cell with two waves or more lends its sample variance; a cell of zeros, the reference over itself, does not."""
    lending = [cell for cell in cells if len(cell) > 1 and any(cell)]
    dfs = [len(cell) - 1 for cell in lending]
    expected = BASE
    if lending:
        cap = 4 * references * sorted(dfs)[len(dfs) // 2]
        expected = statistics.moderate([np.var(cell, ddof=1) for cell in lending], dfs, cap=cap, base=BASE)
    found = statistics.fit_prior(cells, references=references, base=BASE)
    assert (pytest.approx(expected.variance, rel=1e-6), pytest.approx(expected.df, rel=1e-6)) == (
        found.variance,
        found.df,
    )


@pytest.mark.parametrize(
    ("differences", "counted"), [([0.03], 1), ([0.03, -0.01], 2), ([0.03, -0.01] * 2, 4), ([0.03, -0.01] * 3, 5)]
)
def test_the_control_counts_as_five_degrees_of_freedom_at_most(differences, counted):
    """The squares of the duplicates' differences are pooled with the base, each by its degrees of freedom."""
    mean_square = sum(value**2 for value in differences) / len(differences)
    found = statistics.fit_prior([], differences=differences, base=BASE)
    variance = (5 * 0.02**2 + counted * mean_square) / (5 + counted)
    assert (pytest.approx(variance), 5 + counted) == (found.variance, found.df)


def test_prior_is_recovered_from_many_cells():
    """Smyth's fit finds the prior variance and degrees of freedom that drew the cells."""
    rng = np.random.default_rng(2)
    true = Prior(0.0004, 6)
    variances = true.variance * true.df / rng.chisquare(true.df, 4000)
    sampled = variances * rng.chisquare(3, 4000) / 3
    found = statistics.moderate(sampled.tolist(), [3.0] * 4000, cap=1e9)
    assert pytest.approx(true.variance, rel=0.05) == found.variance
    assert pytest.approx(true.df, rel=0.2) == found.df


def test_few_cells_and_zero_variances_do_not_break_the_prior():
    """No cell, one cell and cells without any variance leave the documented prior; nothing is NaN."""
    assert DEFAULT_PRIOR == statistics.fit_prior([])
    assert DEFAULT_PRIOR == statistics.fit_prior([[0.1], [0.2]])
    assert DEFAULT_PRIOR == statistics.fit_prior([[0.0, 0.0, 0.0]] * 9)
    assert DEFAULT_PRIOR == statistics.fit_prior([[0.1, 0.1]] * 3)
    found = statistics.fit_prior([[0.1, 0.1]] * 4 + [[0.1, 0.12], [0.1, 0.13]])
    assert math.isfinite(found.variance)
    assert found.variance > 0


def test_the_reference_over_itself_does_not_count_as_a_calm_cell():
    """A cell of zeros changes nothing in the prior."""
    cells = simulated(np.random.default_rng(3), 8, 4, 0.02).tolist()
    assert statistics.fit_prior(cells) == statistics.fit_prior([*cells, [0.0] * 4])


def test_control_tells_of_the_first_wave():
    """Calm duplicates narrow the first wave's interval, wild ones widen it."""
    calm = statistics.fit_prior([[0.1]], differences=[0.002, -0.003, 0.001])
    wild = statistics.fit_prior([[0.1]], differences=[0.2, -0.15, 0.1])
    usual = statistics.half_width([0.1])
    assert statistics.half_width([0.1], calm) < usual < statistics.half_width([0.1], wild)
