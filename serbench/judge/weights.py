"""What cases cost beside time: the readings of fresh processes, with their medians and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from statistics import median
from typing import Any

from serbench.results import OfCase, Status


@dataclass(kw_only=True)
class Weight(OfCase):
    """A quantity of a case other than the time of an operation, as several fresh processes gave it.

    `readings` has a number for each process, in the quantity's `unit`: "bytes", "ns" of CPU time, "×" for a
    ratio, "per call", "" for a count. If there is none, `status` and `reason` say why.
    """

    metric: str
    quantity: str
    unit: str
    readings: tuple[float, ...] = ()
    status: Status = "ok"
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The median."""
        return median(self.readings) if self.readings else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Readings between which the median of all processes lies with at least 95 %; None if there are too few."""
        return median_interval(self.readings)

    @property
    def per_record(self) -> float | None:
        """The bytes for each record of what a decoded document keeps; None for other quantities."""
        value = self.value if self.quantity == "decode_retained" else None
        return None if value is None else value / max(self.records, 1)

    @property
    def leaks(self) -> bool | None:
        """True if the whole interval of a leak is above 0; None for other metrics, and without an interval."""
        return self.interval[0] > 0 if self.metric == "leak" and self.interval else None

    def as_data(self) -> dict[str, Any]:
        """The weight as JSON data, the readings last."""
        facts = {name: getattr(self, name) for name in COLUMNS if name != "readings"}
        low, high = self.interval or (None, None)
        more = {"per_record": self.per_record, "leaks": self.leaks, "readings": self.readings}
        return {**facts, "value": self.value, "low": low, "high": high, **more}


COLUMNS = tuple(field.name for field in fields(Weight))
"""The facts of a weight in the store."""


def median_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, alike from both ends, that holds the median with that probability.

    Whatever the distribution, each of n readings is below its median with probability ½, so the k-th from
    below and from above miss it with 2·P(Binomial(n, ½) < k). None if even the extremes miss it too often.
    """
    ordered, count = sorted(values), len(values)
    below = list(accumulate(math.comb(count, k) / 2**count for k in range(count)))
    fitting = [k for k in range(count // 2) if 2 * below[k] <= 1 - level]
    return (ordered[fitting[-1]], ordered[-1 - fitting[-1]]) if fitting else None
