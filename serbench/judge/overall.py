"""One figure for each case over all data of a run, and for each library over all runs: geometric means over common data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from serbench.judge.rows import CASE, CaseFields, Row, case_of, work_class_key
from serbench.judge.statistics import TIE
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


LEAST = 5
"""A shape is data of one size that at least so many libraries were measured with, at its least depth."""
USUAL = ("default", "main", "varied")
"""Variant, environment and conditions of the rows that count for shapes."""
Shape = tuple[str, int]


@dataclass(frozen=True)
class RankedLibrary:
    """A library's geometric mean over the shapes, as a ratio to the least, and its rank with ties."""

    library: str
    work_class: str
    ratio: float
    rank: int
    is_tied: bool


@dataclass(frozen=True)
class OverShapes:
    """The libraries that give the same, objects or dicts, measured with the same shapes of data.

    Attributes:
        ranking: the libraries, each with its strictest work class, the fastest first.
        shapes: the ratio of each to the fastest, by library and shape.
    """

    ranking: tuple[RankedLibrary, ...]
    shapes: Mapping[str, Mapping[str, float]]


def over_shapes(runs: Sequence[Sequence[Row]], operation: str) -> OverShapes | None:
    """The ranking over most shapes, and of several the one with most libraries; None if there is no shape.

    A run of many sizes has no shape, or its workload would outweigh the others.
    """
    found: dict[Shape, list[dict[str, list[Row]]]] = {}
    for run in runs:
        if len({(row.records, row.depth) for row in run}) == 1:
            rows = [row for row in run if row.operation == operation and _counts(row)]
            for shape, together in sorted(grouped(rows, lambda row: (row.workload, row.records)).items()):
                by_library = grouped(together, lambda row: row.library)
                if len(by_library) >= LEAST:
                    found.setdefault(shape, []).append(by_library)
    names = sorted({name for measured in found.values() for by_library in measured for name in by_library})
    every = [_over_shapes_of(name, found) for name in names]
    return max(every, key=lambda one: (len(one.shapes[one.ranking[0].library]), len(one.ranking)), default=None)


def _counts(row: Row) -> bool:
    """Whether a row was measured as usual and is the library's: neither another's code nor one that leaves it out."""
    return (
        row.ratio is not None
        and row.rank is not None
        and row.same_as is None
        and (row.variant, row.environment, row.conditions) == USUAL
    )


def _over_shapes_of(library: str, found: Mapping[Shape, Sequence[Mapping[str, Sequence[Row]]]]) -> OverShapes:
    """The ranking over all shapes that a library was measured with, each in the first run that has it."""
    first = {
        shape: next(filter(None, (run if library in run else None for run in runs)), None)
        for shape, runs in found.items()
    }
    shapes = {shape: by_library for shape, by_library in first.items() if by_library}
    best = _best(shapes)
    work_class, wanted = best[library]
    rivals = {
        name: (other, rows)
        for name, (other, rows) in best.items()
        if other.partition(",")[0] == work_class.partition(",")[0] and rows.keys() >= wanted.keys()
    }
    least = {shape: min(rows[shape].ratio or math.inf for _, rows in rivals.values()) for shape in wanted}
    ratios = {
        name: {_label(shape): (rows[shape].ratio or 1.0) / least[shape] for shape in wanted}
        for name, (_, rows) in rivals.items()
    }
    return OverShapes(_ranked_libraries(rivals, list(wanted)), ratios)


def _best(shapes: Mapping[Shape, Mapping[str, Sequence[Row]]]) -> dict[str, tuple[str, dict[Shape, Row]]]:
    """Each library's strictest work class, and its fastest row of that class in each shape."""
    best = {}
    for library in dict.fromkeys(name for by_library in shapes.values() for name in by_library):
        rows = {shape: by_library[library] for shape, by_library in shapes.items() if library in by_library}
        work_class = min((row.work_class or "" for members in rows.values() for row in members), key=work_class_key)
        fit = {
            shape: [row for row in members if (row.work_class or "") == work_class] for shape, members in rows.items()
        }
        fastest = {
            shape: min(members, key=lambda row: row.ratio or math.inf) for shape, members in fit.items() if members
        }
        best[library] = (work_class, fastest)
    return best


def _label(shape: Shape) -> str:
    workload, records = shape
    return f"{workload}{f' ×{records:,}' if records > 1 else ''}"


def _ranked_libraries(
    rivals: Mapping[str, tuple[str, Mapping[Shape, Row]]], shapes: Sequence[Shape]
) -> tuple[RankedLibrary, ...]:
    """The libraries by their unweighted geometric means; ties are those whose difference is not proven beyond 1 %."""
    means, _ = geometric_means(
        {name: {shape: rows[shape].ratio or 1.0 for shape in shapes} for name, (_, rows) in rivals.items()}
    )
    halves = {name: half_width([rows[shape] for shape in shapes]) for name, (_, rows) in rivals.items()}
    order = sorted(means, key=lambda name: means[name])

    def is_faster(name: str, other: str) -> bool:
        return math.log(means[other] / means[name]) - math.hypot(halves[name], halves[other]) > TIE

    return tuple(
        RankedLibrary(
            name,
            rivals[name][0],
            means[name] / means[order[0]],
            1 + sum(is_faster(other, name) for other in order),
            any(not is_faster(name, other) and not is_faster(other, name) for other in order if other != name),
        )
        for name in order
    )
