"""The leader of a board, of all sizes and of all data, and what it is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import CASE, CaseFields, Row, case_of, work_class_key
from serbench.results import Point, grouped

AnyRow = TypeVar("AnyRow")
AnyColumn = TypeVar("AnyColumn")
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


@dataclass(frozen=True)
class Overall:
    """A case over several workload points: the geometric mean of its times over that of the fastest, with a 95% interval.

    `work_class` is the weakest that the case has at these points, and the ranking is among cases of the same.
    `points` are those that every case of the ranking has.
    """

    operation: str
    work_class: str
    library: str
    variant: str
    version: str | None
    environment: str
    codec: str
    format: str
    ratio: float
    ratio_low: float
    ratio_high: float
    points: tuple[Point, ...]

    @property
    def conditions(self) -> str:
        """The conditions of all its points."""
        return self.points[0].conditions


def overall(rows: Sequence[Row]) -> list[Overall]:
    """The cases of each operation, conditions and work class, the fastest first; empty if there is only one point.

    A mean over a case's own points would favour a case that failed where it is slow, so it is taken over the points
    that all cases of the ranking have. The interval is that of the quotient of two independent means.
    """
    ranked: list[Overall] = []
    for (operation, _), together in grouped(rows, lambda row: (row.operation, row.conditions)).items():
        unranked = {case_of(row) for row in together if row.measured and row.rank is None}
        able = (row for row in together if row.ratio is not None and case_of(row) not in unranked)
        cases = grouped(able, case_of)
        classes: dict[str, dict[CaseFields, dict[Point, Row]]] = {}
        for key, members in cases.items():
            weakest = max((row.work_class or "" for row in members), key=work_class_key)
            classes.setdefault(weakest, {})[key] = {row.point: row for row in members}
        for work_class in sorted(classes, key=work_class_key):
            ranked += _ranked(operation, work_class, classes[work_class])
    return ranked


def _ranked(operation: str, work_class: str, cases: dict[CaseFields, dict[Point, Row]]) -> list[Overall]:
    ratios = {key: {point: row.ratio or 1.0 for point, row in rows.items()} for key, rows in cases.items()}
    means, points = geometric_means(ratios)
    if len(points) < 2:
        return []
    halves = {key: half_width([rows[point] for point in points]) for key, rows in cases.items()}
    best = min(means, key=lambda key: means[key])
    ranked = []
    for key in sorted(means, key=lambda key: means[key]):
        half = 0.0 if key == best else math.hypot(halves[key], halves[best])
        ratio = means[key] / means[best]
        case: dict[str, Any] = dict(zip(CASE, key, strict=True))
        ranked.append(
            Overall(
                operation,
                work_class,
                **case,
                ratio=ratio,
                ratio_low=ratio * math.exp(-half),
                ratio_high=ratio * math.exp(half),
                points=tuple(points),
            )
        )
    return ranked


def geometric_means(table: Mapping[AnyRow, Mapping[AnyColumn, float]]) -> tuple[dict[AnyRow, float], list[AnyColumn]]:
    """The geometric mean of each row over the columns that *all* rows have, and those columns.

    Rows that have no value are left out. If the rows have no column in common, the dict is empty.
    """
    filled = {row: values for row, values in table.items() if values}
    common = [c for c in next(iter(filled.values()), {}) if all(c in values for values in filled.values())]
    if not common:
        return {}, []
    return {
        row: math.exp(math.fsum(math.log(values[column]) for column in common) / len(common))
        for row, values in filled.items()
    }, common


def half_width(rows: Sequence[Row]) -> float:
    """The half-width of the interval of the log of a geometric mean of ratios; the reference, which has none, adds 0."""
    halves = (math.log((row.ratio_high or 1.0) / (row.ratio_low or 1.0)) / 2 for row in rows)
    return math.sqrt(math.fsum(half**2 for half in halves)) / len(rows)
