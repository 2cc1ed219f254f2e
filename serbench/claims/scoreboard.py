"""Counts claims and figures by verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from serbench.claims.outcome import Outcome
from serbench.claims.verdict import HEADLINES, Headline

_WORDS: dict[Headline, tuple[str, str]] = {
    "mixed": ("is mixed", "are mixed"),
    "reversed": ("is reversed", "are reversed"),
    "no difference": ("shows no difference", "show no difference"),
    "smaller": ("is smaller", "are smaller"),
    "larger": ("is larger", "are larger"),
    "holds": ("holds", "hold"),
    "not measurable": ("cannot be measured", "cannot be measured"),
}


def scoreboard(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    """A plain row for each verdict: the number of claims that have it, and of figures in each set of versions."""
    known = list(outcomes)
    sets = dict.fromkeys(figure.versions for outcome in known for figure in outcome.figures)
    told = {
        name: [str(one.verdict) for outcome in known for one in outcome.figures if one.versions == name]
        for name in sets
    }
    rows = [
        {"verdict": verdict, "claims": sum(outcome.verdict == verdict for outcome in known)}
        | {f"figures, {name}": verdicts.count(verdict) for name, verdicts in told.items()}
        for verdict in HEADLINES
    ]
    return rows if known else []


def summary(outcomes: Iterable[Outcome]) -> str:
    """Count the claims by verdict: "12 of 30 published claims hold, 9 are smaller, …"."""
    known = list(outcomes)
    counts = {verdict: sum(outcome.verdict == verdict for outcome in known) for verdict in reversed(HEADLINES)}
    counts = {"holds": counts.pop("holds"), **counts}
    parts = [f"{count} {_WORDS[verdict][count != 1]}" for verdict, count in counts.items() if count]
    if not parts:
        return "No published claim has been measured"
    first, *rest = parts
    number, _, verb = first.partition(" ")
    return ", ".join([f"{number} of {len(known)} published claims {verb}", *rest])


def counted(counts: Mapping[Any, int]) -> str:
    """Counts of figures by verdict in words: "holds"; "reversed 2, holds 1" if there are several verdicts."""
    if len(counts) == 1:
        return str(next(iter(counts)))
    return ", ".join(f"{verdict} {count}" for verdict, count in counts.items())
