"""What is wanted of a cell follows from its distance to the leader, and leaving early keeps intervals true."""

import math

import numpy as np
import pytest

from serbench.judge import statistics
from serbench.judge.waves import OF_FAR, OF_SLOWER, WAVES_OF_SLOWER, Wanted, wanted

FULL = Wanted(0.02, 6)
CALM = statistics.Prior(1e-5, 10.0)
SLOWER, FAR = Wanted(OF_SLOWER, WAVES_OF_SLOWER), Wanted(OF_FAR, WAVES_OF_SLOWER)


def row(ratio, waves=4, noise=0.001):
    return {wave: math.log(ratio) + noise * (-1) ** wave for wave in range(waves)}


@pytest.mark.parametrize(
    ("ratio", "needed"), [(1.0, FULL), (1.005, FULL), (1.2, SLOWER), (1.45, SLOWER), (1.6, FAR), (80.0, FAR)]
)
def test_a_row_needs_what_its_distance_from_the_leader_needs(ratio, needed):
    rows = {"leader": row(3.0), "row": row(3.0 * ratio)}
    assert wanted(rows, FULL, CALM) == {"leader": FULL, "row": needed}


def test_a_row_that_is_not_proven_slower_needs_all():
    rows = {"leader": row(1.0, noise=0.2), "row": row(1.3, noise=-0.2), "new": {}}
    assert wanted(rows, FULL, statistics.DEFAULT_PRIOR) == dict.fromkeys(rows, FULL)


def test_a_row_is_compared_over_the_waves_of_the_leader():
    """Waves that only one of them has, such as slow first ones, do not count."""
    rows = {"leader": row(1.0), "row": {0: math.log(9.0), 1: math.log(9.0), 8: 0.0}}
    assert wanted(rows, FULL, CALM)["row"] == FAR
    rows["leader"] = {8: 0.0, 9: 0.0}
    assert wanted(rows, FULL, CALM)["row"] == FULL


def test_rows_that_are_asked_for_need_all():
    rows = {"leader": row(1.0), "mine": row(5.0)}
    assert wanted(rows, FULL, CALM, asked={"mine"}) == dict.fromkeys(rows, FULL)


def test_no_row_needs_more_precision_than_the_leader():
    rough = Wanted(0.2, 2)
    assert wanted({"leader": row(1.0), "row": row(5.0)}, rough, CALM)["row"] == rough


def left_early(table, full, most):
    """Row → the waves after which it leaves; `table` has the log ratios of each row, of shape (rows, waves)."""
    ends = {}
    for waves in range(2, most + 1):
        known = {i: dict(enumerate(values[: ends.get(i, waves)].tolist())) for i, values in enumerate(table)}
        prior = statistics.fit_prior([list(values.values()) for values in known.values()])
        for i, need in wanted(known, full, prior).items():
            if i not in ends and (waves == most or need.reached(list(known[i].values()), prior)):
                ends[i] = waves
    return ends


def board(rng, deviation):
    """The log ratios of a drawn board over 16 waves, of shape (rows, waves), and the true ones."""
    near = rng.uniform(0, 0.06, size=4)
    truth = np.concatenate([[0.0], near, rng.uniform(0.06, 0.5, size=7), rng.uniform(0.5, 4.0, size=12)])
    spread = deviation * np.sqrt(6 / rng.chisquare(6, size=(len(truth), 1)))
    return truth[:, None] + spread * rng.standard_normal((len(truth), 16)), truth


def stopped(boards, seed, deviation=0.02):
    """The share of intervals that hold the truth, of boards whose true leader leads or ties, and of visits that are made."""
    rng, hits, led, visits = np.random.default_rng(seed), [], [], []
    for _ in range(boards):
        table, truth = board(rng, deviation)
        ends = left_early(table, FULL, table.shape[1])
        found = [statistics.estimate(table[i, : ends[i]].tolist()) for i in range(len(table))]
        hits += [abs(e.mean - true) <= e.half for e, true in zip(found, truth, strict=True)]
        led.append(found[0].low - statistics.TIE <= min(e.high for e in found))
        visits += [end / table.shape[1] for end in ends.values()]
    return np.mean(hits), np.mean(led), np.mean(visits)


def test_leaving_early_keeps_the_coverage_and_the_leader():
    """Of 24 rows most leave after three waves; 95% intervals still hold the truth, and the true leader is not beaten."""
    covered, led, visits = stopped(40, seed=7)
    assert covered >= 0.92
    assert led >= 0.95
    assert visits < 0.5
