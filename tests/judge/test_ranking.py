"""Ranks and the probability of being first, against SciPy and simulated runs whose truth is known."""

import itertools
import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from synthetic import simulated

from serbench.judge import ranking
from serbench.judge.statistics import DEFAULT_PRIOR, TIE, Prior, moderate

LOGS = st.floats(-0.2, 0.2)
ROWS = st.lists(st.dictionaries(st.integers(2, 6), LOGS, min_size=1), min_size=1, max_size=6)


def as_rows(table):
    return [dict(enumerate(values)) for values in table.tolist()]


def known_pairs(monkeypatch, p):
    """Have every pair of rows that p value, each row being proven faster than those after it, if at all."""
    size = len(p)
    delta = np.subtract.outer(np.arange(size), np.arange(size)).astype(float)
    monkeypatch.setattr(ranking, "compare_pairs", lambda rows, **_: (delta, np.array(p)))
    return [{0: float(row)} for row in range(size)]


def moderated(values, prior):
    """Standard error and degrees of freedom of a mean whose variance is moderated by that prior."""
    df = len(values) - 1 + prior.df
    variance = (prior.df * prior.variance + sum((v - np.mean(values)) ** 2 for v in values)) / df
    return math.sqrt(variance / len(values)), df


@pytest.mark.filterwarnings("error")  # two rows without a common wave are no division by zero
@given(ROWS, st.sampled_from([0.0, TIE, 0.1]))
def test_pairs_are_those_of_their_definition(rows, margin):
    """A pair's difference is that of its shared waves, its p value TREAT's, and its variance moderated by those of all pairs."""
    delta, p = ranking.compare_pairs(rows, margin=margin, base=Prior(0.02**2, 4))
    both = {
        (i, j): [rows[i][wave] - rows[j][wave] for wave in sorted(rows[i].keys() & rows[j].keys())]
        for i, j in itertools.product(range(len(rows)), repeat=2)
    }
    lending = [values for (i, j), values in both.items() if i < j and len(values) > 1]
    prior = Prior(0.02**2, 4)
    if lending:
        dfs = [len(values) - 1.0 for values in lending]
        cap = np.median(dfs) * min(len(rows) - 1, 10)
        prior = moderate([np.var(values, ddof=1) for values in lending], dfs, cap=cap, base=prior)
    for (i, j), values in both.items():
        if i == j or not values:
            assert (pytest.approx(1.0), 0.0) == (p[i, j], delta[i, j])
            continue
        error, df = moderated(values, prior)
        size = abs(np.mean(values))
        assert pytest.approx(np.mean(values), abs=1e-12) == delta[i, j]
        expected = scipy.stats.t.sf((size - margin) / error, df) + scipy.stats.t.sf((size + margin) / error, df)
        assert pytest.approx(expected, rel=1e-5, abs=1e-9) == p[i, j]


@pytest.mark.parametrize(("rows", "times"), [(4, 3), (14, 10)])
def test_a_pair_borrows_from_ten_others_at_most(rows, times):
    """The degrees of freedom of the pairs' prior are at most those of one pair times the other rows, and times ten."""
    table = np.random.default_rng(14).normal(0, 0.02, (rows, 3))
    lending = [a - b for a, b in itertools.combinations(table, 2)]
    variances = [np.var(values, ddof=1) for values in lending]
    prior, *others = (moderate(variances, [2.0] * len(lending), cap=2.0 * n) for n in (times, times - 1, times + 1))
    assert [2 * times, 2 * times - 2, 2 * times + 2] == [prior.df, *(other.df for other in others)]
    _, p = ranking.compare_pairs(as_rows(table))
    error, df = moderated(lending[0], prior)
    size = abs(np.mean(lending[0]))
    assert (
        pytest.approx(scipy.stats.t.sf((size - TIE) / error, df) + scipy.stats.t.sf((size + TIE) / error, df))
        == p[0, 1]
    )


