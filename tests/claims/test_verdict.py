"""The rule of the verdicts."""

from __future__ import annotations

import math

import pytest

from serbench.claims.judging import VERDICTS, band, combined, factor, judge
from serbench.claims.reading import PublishedFigure


def figure(published, sense="about", **facts):
    return PublishedFigure("a", "b", published, sense=sense, **facts)


@pytest.mark.parametrize(
    ("claimed", "low", "high", "verdict"),
    [
        (figure(10), 9.0, 9.5, "holds"),
        (figure(10), 12.4, 12.9, "holds"),
        (figure(10), 12.6, 13.0, "larger"),
        (figure(10, "at least"), 20, 21, "holds"),
        (figure(10, "at least"), 6, 6.5, "smaller"),
        (figure(10, "at most"), 1.5, 1.6, "holds"),
        (figure(10), 7.0, 7.9, "smaller"),
        (figure(10), 1.8, 1.9, "smaller"),
        (figure(10), 0.995, 1.02, "smaller"),
        (figure(10), 0.5, 0.6, "reversed"),
        (figure(0.1), 0.09, 0.1, "holds"),
        (figure(0.1), 0.4, 0.5, "smaller"),
        (figure(0.1), 0.04, 0.05, "larger"),
        (figure(0.1), 2, 2.1, "reversed"),
        (figure(1.1), 0.99, 1.01, "smaller"),
        (figure(1.1), 1.06, 1.08, "holds"),
        (figure(1.1), 1.2, 1.22, "larger"),
        (figure(1.0), 1.05, 1.08, "holds"),
        (figure(1.0), 1.2, 1.3, "larger"),
        (figure(1.0), 0.7, 0.8, "smaller"),
        (figure(1.0, "more"), 1.02, 1.5, "holds"),
        (figure(1.0, "more"), 1.0, 1.5, "smaller"),
        (figure(1.0, "more"), 50, 60, "holds"),
        (figure(1.0, "more"), 0.8, 0.9, "reversed"),
        (figure(10), 0.8, 20, "not measurable"),
        (figure(1.0), 0.5, 2.0, "not measurable"),
        (figure(1.884, quantity="size", tolerance=1.0), 1.884, 1.884, "holds"),
        (figure(1.884, quantity="size", tolerance=1.0), 1.9, 1.9, "larger"),
        (PublishedFigure("a", "", 0.86, quantity="busy", tolerance=1.05), 0.6, 0.62, "smaller"),
        (PublishedFigure("a", "b", (1.5, 2.0)), 2.3, 2.4, "holds"),
        (PublishedFigure("a", "b", (20, 50), sense="at least"), 17, 18, "holds"),
        (PublishedFigure("a", "b", (20, 50)), 70, 71, "larger"),
        (figure(0.5, share=True), 0.45, 0.5, "holds"),
        (figure(0.5, share=True), 0.3, 0.31, "smaller"),
        (figure(0.5, share=True), 0.8, 0.81, "larger"),
        (figure(0.5, "at least", share=True), 0.8, 0.81, "holds"),
        (PublishedFigure("a", quantity="answer", expected="x"), 1, 1, "holds"),
        (PublishedFigure("a", quantity="answer", expected="x"), 1e-300, 1e-300, "reversed"),
        (PublishedFigure("a", "", 150, quantity="answer", tolerance=1.0), 100, 100, "smaller"),
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


@pytest.mark.parametrize(
    ("claimed", "measured", "expected"),
    [
        (figure(10), 1.8, 0.18),
        (figure(10), 20, 2),
        (figure(0.5), 0.25, 2),
        (figure(0.5), 0.75, 2 / 3),
        (figure(0.5, share=True), 0.25, 0.5),
        (figure(1.0), 1.3, 1.3),
        (PublishedFigure("a", "b", (20, 50)), 30, 1),
        (PublishedFigure("a", "b", (20, 50)), 5, 0.25),
        (PublishedFigure("a", "b", (20, 50)), 100, 2),
        (figure(1.0, "more"), 5, None),
        (PublishedFigure("a", quantity="answer", expected="x"), 1, None),
    ],
)
def test_the_factor(claimed, measured, expected):
    """It is the measured figure by the published one; below 1 the effect is smaller, whichever way the ratio is."""
    assert factor(claimed, measured) == pytest.approx(expected)


def test_several_figures_together():
    """All that can be measured must agree; what cannot does not count."""
    assert "holds" == combined(["holds", "not measurable", "holds"])
    assert "smaller" == combined(["smaller", "smaller"])
    assert "reversed" == combined(["reversed", "reversed"])
    assert "mixed" == combined(["holds", "smaller"])
    assert "not measurable" == combined(["not measurable"])


@pytest.mark.parametrize("others", [1, 2, 30])
@pytest.mark.parametrize("verdict", sorted(set(VERDICTS) - {"not measurable"}))
def test_no_reversal_is_hidden(verdict, others):
    """A claim with one reversed figure is reversed or mixed, however many of its figures have another verdict."""
    assert combined([verdict] * others + ["reversed"]) in ("reversed", "mixed")
