"""The rule of the verdicts, fixed before anything is measured; docs/claims.md states it in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, get_args

from serbench.claims.reading import PublishedFigure
from serbench.judge.statistics import TIE

Verdict = Literal["reversed", "smaller", "larger", "holds", "not measurable"]
"""The verdict of a figure; in the order in which tables count them, the worst first."""
Headline = Verdict | Literal["mixed"]
"""The verdict of a claim: that of its figures if they agree, else "mixed"."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TOLERANCE = 1.25
"""A published ratio has no interval, and is of another machine: within this factor it is the same."""
SAME = 1.1
"""Figures that were published as equal are equal within this factor."""
EQUAL = 0.02
"""A ratio within 2 % of 1 was published as equal."""


def band(figure: PublishedFigure) -> tuple[float, float]:
    """The logarithms between which the figure holds: a factor about the published range, for a small effect half of it."""
    low, high = math.log(figure.low), math.log(figure.high)
    if figure.tolerance is not None:
        width = math.log(figure.tolerance)
    elif not (directed(figure) or figure.share):
        width = math.log(SAME)
    else:
        width = min(math.log(TOLERANCE), min(abs(low), abs(high)) / 2)
    return low - width, high + width


def directed(figure: PublishedFigure) -> bool:
    """Return True if the figure says that one thing is more than another, so that the opposite can be proven."""
    compared = figure.quantity in ("time", "wall", "size") and bool(figure.to) and not figure.share
    return compared and abs(math.log(figure.low)) > EQUAL


def judge(figure: PublishedFigure, low: float, high: float) -> Verdict:
    """The verdict of a figure on a measured interval, in logarithms.

    If the interval is wider than the tolerance, and its ends alone would have other verdicts, it is not measurable.
    """
    verdict = _meeting(figure, low, high)
    if high - low > 2 * math.log(TOLERANCE) and {_meeting(figure, end, end) for end in (low, high)} != {verdict}:
        return "not measurable"
    return verdict


def _meeting(figure: PublishedFigure, low: float, high: float) -> Verdict:
    if figure.expected is not None:
        return "holds" if low == high == 0 else "reversed"
    if figure.sense == "more":
        return "holds" if low > TIE else "reversed" if high < -TIE else "smaller"
    least, most = band(figure)
    rounding = 1e-9
    if (high >= least - rounding or figure.sense == "at most") and (
        low <= most + rounding or figure.sense == "at least"
    ):
        return "holds"
    if not directed(figure):
        return "larger" if low > most else "smaller"
    is_gain = figure.low > 1
    if high < -TIE if is_gain else low > TIE:
        return "reversed"
    return "larger" if (low > most) == is_gain else "smaller"


def factor(figure: PublishedFigure, measured: float) -> float | None:
    """The measured figure divided by the published one, or by the nearer end of a published range; 1 within the range.

    A published ratio below 1 counts as its inverse, and so does what was measured: below 1 the effect is smaller than
    published. None if no figure was published, or nothing above 0 was measured.
    """
    if figure.sense == "more" or figure.expected is not None or measured <= 0 or figure.low <= 0:
        return None
    ratio = measured / min(max(measured, figure.low), figure.high)
    return 1 / ratio if directed(figure) and figure.low < 1 else ratio


def combined(verdicts: Iterable[Verdict]) -> Headline:
    """The verdict of several figures together: "mixed" unless all that can be measured agree."""
    different = {verdict for verdict in verdicts if verdict != "not measurable"}
    if len(different) > 1:
        return "mixed"
    return different.pop() if different else "not measurable"
