"""Intervals and tests against SciPy and closed forms."""

import math
import sys

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from waits import run

from serbench.judge import statistics
from serbench.judge.statistics import DEFAULT_PRIOR, TIE, Estimate, Prior

MEANS = st.floats(-1, 1)
ERRORS = st.floats(1e-3, 1)
DFS = st.floats(0.5, 100)
CALM, WILD = [0.1, 0.101, 0.099, 0.1, 0.102, 0.098], [0.1, 0.2, 0.0, 0.15, 0.05, 0.1]


def known(mean, error, df, waves=4):
    """An estimate with that standard error."""
    return Estimate(mean, scipy.stats.t.ppf(0.975, df) * error, df, waves)


def test_importing_the_module_does_not_import_scipy():
    """SciPy and numpy are imported by the functions that need them, not by the module."""
    code = "import sys, serbench.judge.statistics; print('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert "False" == run([sys.executable, "-c", code]).stdout.strip()


@pytest.mark.parametrize("waves", [6, 9, 32])
def test_interval_is_students_from_six_waves_on(waves):
    """From six waves on an estimate is SciPy's t interval, whatever the prior."""
    values = np.random.default_rng(1).normal(0.2, 0.05, waves)
    found = statistics.estimate(values.tolist(), Prior(1.0, 100))
    low, high = scipy.stats.t.interval(0.95, waves - 1, values.mean(), scipy.stats.sem(values))
    assert pytest.approx((low, high)) == (found.low, found.high)


@pytest.mark.parametrize(("waves", "moderated"), [(1, False), (3, False), (5, False), (6, True), (9, True)])
def test_few_waves_use_the_moderated_variance(waves, moderated):
    """Below six waves, or if asked for, the variance is the df-weighted mean of the prior's and the cell's own."""
    values = np.random.default_rng(waves).normal(0.2, 0.05, waves)
    found = statistics.estimate(values.tolist(), Prior(0.0009, 4), moderated=moderated)
    df = 4 + waves - 1
    variance = (4 * 0.0009 + ((values - values.mean()) ** 2).sum()) / df
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(variance / waves)
    assert (pytest.approx(values.mean()), pytest.approx(half), df, waves) == (
        found.mean,
        found.half,
        found.df,
        found.waves,
    )


def test_one_wave_has_the_priors_wide_interval():
    """After the first wave the half-width is that of the documented prior, about ±9%."""
    assert pytest.approx(math.expm1(scipy.stats.t.ppf(0.975, 3) * 0.027)) == statistics.half_width([0.5])
    assert Prior(pytest.approx(0.027**2), 3) == DEFAULT_PRIOR


@given(MEANS, ERRORS, DFS)
def test_an_estimate_has_its_ends_and_its_error(mean, error, df):
    """The interval lies around the mean, as far to each side as the t distribution says of the standard error."""
    value = known(mean, error, df)
    low, high = scipy.stats.t.interval(0.95, df, mean, error)
    assert pytest.approx((low, high, error)) == (value.low, value.high, value.error)


@given(st.floats(0.001, 0.999), DFS)
def test_the_quantile_is_scipys(probability, df):
    """Quantiles of Student's t are those of SciPy, also for degrees of freedom between whole numbers."""
    assert pytest.approx(scipy.stats.t.ppf(probability, df), abs=1e-9) == statistics.t_quantile(probability, df)


def test_no_wave_is_an_error():
    """An estimate of nothing is refused, not invented."""
    with pytest.raises(ValueError, match="at least one wave"):
        statistics.estimate([])


def test_converged_needs_waves():
    """A cell leaves after six waves or as many as are asked for, and not before."""
    prior = Prior(1e-6, 5)
    assert statistics.converged(CALM, 0.02, prior)
    assert not statistics.converged(CALM[:5], 0.02, prior)
    assert statistics.converged(CALM[:4], 0.02, prior, least=4)
    assert not statistics.converged(CALM[:3], 0.02, prior, least=4)


