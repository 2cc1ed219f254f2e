"""Ranks and the probability of being first, against SciPy and simulated runs whose truth is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from synthetic import simulated

from serbench.analysis import ranking
from serbench.statistics import TIE, Prior


def as_rows(table):
    return [dict(enumerate(values)) for values in table.tolist()]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_the_step_down_of_its_definition(p):
    """Holm's adjusted values are never below the raw ones, monotone, and equal to the definition."""
    found = ranking.holm(p)
    order = sorted(range(len(p)), key=lambda i: p[i])
    worst = 0.0
    for place, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - place) * p[i]))
        assert worst == found[i]


def test_pairs_without_margin_are_scipys_paired_test():
    """Without a margin and with its own variance alone, a pair's p value is that of SciPy's paired t test."""
    table = np.random.default_rng(6).normal(0, 0.02, (2, 9))
    table[0] += 0.02
    delta, p = ranking.compare_pairs(as_rows(table), margin=0.0, base=Prior(1.0, 1e-12))
    assert pytest.approx(stats.ttest_rel(*table).pvalue) == p[0, 1]
    assert pytest.approx(table[0].mean() - table[1].mean()) == delta[0, 1]


def test_the_reference_cancels_in_a_pair():
    """What all rows share in a wave, however large, changes no rank."""
    table = simulated(np.random.default_rng(7), 6, 8, 0.005, [0, 0, 0.1, 0.1, 0.3, 0.5])
    shaken = table + np.random.default_rng(8).normal(0, 0.5, 8)
    assert ranking.ranks(as_rows(table)) == ranking.ranks(as_rows(shaken)) == [1, 1, 3, 3, 5, 6]


def test_pairs_are_compared_over_the_waves_they_share():
    """A row that left after two waves is compared over those two; rows without a common wave are ties."""
    delta, p = ranking.compare_pairs([{0: 0.1, 1: 0.1}, {0: 0.3, 1: 0.3, 2: 9.0}, {2: 5.0}])
    assert pytest.approx(-0.2) == delta[0, 1]
    assert (1.0, 1.0) == (p[0, 2], p[0, 0])


@pytest.mark.parametrize(("rows", "waves", "df"), [(2, 6, None), (12, 2, 4), (12, 6, 4), (60, 2, 4), (60, 6, None)])
def test_rankings_of_identical_rows_are_one_tie(rows, waves, df):
    """At most 5 % of rankings of identical code hold any false rank, over all their pairs."""
    rng = np.random.default_rng(rows * waves)
    wrong = [max(ranking.ranks(as_rows(simulated(rng, rows, waves, 0.019, df=df)))) > 1 for _ in range(160)]
    assert np.mean(wrong) <= 0.05


@pytest.mark.parametrize("waves", [3, 6])
def test_differences_of_just_the_margin_stay_ties(waves):
    """Even rows that truly differ by exactly 1 % are told apart in at most 7 % of rankings (5 % and sampling)."""
    rng = np.random.default_rng(waves)
    effects = [0.0] * 5 + [TIE] * 5
    tables = [as_rows(simulated(rng, 10, waves, 0.015, effects, 5)) for _ in range(300)]
    assert np.mean([max(ranking.ranks(table)) > 1 for table in tables]) <= 0.07


def test_a_five_per_cent_difference_is_found():
    """One row that is 5 % faster than eleven others is alone on the first rank in 90 % of default runs."""
    rng = np.random.default_rng(9)
    tables = [as_rows(simulated(rng, 12, 10, 0.013, [-0.05] + [0.0] * 11)) for _ in range(60)]
    assert np.mean([ranking.ranks(table)[1:].count(1) == 0 for table in tables]) >= 0.9


@given(st.lists(st.floats(-0.2, 0.2), min_size=1, max_size=12), st.integers(0, 1000))
def test_ranks_follow_the_estimates(effects, seed):
    """Each rank is the place of the first row that has it, in the order of the estimates."""
    table = simulated(np.random.default_rng(seed), len(effects), 5, 0.01, effects)
    found = ranking.ranks(as_rows(table))
    in_order = [found[i] for i in np.argsort(table.mean(axis=1), kind="stable")]
    assert [1 + in_order.index(rank) for rank in in_order] == in_order


@pytest.mark.parametrize(
    ("proven", "expected"),
    [
        ({(0, 2)}, [1, 1, 3]),
        ({(0, 3), (0, 4), (1, 4)}, [1, 1, 1, 4, 4]),
        ({(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}, [1, 2, 2, 4]),
        ({(1, 2), (0, 3)}, [1, 1, 3, 3]),
    ],
)
def test_ties_are_groups_and_ranks_count_the_rows_before(monkeypatch, proven, expected):
    """Ranks are those of a competition, although ties are not transitive: "10=, 11=, 12, 13=" cannot occur."""
    size = len(expected)
    delta = np.subtract.outer(np.arange(size), np.arange(size)).astype(float)
    p = np.array([[0.0 if (min(i, j), max(i, j)) in proven else 1.0 for j in range(size)] for i in range(size)])
    monkeypatch.setattr(ranking, "compare_pairs", lambda rows, **_: (delta, p))
    assert expected == ranking.ranks([{0: float(place)} for place in range(size)])


def test_no_row_has_no_rank():
    """An empty ranking is empty."""
    assert [] == ranking.ranks([])


def test_two_rows_share_the_first_place_as_the_t_distribution_has_it():
    """With many waves the faster of two rows is first as often as SciPy's t distribution of their difference says."""
    table = np.random.default_rng(11).normal(0, 0.02, (2, 60))
    table[1] += 0.15 * 0.02
    found = ranking.first_probabilities(as_rows(table))
    difference = table[1] - table[0]
    expected = stats.t.cdf(difference.mean() / stats.sem(difference), 59)
    assert pytest.approx(1.0) == sum(found)
    assert pytest.approx(expected, abs=0.05) == found[0]


def test_the_probability_of_being_first_is_what_it_says():
    """Over many runs whose truth is drawn, rows called first with about 30–70 % are the fastest in about as many."""
    rng, said, right = np.random.default_rng(12), [], []
    for _ in range(400):
        effects = rng.normal(0, 0.03, 6)
        found = ranking.first_probabilities(as_rows(simulated(rng, 6, 6, 0.015, effects)), draws=1000)
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
    shares = np.mean([ranking.first_probabilities(as_rows(table), draws=500) for table in tables], axis=0)
    assert pytest.approx([0.2] * 5, abs=0.08) == shares
    shaken = tables[0] + rng.normal(0, 0.5, 6)
    one, other = (ranking.first_probabilities(as_rows(table)) for table in (tables[0], shaken))
    assert pytest.approx(one, abs=0.01) == other


def test_a_row_alone_is_first():
    """One row is certainly the first, and one that is far ahead is so among many; one wave is enough to say something."""
    assert [1.0] == ranking.first_probabilities([{0: 0.1}])
    assert [] == ranking.first_probabilities([])
    assert 1.0 == ranking.first_probabilities(as_rows(np.array([[-1.0, -1.01, -0.99], [0.0, 0.01, 0.0], [0.1] * 3])))[0]
    assert 0.5 < ranking.first_probabilities([{0: 0.0}, {0: 0.02}])[0] < 1
