"""The statistics against SciPy, closed forms and simulated runs whose truth is known."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from serbench import statistics
from serbench.statistics import DEFAULT_PRIOR, TIE, Estimate, Prior


def simulated(rng, rows, waves, sd, effects=None, df=None):
    """Per-wave log ratios of rows that share one reference, with unequal noise where `df` is given."""
    noise = sd * (np.sqrt(df / rng.chisquare(df, rows)) if df else np.ones(rows))
    own = rng.normal(0, 1, (rows, waves)) * noise[:, None]
    true = np.zeros(rows) if effects is None else np.asarray(effects)
    return own + true[:, None] - rng.normal(0, sd, waves)


def as_rows(table):
    return [dict(enumerate(values)) for values in table.tolist()]


def test_importing_the_module_does_not_import_scipy():
    """SciPy and numpy are imported by the functions that need them, not by the module."""
    code = "import sys, serbench.statistics; print('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert "False" == subprocess.check_output([sys.executable, "-c", code], text=True).strip()


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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_the_step_down_of_its_definition(p):
    """Holm's adjusted values are never below the raw ones, monotone, and equal to the definition."""
    found = statistics.holm(p)
    order = sorted(range(len(p)), key=lambda i: p[i])
    worst = 0.0
    for place, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - place) * p[i]))
        assert worst == found[i]


def test_pairs_without_margin_are_scipys_paired_test():
    """Without a margin and with its own variance alone, a pair's p value is that of SciPy's paired t test."""
    table = np.random.default_rng(6).normal(0, 0.02, (2, 9))
    table[0] += 0.02
    delta, p = statistics.compare_pairs(as_rows(table), margin=0.0, base=Prior(1.0, 1e-12))
    assert pytest.approx(stats.ttest_rel(*table).pvalue) == p[0, 1]
    assert pytest.approx(table[0].mean() - table[1].mean()) == delta[0, 1]


def test_the_reference_cancels_in_a_pair():
    """What all rows share in a wave, however large, changes no rank."""
    table = simulated(np.random.default_rng(7), 6, 8, 0.005, [0, 0, 0.1, 0.1, 0.3, 0.5])
    shaken = table + np.random.default_rng(8).normal(0, 0.5, 8)
    assert statistics.ranks(as_rows(table)) == statistics.ranks(as_rows(shaken)) == [1, 1, 3, 3, 5, 6]


def test_pairs_are_compared_over_the_waves_they_share():
    """A row that left after two waves is compared over those two; rows without a common wave are ties."""
    delta, p = statistics.compare_pairs([{0: 0.1, 1: 0.1}, {0: 0.3, 1: 0.3, 2: 9.0}, {2: 5.0}])
    assert pytest.approx(-0.2) == delta[0, 1]
    assert (1.0, 1.0) == (p[0, 2], p[0, 0])


@pytest.mark.parametrize(("rows", "waves", "df"), [(2, 6, None), (12, 2, 4), (12, 6, 4), (60, 2, 4), (60, 6, None)])
def test_rankings_of_identical_rows_are_one_tie(rows, waves, df):
    """At most 5 % of rankings of identical code hold any false rank, over all their pairs."""
    rng = np.random.default_rng(rows * waves)
    wrong = [max(statistics.ranks(as_rows(simulated(rng, rows, waves, 0.019, df=df)))) > 1 for _ in range(160)]
    assert np.mean(wrong) <= 0.05


@pytest.mark.parametrize("waves", [3, 6])
def test_differences_of_just_the_margin_stay_ties(waves):
    """Even rows that truly differ by exactly 1 % are told apart in at most 7 % of rankings (5 % and sampling)."""
    rng = np.random.default_rng(waves)
    effects = [0.0] * 5 + [TIE] * 5
    tables = [as_rows(simulated(rng, 10, waves, 0.015, effects, 5)) for _ in range(300)]
    assert np.mean([max(statistics.ranks(table)) > 1 for table in tables]) <= 0.07


def test_a_five_per_cent_difference_is_found():
    """One row that is 5 % faster than eleven others is alone on the first rank in 90 % of default runs."""
    rng = np.random.default_rng(9)
    tables = [as_rows(simulated(rng, 12, 10, 0.013, [-0.05] + [0.0] * 11)) for _ in range(60)]
    assert np.mean([statistics.ranks(table)[1:].count(1) == 0 for table in tables]) >= 0.9