def test_proven_pairs_are_corrected_by_holm(monkeypatch):
    """Three pairs at 3% each prove nothing together; one of them at 1.6% does, and alone."""
    assert [1, 1, 1] == ranking.ranks(known_pairs(monkeypatch, [[1, 0.03, 0.03], [0.03, 1, 0.03], [0.03, 0.03, 1]]))
    assert [1, 1, 3] == ranking.ranks(known_pairs(monkeypatch, [[1, 0.03, 0.016], [0.03, 1, 0.03], [0.016, 0.03, 1]]))


@pytest.mark.parametrize(("p", "alpha", "expected"), [(0.05, 0.05, [1, 2]), (0.0501, 0.05, [1, 1]), (0.1, 0.1, [1, 2])])
def test_a_pair_is_proven_at_alpha(monkeypatch, p, alpha, expected):
    """A p value of just alpha is a proof, a larger one is not."""
    assert expected == ranking.ranks(known_pairs(monkeypatch, [[1, p], [p, 1]]), alpha=alpha)


def test_a_rank_knows_its_margin():
    """Rows that differ by 5% are ties within a margin of 10%, and none within 1%."""
    rows = as_rows(np.array([[0.0, 0.001, 0.0, 0.001] * 3, [0.05, 0.051, 0.051, 0.05] * 3]))
    assert [1, 2] == ranking.ranks(rows)
    assert [1, 1] == ranking.ranks(rows, margin=0.1)


def test_rows_of_unequal_length_are_ordered_by_their_means():
    """A row with more waves is not slower for that."""
    assert [2, 1] == ranking.ranks([dict.fromkeys(range(9), 0.5), dict.fromkeys(range(20), 0.3)])
    assert [2, 1] == ranking.ranks([dict.fromkeys(range(20), 0.5), dict.fromkeys(range(9), 0.3)])


def chance_of_being_first(means, errors, dfs):
    """By integration: for each row the chance that its t distribution is below those of all others."""
    rows = [scipy.stats.t(df, mean, error) for mean, error, df in zip(means, errors, dfs, strict=True)]
    others = [[row for row in rows if row is not one] for one in rows]
    grid = np.linspace(min(means) - 2, max(means) + 2, 40_001)
    return [
        scipy.integrate.simpson(one.pdf(grid) * np.prod([row.sf(grid) for row in rest], axis=0), x=grid)
        for one, rest in zip(rows, others, strict=True)
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [{0: 0.0, 1: 0.02, 2: 0.04}, {0: 0.03, 1: 0.02, 2: 0.05}, {0: 0.06, 1: 0.01, 2: 0.03}],
        [{0: 0.0, 1: 0.02, 2: 0.04, 3: 0.01}, {0: 0.03, 1: 0.02}, {1: 0.01, 2: 0.03, 4: 0.02}, {0: 0.02}],
        [{0: 0.0}, {0: 0.01}, {0: 0.02}],
        [{0: 0.0, 1: 0.05}, {2: 0.01, 3: 0.04}],
    ],
)
def test_the_chance_of_being_first_is_that_of_the_integral(rows):
    """What the rows of a wave share is removed, variances are moderated by each other, and draws agree with integration."""
    means = [np.mean(list(row.values())) for row in rows]
    rest = [{wave: value - mean for wave, value in row.items()} for row, mean in zip(rows, means, strict=True)]
    shared = {
        wave: np.mean(values) if len(values) > 1 else 0.0
        for wave in range(5)
        if (values := [row[wave] for row in rest if wave in row])
    }
    scale = len(rows) / (len(rows) - 1)
    squares = [scale * sum((value - shared[wave]) ** 2 for wave, value in row.items()) for row in rest]
    lending = [(square, len(row) - 1) for square, row in zip(squares, rows, strict=True) if len(row) > 1]
    prior = DEFAULT_PRIOR
    if lending:
        dfs = [df for _, df in lending]
        prior = moderate([square / df for square, df in lending], dfs, cap=np.median(dfs) * (len(rows) - 1))
    dfs = [len(row) - 1 + prior.df for row in rows]
    errors = [
        math.sqrt((square + prior.df * prior.variance) / df / len(row))
        for square, df, row in zip(squares, dfs, rows, strict=True)
    ]
    found = ranking.first_probabilities(rows, draws=400_000)
    assert pytest.approx(chance_of_being_first(means, errors, dfs), abs=0.004) == found


