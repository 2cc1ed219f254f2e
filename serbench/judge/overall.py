"""One figure for each case over all data of a run: geometric means over the data that every case has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from serbench.judge.rows import CASE, CaseFields, Row, case_of, work_class_key
from serbench.results import Point, grouped

AnyRow = TypeVar("AnyRow")
AnyColumn = TypeVar("AnyColumn")


@dataclass(frozen=True)
class Overall:
    """A case over several workload points: the geometric mean of its times over that of the fastest, with a 95 % interval.

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
        cases = grouped((row for row in together if row.ratio is not None), case_of)
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