@given(st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=12), st.integers(0, 1000))
def test_ranks_follow_the_estimates(effects, seed):
    """Ranks begin at 1 and never fall as the estimate rises."""
    table = simulated(np.random.default_rng(seed), len(effects), 5, 0.01, effects)
    found = statistics.ranks(as_rows(table))
    in_order = [found[i] for i in np.argsort(table.mean(axis=1), kind="stable")]
    assert 1 == in_order[0]
    assert sorted(in_order) == in_order


def test_no_row_has_no_rank():
    """An empty ranking is empty."""
    assert [] == statistics.ranks([])


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
    assert {"aa_error": -math.expm1(-0.03), "aa_miss_rate": 0.5, "aa_cases": 2} == statistics.aa_summary(few)
    many = [Estimate(0.001 * i, 0.0155, 5, 6) for i in range(20)]
    found = statistics.aa_summary(many)
    assert pytest.approx(np.quantile(np.expm1(0.001 * np.arange(20)), 0.95)) == found["aa_error"]
    assert 0.2 == found["aa_miss_rate"]
    assert {"aa_error": None, "aa_miss_rate": None, "aa_cases": 0} == statistics.aa_summary([])


def test_geometric_mean_is_over_what_all_rows_have():
    """One missing value takes its column out for all rows; a row without values is left out, not the page."""
    table = {"a": {1: 2.0, 2: 8.0, 3: 99.0}, "b": {1: 1.0, 2: 4.0}, "c": {}}
    assert ({"a": pytest.approx(4.0), "b": pytest.approx(2.0)}, [1, 2]) == statistics.geometric_means(table)
    assert ({}, []) == statistics.geometric_means({"a": {1: 1.0}, "b": {2: 1.0}})


def test_two_rows_share_the_first_place_as_the_t_distribution_has_it():
    """With many waves the faster of two rows is first as often as SciPy's t distribution of their difference says."""
    table = np.random.default_rng(11).normal(0, 0.02, (2, 60))
    table[1] += 0.15 * 0.02
    found = statistics.first_probabilities(as_rows(table))
    difference = table[1] - table[0]
    expected = stats.t.cdf(difference.mean() / stats.sem(difference), 59)
    assert pytest.approx(1.0) == sum(found)
    assert pytest.approx(expected, abs=0.05) == found[0]


def test_the_probability_of_being_first_is_what_it_says():
    """Over many runs whose truth is drawn, rows called first with about 30–70 % are the fastest in about as many."""
    rng, said, right = np.random.default_rng(12), [], []
    for _ in range(400):
        effects = rng.normal(0, 0.03, 6)
        found = statistics.first_probabilities(as_rows(simulated(rng, 6, 6, 0.015, effects)), draws=1000)
        for row, share in enumerate(found):
            if 0.3 <= share <= 0.7:
                said.append(share)
                right.append(row == effects.argmin())
    assert len(said) > 80
    assert pytest.approx(np.mean(said), abs=0.1) == np.mean(right)


def test_identical_rows_are_first_equally_often():
    """Among rows that do the same work none is favoured, and what the reference shares with all of them changes nothing."""
    rng = np.random.default_rng(13)
    tables = [simulated(rng, 5, 6, 0.01) for _ in range(150)]
    shares = np.mean([statistics.first_probabilities(as_rows(table), draws=500) for table in tables], axis=0)
    assert pytest.approx([0.2] * 5, abs=0.08) == shares
    shaken = tables[0] + rng.normal(0, 0.5, 6)
    one, other = (statistics.first_probabilities(as_rows(table)) for table in (tables[0], shaken))
    assert pytest.approx(one, abs=0.01) == other


def test_a_row_alone_is_first():
    """One row is certainly the first, and one that is far ahead is so among many; one wave is enough to say something."""
    assert [1.0] == statistics.first_probabilities([{0: 0.1}])
    assert [] == statistics.first_probabilities([])
    assert (
        1.0 == statistics.first_probabilities(as_rows(np.array([[-1.0, -1.01, -0.99], [0.0, 0.01, 0.0], [0.1] * 3])))[0]
    )
    assert 0.5 < statistics.first_probabilities([{0: 0.0}, {0: 0.02}])[0] < 1
