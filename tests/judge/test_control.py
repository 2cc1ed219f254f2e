"""A run's own accuracy, and means over what all rows have."""

import math

import numpy as np
import pytest

from serbench.judge.control import aa_summary
from serbench.judge.leading import geometric_means
from serbench.judge.statistics import Estimate


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
