"""The rule by which a published figure holds, fixed before anything is measured; docs/claims.md states it in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from serbench.claims.entry import PublishedFigure
from serbench.statistics import TIE

Verdict = Literal["holds", "holds in part", "does not hold", "reversed", "not measurable here"]
TOLERANCE = 1.25
"""A published ratio has no interval, and is of another machine: within this factor it is the same."""
SAME = 1.1
"""Figures that were published as equal are equal within this factor."""
EQUAL = 0.02
"""A ratio within 2 % of 1 was published as equal."""
DRIFT = math.log(1.05)
"""By how much a mean may move from one day to another, beyond its interval."""


def band(figure: PublishedFigure) -> tuple[float, float]:
    """The logarithms between which the figure holds: a factor about the published range, for a small effect half of it."""
    low, high = math.log(figure.low), math.log(figure.high)
    if figure.tolerance is not None:
        width = math.log(figure.tolerance)
    elif not directed(figure):
        width = math.log(SAME)
    else:
        width = min(math.log(TOLERANCE), min(abs(low), abs(high)) / 2)
    return low - width, high + width


def directed(figure: PublishedFigure) -> bool:
    """Return True if the figure says that one thing is more than another."""
    return figure.quantity in ("time", "wall", "size") and bool(figure.to) and abs(math.log(figure.low)) > EQUAL


def judge(figure: PublishedFigure, low: float, high: float) -> Verdict:
    """The verdict of a figure on a measured interval, in logarithms.

    It holds if the interval meets the band (for "at least", or lies above it; for "at most", below); in part if the
    measured effect is proven in the published direction, but of another size; it is reversed if the opposite is
    proven; else it does not hold. "More" holds if more is proven. If the interval is wider than the tolerance, and its
    ends alone would have other verdicts, it cannot be measured.
    """
    verdict = _meeting(figure, low, high)
    if high - low > 2 * math.log(TOLERANCE) and {_meeting(figure, end, end) for end in (low, high)} != {verdict}:
        return "not measurable here"
    return verdict


def _meeting(figure: PublishedFigure, low: float, high: float) -> Verdict:
    if figure.sense == "more":
        return "holds" if low > TIE else "reversed" if high < -TIE else "does not hold"
    least, most = band(figure)
    rounding = 1e-9
    if (high >= least - rounding or figure.sense == "at most") and (
        low <= most + rounding or figure.sense == "at least"
    ):
        return "holds"
    if not directed(figure):
        return "does not hold"
    sign = math.copysign(1.0, math.log(figure.low))
    ends = sorted((sign * low, sign * high))
    if ends[0] > TIE:
        return "holds in part"
    return "reversed" if ends[1] < -TIE else "does not hold"


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several figures together; those that cannot be measured do not count."""
    found = [verdict for verdict in verdicts if verdict != "not measurable here"]
    if not found:
        return "not measurable here"
    for every in ("holds", "reversed"):
        if all(verdict == every for verdict in found):
            return every
    return "holds in part" if any(verdict.startswith("holds") for verdict in found) else "does not hold"


def possible_verdicts(figure: PublishedFigure, low: float, high: float) -> set[Verdict]:
    """The verdicts that a repetition might have: its mean is within √2 half-widths 95 % of the time, and days differ."""
    half = (high - low) / 2
    if half == 0:
        return {judge(figure, low, high)}
    shift = max(math.sqrt(2) * half, DRIFT)
    return {judge(figure, low + by, high + by) for by in (-shift, 0.0, shift)}


def may_change(verdicts: Sequence[Verdict], possible: Sequence[set[Verdict]]) -> bool:
    """Return True if another verdict of one figure would change that of all together."""
    now = combined(verdicts)
    return any(
        combined([*verdicts[:place], other, *verdicts[place + 1 :]]) != now
        for place, others in enumerate(possible)
        for other in others
    )
