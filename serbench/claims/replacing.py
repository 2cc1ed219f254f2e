"""Newer outcomes beside known ones: what differs, and which take the places of which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from serbench.claims.judging import interval_words, published_words
from serbench.claims.outcome import Judged, Outcome
from serbench.display.table import Side, Table, Tables
from serbench.display.values import Displayed
from serbench.measure.plan import EFFORTS

REPLACE = ("as sure", "all", "none")
"""Which outcomes take the places of known ones: those that are measured as surely, all, or none."""
Decision = Literal["new", "replaced", "kept"]


def decision(known: Outcome | None, newer: Outcome, replace: str) -> tuple[Decision, str]:
    """What is done with a newer outcome, and why, in words.

    "as sure" keeps the known one if the newer one has less effort, fewer sets of versions, or fewer measured figures.
    """
    if known is None:
        return "new", "new"
    efforts = {name: rank for rank, name in enumerate(EFFORTS)}
    why = "replace is none" if replace == "none" else ""
    if replace == "as sure":
        if efforts.get(newer.effort, -1) < efforts.get(known.effort, -1):
            why = f"the newer one is of effort {newer.effort}, the known one {known.effort}"
        elif missing := known.verdicts().keys() - newer.verdicts().keys():
            why = f"the newer one is not of the versions {', '.join(sorted(missing))}"
        elif newer.measurable < known.measurable:
            why = f"{newer.measurable} of its figures could be measured, {known.measurable} of the known one"
    if why:
        return "kept", f"the known outcome of {known.date[:10]} is kept: {why}"
    return "replaced", f"takes the place of the outcome of {known.date[:10]}"


@dataclass(frozen=True, repr=False)
class Beside(Displayed):
    """Each figure as its source published it, as it was measured now, and as a known ledger has it; it displays itself."""

    newer: Sequence[Outcome]
    known: Sequence[Outcome]

    def to_data(self) -> dict[str, Any]:
        """A row for each figure of the newer outcomes."""
        before = {_key(one, figure): figure for one in self.known for figure in one.figures}
        rows = [
            {
                "claim": one.id,
                "figure": f"{figure.of} / {figure.to}" if figure.to else figure.of,
                "versions": figure.versions,
                "the source says": published_words(figure),
                "measured now": _told(figure),
                "known": _told(before.get(_key(one, figure))),
            }
            for one in self.newer
            for figure in one.figures
        ]
        return {"figures": rows}

    def table(self) -> Tables:
        """The rows of `to_data`."""
        rows = self.to_data()["figures"]
        sides: dict[str, Side] = dict.fromkeys(chain(*rows), "left")
        return Tables([Table.of_lines(sides, [tuple(row.values()) for row in rows])])


def _key(outcome: Outcome, figure: Judged) -> tuple[str, ...]:
    return (outcome.id, figure.versions, figure.of, figure.to, figure.quantity)


def _told(figure: Judged | None) -> str:
    return "" if figure is None else f"{interval_words(figure)}: {figure.verdict}"
