"""A single outcome in full: its figures, and the statistics of its rows as pytest-benchmark prints them."""

from __future__ import annotations

from typing import Any

from serbench.claims.judging import interval_words, published_words
from serbench.claims.outcome import Outcome
from serbench.display.words import three_digits, unit_of

TIMES = ("min", "max", "mean", "stddev", "median", "iqr")


def figure_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """A plain row for each figure in each set of versions: published, measured, verdict."""
    return [
        {
            "figure": f"{figure.of} / {figure.to}" if figure.to else figure.of,
            "versions": figure.versions,
            "published": published_words(figure),
            "measured": interval_words(figure),
            "verdict": figure.verdict + (", near the boundary" if figure.near_boundary else ""),
        }
        for figure in outcome.figures
    ]


def statistics_rows(outcome: Outcome, versions: str) -> list[dict[str, Any]]:
    """A plain row for each timed row: wall time per call with its ratio to the column's least, outliers and rounds.

    Outliers are those beyond one standard deviation of the mean, and those beyond 1.5 interquartile ranges of the
    quartiles.
    """
    known = {row.row: row.statistics for row in outcome.rows if row.versions == versions and row.statistics}
    if not known:
        return []
    factor, unit = unit_of(facts["median"] for facts in known.values())
    least = {name: min(facts[name] for facts in known.values()) for name in TIMES}
    return [
        {
            f"{versions}, in {unit}": row,
            **{name: _beside(facts[name], least[name], factor) for name in TIMES},
            "outliers": f"{facts['outliers_sd']:.0f};{facts['outliers_iqr']:.0f}",
            "rounds": int(facts["rounds"]),
        }
        for row, facts in known.items()
    ]


def _beside(value: float, least: float, factor: float) -> str:
    ratio = f" ({three_digits(value / least)})" if least else ""
    return three_digits(value / factor) + ratio
