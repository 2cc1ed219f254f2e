"""The rule of the verdicts."""

from __future__ import annotations

import math

import pytest

from serbench.claims.entry import PublishedFigure
from serbench.claims.verdict import band, combined, judge, may_change, possible_verdicts


def figure(published, sense="about", **facts):
    return PublishedFigure("a", "b", published, published, sense=sense, **facts)


@pytest.mark.parametrize(
    ("claimed", "low", "high", "verdict"),
    [
        (figure(10), 9.0, 9.5, "holds"),
        (figure(10), 12.4, 12.9, "holds"),
        (figure(10), 12.6, 13.0, "holds in part"),
        (figure(10, "at least"), 20, 21, "holds"),
        (figure(10, "at least"), 6, 6.5, "holds in part"),
        (figure(10, "at most"), 1.5, 1.6, "holds"),
        (figure(10), 0.995, 1.02, "does not hold"),
        (figure(10), 0.5, 0.6, "reversed"),
        (figure(0.1), 0.09, 0.1, "holds"),
        (figure(0.1), 0.4, 0.5, "holds in part"),
        (figure(0.1), 2, 2.1, "reversed"),
        (figure(1.1), 0.99, 1.01, "does not hold"),
        (figure(1.1), 1.06, 1.08, "holds"),
        (figure(1.1), 1.2, 1.22, "holds in part"),
        (figure(1.0), 1.05, 1.08, "holds"),
        (figure(1.0), 1.2, 1.3, "does not hold"),
        (figure(1.0, "more"), 1.02, 1.5, "holds"),
        (figure(1.0, "more"), 1.0, 1.5, "does not hold"),
        (figure(1.0, "more"), 0.8, 0.9, "reversed"),
        (figure(10), 0.8, 20, "not measurable here"),
        (figure(1.0), 0.5, 2.0, "not measurable here"),
        (figure(1.884, quantity="size", tolerance=1.0), 1.884, 1.884, "holds"),
        (figure(1.884, quantity="size", tolerance=1.0), 1.9, 1.9, "holds in part"),
        (PublishedFigure("a", "", 0.86, 0.86, quantity="busy", tolerance=1.05), 0.6, 0.62, "does not hold"),
        (PublishedFigure("a", "b", 1.5, 2.0), 2.3, 2.4, "holds"),
        (PublishedFigure("a", "b", 20, 50, sense="at least"), 17, 18, "holds"),
    ],
)
def test_the_rule(claimed, low, high, verdict):
    """An interval has the verdict that the documentation says."""
    assert verdict == judge(claimed, math.log(low), math.log(high))


def test_the_band_of_a_small_effect_leaves_out_no_effect():
    """However small the published effect, its absence does not count as the effect."""
    for published in (1.03, 1.1, 1.3, 0.97, 0.8):
        low, high = band(figure(published))
        assert not low <= 0 <= high


def test_several_figures_together():
    """All must hold for the claim to hold; one that holds is a part; what cannot be measured does not count."""
    assert "holds" == combined(["holds", "not measurable here", "holds"])
    assert "holds in part" == combined(["holds", "reversed"])
    assert "holds in part" == combined(["holds in part", "holds in part"])
    assert "reversed" == combined(["reversed", "reversed"])
    assert "does not hold" == combined(["reversed", "does not hold"])
    assert "not measurable here" == combined(["not measurable here"])


def test_near_a_boundary_is_what_a_repetition_may_change():
    """A mean just inside the band may fall outside next time; one in its middle may not."""
    inside, middle = figure(10), figure(10)
    edge = math.log(12.4)
    assert {"holds", "holds in part"} == possible_verdicts(inside, edge - 0.01, edge + 0.01)
    assert {"holds"} == possible_verdicts(middle, math.log(9.9), math.log(10.1))
    assert may_change(["holds"], [{"holds", "holds in part"}])
    assert not may_change(["holds in part", "reversed"], [{"holds", "holds in part"}, {"reversed"}])