def test_a_seed_repeats_its_draws():
    """The same rows have the same chances, of as many draws as are asked for, and those of another seed differ."""
    rows = as_rows(np.random.default_rng(15).normal(0, 0.02, (4, 5)))
    assert ranking.first_probabilities(rows) == ranking.first_probabilities(rows, draws=4000, seed=0)
    assert ranking.first_probabilities(rows) != ranking.first_probabilities(rows, seed=1)
    assert all((10 * share).is_integer() for share in ranking.first_probabilities(rows, draws=10))


@pytest.mark.parametrize(("ahead", "certain"), [(7.9, False), (8.1, True)])
def test_a_row_far_behind_is_not_drawn(ahead, certain):
    """A row is drawn if it could be the first within eight standard errors of both: with one wave, the t distribution has wide ends."""
    error = 0.027  # the prior's, which one wave leaves as it is
    (first, last) = ranking.first_probabilities([{0: 0.0}, {0: 2 * ahead * error}], draws=1_000_000)
    assert certain == (last == 0.0)
    assert pytest.approx(1.0) == first + last


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_the_step_down_of_its_definition(p):
    """Holm's adjusted values are never below the raw ones, monotone, and equal to the definition."""
    found = ranking.holm(p)
    order = sorted(range(len(p)), key=lambda i: p[i])
    worst = 0.0
    for place, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p) - place) * p[i]))
        assert worst == found[i]


def test_the_reference_cancels_in_a_pair():
    """What all rows share in a wave, however large, changes no rank."""
    table = simulated(np.random.default_rng(7), 6, 8, 0.005, [0, 0, 0.1, 0.1, 0.3, 0.5])
    shaken = table + np.random.default_rng(8).normal(0, 0.5, 8)
    assert ranking.ranks(as_rows(table)) == ranking.ranks(as_rows(shaken)) == [1, 1, 3, 3, 5, 6]


@pytest.mark.parametrize(("rows", "waves", "df"), [(2, 6, None), (12, 2, 4), (12, 6, 4), (30, 2, 4)])
def test_rankings_of_identical_rows_are_one_tie(rows, waves, df):
    """At most 5% of rankings of identical code hold any false rank, over all their pairs."""
    rng = np.random.default_rng(rows * waves)
    wrong = [max(ranking.ranks(as_rows(simulated(rng, rows, waves, 0.019, df=df)))) > 1 for _ in range(160)]
    assert np.mean(wrong) <= 0.05


@pytest.mark.parametrize("waves", [3, 6])
def test_differences_of_just_the_margin_stay_ties(waves):
    """Even rows that truly differ by exactly 1% are told apart in at most 7% of rankings (5% and sampling)."""
    rng = np.random.default_rng(waves)
    effects = [0.0] * 5 + [TIE] * 5
    tables = [as_rows(simulated(rng, 10, waves, 0.015, effects, 5)) for _ in range(300)]
    assert np.mean([max(ranking.ranks(table)) > 1 for table in tables]) <= 0.07


def test_a_five_per_cent_difference_is_found():
    """One row that is 5% faster than eleven others is alone on the first rank in 90% of default runs."""
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
    p = [[0.0 if (min(i, j), max(i, j)) in proven else 1.0 for j in range(size)] for i in range(size)]
    assert expected == ranking.ranks(known_pairs(monkeypatch, p))


def test_no_row_has_no_rank():
    """An empty ranking is empty."""
    assert [] == ranking.ranks([])


def test_the_probability_of_being_first_is_what_it_says():
    """Over many runs whose truth is drawn, rows called first with about 30–70% are the fastest in about as many."""
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


def test_a_row_alone_is_first():
    """One row is certainly the first, and one that is far ahead is so among many; one wave is enough to say something."""
    assert [1.0] == ranking.first_probabilities([{0: 0.1}])
    assert [] == ranking.first_probabilities([])
    assert 1.0 == ranking.first_probabilities(as_rows(np.array([[-1.0, -1.01, -0.99], [0.0, 0.01, 0.0], [0.1] * 3])))[0]
    assert 0.5 < ranking.first_probabilities([{0: 0.0}, {0: 0.02}])[0] < 1
