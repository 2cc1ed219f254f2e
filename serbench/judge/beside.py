"""Two runs of the same cases and data beside each other, such as one's own and a published one on another machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from serbench.judge.rows import Row

SameCase = tuple[str, str, str, str]


@dataclass(frozen=True)
class Beside:
    """The cases that both runs have, each as one's own row and the other.

    Attributes:
        factor: one's own time over the other, as the geometric mean of all pairs; `least` and `most` of single pairs.
        ordered: the number of pairs of cases in which both runs have proven one to be faster.
        agreed: in how many of these it is the same one.
    """

    pairs: list[tuple[Row, Row]]
    factor: float
    least: float
    most: float
    ordered: int
    agreed: int


def same_case(row: Row) -> SameCase:
    """A case whatever its version and environment."""
    return (row.library, row.variant, row.codec, row.format)


def beside(mine: Sequence[Row], other: Iterable[Row]) -> Beside | None:
    """The rows of one point and operation beside those of another run; None if they have no measured case in common."""
    known = {same_case(row): row for row in other if row.measured}
    pairs = [(row, known[same_case(row)]) for row in mine if row.measured and same_case(row) in known]
    if not pairs:
        return None
    factors = [(one.time_ns or 1.0) / (two.time_ns or 1.0) for one, two in pairs]
    told = [
        ((first[0].rank or 0) - (second[0].rank or 0)) * ((first[1].rank or 0) - (second[1].rank or 0))
        for first, second in combinations(pairs, 2)
        if first[0].work_class == second[0].work_class and first[1].work_class == second[1].work_class
        if None not in (first[0].rank, first[1].rank, second[0].rank, second[1].rank)
    ]
    ordered = [product for product in told if product]
    middle = exp(sum(map(log, factors)) / len(factors))
    return Beside(pairs, middle, min(factors), max(factors), len(ordered), sum(product > 0 for product in ordered))
