"""Weights of cases: medians over fresh processes with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from typing import Any

from serbench.results import Weight, flat_facts


@dataclass(frozen=True)
class WeightRow(Weight):
    """A weight with the median over its fresh processes, and an interval for it.

    Attributes:
        value: the median, in the weight's unit.
        low, high: readings between which the median of all processes lies with at least 95 %; None if there are
            too few for that, or only one can be taken.
        per_record: the value for each record of what a decoded document keeps; None for other quantities.
        leaks: True if the whole interval of a leak is above 0; None for other metrics, and without an interval.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    per_record: float | None = None
    leaks: bool | None = None


def median_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, alike from both ends, that holds the median with that probability.

    Whatever the distribution, each of n readings is below its median with probability ½, so the k-th from
    below and from above miss it with 2·P(Binomial(n, ½) < k). None if even the extremes miss it too often.
    """
    ordered, count = sorted(values), len(values)
    below = list(accumulate(math.comb(count, k) / 2**count for k in range(count)))
    fitting = [k for k in range(count // 2) if 2 * below[k] <= 1 - level]
    return (ordered[fitting[-1]], ordered[-1 - fitting[-1]]) if fitting else None


def weight_rows(weights: Iterable[Weight]) -> list[WeightRow]:
    """A row for each weight, in their order."""
    return [_row(weight) for weight in weights]


def _row(weight: Weight) -> WeightRow:
    value = median(weight.readings) if weight.readings else None
    low, high = median_interval(weight.readings) or (None, None)
    each = value / max(weight.records, 1) if weight.quantity == "decode_retained" and value is not None else None
    leaks = low > 0 if weight.metric == "leak" and low is not None else None
    return WeightRow(**vars(weight), value=value, low=low, high=high, per_record=each, leaks=leaks)


def weight_data(rows: Iterable[WeightRow]) -> list[dict[str, Any]]:
    """The rows as JSON data, the readings last."""
    return [
        {name: getattr(row, name) for name in flat_facts(WeightRow) if name != "readings"} | {"readings": row.readings}
        for row in rows
    ]
