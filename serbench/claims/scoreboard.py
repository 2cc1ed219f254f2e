"""Counts figures and claims by verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from serbench.claims.outcome import Outcome
from serbench.claims.verdict import VERDICTS
from serbench.results import grouped


def scoreboard(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    """A plain row for each verdict: the number of figures that have it in each set of versions, what holds first.

    `claims` are those all of whose figures have it.
    """
    known = list(outcomes)
    told = _verdicts(known)
    return [
        {"verdict": verdict}
        | {f"figures, {name}": verdicts.count(verdict) for name, verdicts in told.items()}
        | {"claims, in all figures": sum(outcome.verdict == verdict for outcome in known)}
        for verdict in (*reversed(VERDICTS[:-1]), VERDICTS[-1])
        if known
    ]


def summary(outcomes: Iterable[Outcome]) -> str:
    """Count the figures that hold and those that are reversed: "231 of 344 figures hold then, 172 of 353 now; …"."""
    told = _verdicts(outcomes)
    if not told:
        return "No published claim has been measured"
    names = list(told)
    parts = [
        f"{verdicts.count('holds')} of {len(verdicts)}{' figures hold' if name == names[0] else ''} {name}"
        for name, verdicts in told.items()
    ]
    against = [f"{verdicts.count('reversed')} {name}" for name, verdicts in told.items() if "reversed" in verdicts]
    return ", ".join(parts) + (f"; reversed: {', '.join(against)}" if against else "")


def counted(counts: Mapping[Any, int]) -> str:
    """Counts of figures by verdict in words: "holds"; "1 of 3 hold, 2 larger" if there are several verdicts."""
    if sum(counts.values()) == 1:
        return str(next(iter(counts)))
    others = [f"{count} {verdict}" for verdict, count in counts.items() if verdict != "holds"]
    return ", ".join([f"{counts.get('holds', 0)} of {sum(counts.values())} hold", *others])


def _verdicts(outcomes: Iterable[Outcome]) -> dict[str, list[str]]:
    """The verdicts of all figures by set of versions, today's last."""
    figures = [figure for outcome in outcomes for figure in outcome.figures]
    figures.sort(key=lambda figure: figure.versions == "now")
    return {
        name: [str(one.verdict) for one in verdicts]
        for name, verdicts in grouped(figures, lambda one: one.versions).items()
    }
