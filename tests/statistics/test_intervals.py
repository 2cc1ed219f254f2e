"""The statistics against SciPy, closed forms and simulated runs whose truth is known."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from synthetic import simulated
from waits import run

from serbench import statistics
from serbench.analysis.control import aa_summary
from serbench.analysis.overall import geometric_means
from serbench.statistics import DEFAULT_PRIOR, Estimate, Prior


def test_importing_the_module_does_not_import_scipy():
    """SciPy and numpy are imported by the functions that need them, not by the module."""
    code = "import sys, serbench.statistics; print('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert "False" == run([sys.executable, "-c", code]).stdout.strip()


@pytest.mark.parametrize("waves", [6, 9, 32])
def test_interval_is_students_from_six_waves_on(waves):
    """From six waves on an estimate is SciPy's t interval, whatever the prior."""
    values = np.random.default_rng(1).normal(0.2, 0.05, waves)
    found = statistics.estimate(values.tolist(), Prior(1.0, 100))
    low, high = stats.t.interval(0.95, waves - 1, values.mean(), stats.sem(values))
    assert pytest.approx((low, high)) == (found.low, found.high)


def test_few_waves_use_the_moderated_variance():
    """Below six waves the variance is the df-weighted mean of the prior's and the cell's own."""
    values = [0.01, 0.03, 0.02]
    found = statistics.estimate(values, Prior(0.0009, 4))
    variance = (4 * 0.0009 + 2 * np.var(values, ddof=1)) / 6
    assert pytest.approx(stats.t.ppf(0.975, 6) * math.sqrt(variance / 3)) == found.half


def test_one_wave_has_the_priors_wide_interval():
    """After the first wave the half-width is that of the documented prior, about ±9 %."""
    assert pytest.approx(math.expm1(stats.t.ppf(0.975, 3) * 0.027)) == statistics.half_width([0.5])


def test_no_wave_is_an_error():
    """An estimate of nothing is refused, not invented."""
    with pytest.raises(ValueError, match="at least one wave"):
        statistics.estimate([])


@given(st.floats(1e-5, 1e6))
def test_trigamma_inverse_inverts_trigamma(value):
    """trigamma(trigamma_inverse(y)) = y over eleven orders of magnitude."""
    assert pytest.approx(value, rel=1e-6) == float(special.polygamma(1, statistics.trigamma_inverse(value)))


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


@pytest.mark.parametrize("waves", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("cells", [1, 4, 40])
@pytest.mark.parametrize("df", [None, 4])
def test_intervals_cover_the_truth(waves, cells, df):
    """At least 92 % of 95 % intervals hold the truth from the first wave on, however many cells there are."""
    rng = np.random.default_rng(100 * waves + cells)
    hits = []
    for _ in range(max(60, 800 // cells)):
        table = simulated(rng, cells, waves, 0.015, df=df).tolist()
        prior = statistics.fit_prior(table)
        hits += [abs(e.mean) <= e.half for e in (statistics.estimate(values, prior) for values in table)]
    assert np.mean(hits) >= 0.92


def test_stopping_early_keeps_the_coverage():
    """Intervals of cells that left when they were narrow enough still hold the truth in over 92 % of cases."""
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


def test_converged_needs_waves_and_precision():
    """A cell leaves after the least number of waves, at the precision asked for, and not before."""
    calm, wild = [0.1, 0.101, 0.099, 0.1, 0.102, 0.098], [0.1, 0.2, 0.0, 0.15, 0.05, 0.1]
    prior = Prior(1e-6, 5)
    assert statistics.converged(calm, 0.02, prior)
    assert not statistics.converged(calm[:5], 0.02, prior)
    assert statistics.converged(calm[:4], 0.02, prior, least=4)
    assert not statistics.converged(wild, 0.02, prior)
    assert not statistics.converged([0.1] * 6, 0.02, Prior(0.05**2, 20))


def test_change_is_welchs():
    """The difference of two estimates has SciPy's Welch interval."""
    rng = np.random.default_rng(10)
    a, b = rng.normal(0, 0.01, 7), rng.normal(0.03, 0.03, 9)
    found = statistics.change(statistics.estimate(a.tolist()), statistics.estimate(b.tolist()))
    expected = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert pytest.approx((expected.low, expected.high)) == (found.low, found.high)


def test_p_beyond_agrees_with_the_interval():
    """Without a margin the p value is 5 % exactly where the interval touches zero."""
    assert pytest.approx(0.05) == statistics.p_beyond(Estimate(0.03, 0.03, 6.0, 7), margin=0.0)
    assert 1.0 == statistics.p_beyond(Estimate(0.005, 0.0, 6.0, 7))


def test_aa_summary_counts_misses_and_takes_the_percentile():
    """Few duplicates report their largest error, ten or more the 95th percentile; none reports nothing."""
    few = [Estimate(0.01, 0.02, 5, 6), Estimate(-0.03, 0.02, 5, 6)]
    assert {"aa_error": -math.expm1(-0.03), "aa_miss_rate": 0.5, "aa_cases": 2} == aa_summary(few)
    many = [Estimate(0.001 * i, 0.0155, 5, 6) for i in range(20)]
    found = aa_summary(many)
    assert pytest.approx(np.quantile(np.expm1(0.001 * np.arange(20)), 0.95)) == found["aa_error"]
    assert 0.2 == found["aa_miss_rate"]
    assert {"aa_error": None, "aa_miss_rate": None, "aa_cases": 0} == aa_summary([])


def test_geometric_mean_is_over_what_all_rows_have():
    """One missing value takes its column out for all rows; a row without values is left out, not the page."""
    table = {"a": {1: 2.0, 2: 8.0, 3: 99.0}, "b": {1: 1.0, 2: 4.0}, "c": {}}
    assert ({"a": pytest.approx(4.0), "b": pytest.approx(2.0)}, [1, 2]) == geometric_means(table)
    assert ({}, []) == geometric_means({"a": {1: 1.0}, "b": {2: 1.0}})
