"""The leader of a board, the rows that it is held against, and what the choice of it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from serbench.judge.rows import Row, work_class_key
from serbench.judge.work_class import WorkClass

COMMON = "pydantic"
"""The library that most readers use today."""


@dataclass(frozen=True)
class Lead:
    """The leader of a board, with its whole ranking.

    Attributes:
        section: the heading of the ranking.
        ranking: the ranked rows of it, the leader first.
        common: the fastest row of `COMMON`, or else the reference; None if it is one of the leaders, or the runner-up.
    """

    section: str
    ranking: tuple[Row, ...]
    common: Row | None

    @property
    def first(self) -> Row:
        """The leader."""
        return self.ranking[0]

    @property
    def tied(self) -> tuple[Row, ...]:
        """The other rows that share the leader's rank."""
        return tuple(row for row in self.ranking[1:] if row.rank == self.first.rank)

    @property
    def runner_up(self) -> Row | None:
        """The fastest row of the ranking that does not tie with the leader."""
        return next((row for row in self.ranking if row.rank != self.first.rank), None)


def lead(sections: Iterable[tuple[str, Sequence[Row]]]) -> Lead | None:
    """The leader of a board's sections: the fastest that loses nothing and ends in your own objects, if there is one.

    The rows of each section are in the order of their ranks. None if there is no row.
    """
    able = [(name, [row for row in rows if row.rank is not None] or list(rows)) for name, rows in sections if rows]
    if not able:
        return None
    section, ranking = min(able, key=lambda one: (kind_key(one[1][0]), one[1][0].time_ns or 0.0))
    leading = Lead(section, tuple(ranking), None)
    every = [row for _, rows in able for row in rows]
    known = [row for row in every if row.library == COMMON != leading.first.library] or [
        r for r in every if r.reference
    ]
    common = min(known, key=lambda row: row.time_ns or 0.0, default=None)
    told = any(common is row for row in (leading.first, *leading.tied, leading.runner_up))
    return Lead(section, tuple(ranking), None if told else common)


def kind_key(row: Row) -> int:
    """A sort key for what a row ends in: your own objects, a format's own, dicts; those that leave out or lose something last."""
    lossy, left_out, holder, *_ = work_class_key(row.work_class)
    return 100 * lossy + 10 * left_out + holder


def strictest(sections: Iterable[tuple[str, Sequence[Row]]], than: Row) -> Row | None:
    """The fastest row of the same kind whose class is strict; None if `than` is strict itself, or none is."""
    rows = [row for _, members in sections for row in members if kind_key(row) == kind_key(than)]
    strict = [row for row in rows if row.rank is not None and WorkClass.parse(row.work_class).checks == "strict"]
    fastest = min(strict, key=lambda row: row.time_ns or 0.0, default=None)
    return None if WorkClass.parse(than.work_class).checks == "strict" else fastest