@pytest.mark.parametrize(
    ("values", "prior", "wider"),
    [(WILD, Prior(1e-6, 50), "own"), (CALM, Prior(0.05**2, 20), "moderated")],
)
def test_converged_needs_precision_by_both_variances(values, prior, wider):
    """The wider of two half-widths decides, by the cell's own variance and by the moderated one: at its value a cell may leave."""
    own, moderated = (math.expm1(statistics.estimate(values, prior, moderated=m).half) for m in (False, True))
    assert ("own" if own > moderated else "moderated") == wider
    assert statistics.converged(values, max(own, moderated), prior)
    assert not statistics.converged(values, math.nextafter(max(own, moderated), 0), prior)


def test_change_is_welchs():
    """The difference of two estimates has SciPy's Welch interval."""
    rng = np.random.default_rng(10)
    a, b = rng.normal(0, 0.01, 7), rng.normal(0.03, 0.03, 9)
    found = statistics.change(statistics.estimate(a.tolist()), statistics.estimate(b.tolist()))
    expected = scipy.stats.ttest_ind(b, a, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert pytest.approx((interval.low, interval.high)) == (found.low, found.high)
    assert (pytest.approx(b.mean() - a.mean()), pytest.approx(expected.df)) == (found.mean, found.df)


def test_a_change_has_the_waves_of_the_shorter():
    """A change tells of no more waves than either estimate has, and of nothing but the means if neither varies."""
    few, many = known(0.1, 0.01, 3, waves=4), known(0.2, 0.01, 8, waves=9)
    assert 4 == statistics.change(few, many).waves == statistics.change(many, few).waves
    calm, calmer = Estimate(0.1, 0.0, 8, 9), Estimate(0.3, 0.0, 3, 4)
    assert Estimate(pytest.approx(0.2), 0.0, 3, 4) == statistics.change(calm, calmer)
    assert Estimate(pytest.approx(-0.2), 0.0, 3, 4) == statistics.change(calmer, calm)


@given(MEANS, ERRORS, DFS, st.floats(0, 0.5))
def test_p_beyond_is_treats(mean, error, df, margin):
    """The p value is McCarthy and Smyth's: both tails beyond the mean, of a t distribution around the margin."""
    expected = scipy.stats.t.sf((abs(mean) - margin) / error, df) + scipy.stats.t.sf((abs(mean) + margin) / error, df)
    assert pytest.approx(expected, abs=1e-9) == statistics.p_beyond(known(mean, error, df), margin=margin)


def test_p_beyond_agrees_with_the_interval():
    """Without a margin the p value is 5% exactly where the interval touches zero; the usual margin is 1%."""
    assert pytest.approx(0.05) == statistics.p_beyond(Estimate(0.03, 0.03, 6.0, 7), margin=0.0)
    assert pytest.approx(math.log(1.01)) == TIE
    value = known(-0.03, 0.01, 7)
    assert statistics.p_beyond(value, margin=math.log(1.01)) == statistics.p_beyond(value)


@given(MEANS, ERRORS, DFS, MEANS)
def test_p_above_is_a_one_sided_test(mean, error, df, limit):
    """The p value is that of a one-sided t test of the mean against the limit."""
    expected = scipy.stats.t.sf((mean - limit) / error, df)
    assert pytest.approx(expected, abs=1e-9) == statistics.p_above(known(mean, error, df), limit)


@pytest.mark.parametrize(
    ("mean", "beyond", "above"), [(0.03, 1.0, 1.0), (0.031, 0.0, 0.0), (-0.03, 1.0, 1.0), (-0.031, 0.0, 1.0)]
)
def test_without_variance_the_mean_decides(mean, beyond, above):
    """If all waves gave the same, a mean beyond the limit is certain, and one at the limit is within it."""
    value = Estimate(mean, 0.0, 5.0, 6)
    assert (beyond, above) == (statistics.p_beyond(value, margin=0.03), statistics.p_above(value, 0.03))
