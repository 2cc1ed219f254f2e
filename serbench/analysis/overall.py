"""One figure for each case over all data of a run: geometric means, over what all cases have and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from serbench import statistics
from serbench.analysis.display import codec_label, library_label, point_title, told_apart, with_half_width
from serbench.analysis.rows import Row, case_of, class_place
from serbench.analysis.sheet import Column, Sheet

Key = tuple[str, str, str, str | None, str, str]


@dataclass(frozen=True)
class Overall:
    """A case over several workload points: the geometric mean of its times over that of the fastest, with a 95 % interval.

    `work_class` is the weakest that the case has at these points, and the ranking is among cases of the same.
    `points` are those that every case of the ranking has, in words.
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
    points: tuple[str, ...]


def overall(rows: Sequence[Row]) -> list[Overall]:
    """The cases of each operation and work class, the fastest first; nothing where there is but one point.

    A mean over a case's own points would favour whoever failed where it is slow, so it is taken over the points
    that all cases of the ranking have. The interval is that of the quotient of two independent means.
    """
    found: list[Overall] = []
    for operation in dict.fromkeys(row.operation for row in rows):
        cases: dict[Key, list[Row]] = {}
        for row in rows:
            if row.operation == operation and row.ratio is not None:
                cases.setdefault(case_of(row), []).append(row)
        classes: dict[str, dict[Key, dict[str, Row]]] = {}
        for key, members in cases.items():
            weakest = max((row.work_class or "" for row in members), key=class_place)
            classes.setdefault(weakest, {})[key] = {_point(row): row for row in members}
        for work_class in sorted(classes, key=class_place):
            found += _ranked(operation, work_class, classes[work_class])
    return found


def _ranked(operation: str, work_class: str, cases: dict[Key, dict[str, Row]]) -> list[Overall]:
    ratios = {key: {point: row.ratio or 1.0 for point, row in rows.items()} for key, rows in cases.items()}
    means, points = statistics.geometric_means(ratios)
    if len(points) < 2:
        return []
    halves = {
        key: math.sqrt(math.fsum(_half(rows[point]) ** 2 for point in points)) / len(points)
        for key, rows in cases.items()
    }
    best = min(means, key=lambda key: means[key])
    found = []
    for key in sorted(means, key=lambda key: means[key]):
        half = 0.0 if key == best else math.hypot(halves[key], halves[best])
        ratio, row = means[key] / means[best], next(iter(cases[key].values()))
        found.append(
            Overall(
                operation,
                work_class,
                row.library,
                row.variant,
                row.version,
                row.environment,
                row.codec,
                row.format,
                ratio,
                ratio * math.exp(-half),
                ratio * math.exp(half),
                tuple(points),
            )
        )
    return found


@dataclass(frozen=True)
class OverallBoard:
    """One operation as every output shows it: a section for each work class, with library, codec and mean of each case."""

    operation: str
    title: str
    sections: list[tuple[str, list[tuple[str, str, str]]]]

    @property
    def sheet(self) -> Sheet:
        """The same as a table."""
        library, codec, mean = zip(*(line for _, lines in self.sections for line in lines), strict=True)
        columns = [Column("library", list(library), name=True), Column("codec", list(codec), name=True)]
        counts = [(name, len(lines)) for name, lines in self.sections]
        return Sheet(self.title, [*columns, Column("mean ratio", list(mean))], counts)


def overall_boards(rows: Sequence[Row]) -> list[OverallBoard]:
    """The geometric means of each operation, in words; none where there is but one point."""
    found, apart = overall(rows), told_apart(rows)
    cases = {case_of(row): row for row in rows}
    boards = []
    for operation in dict.fromkeys(one.operation for one in found):
        sections = []
        for work_class in dict.fromkeys(one.work_class for one in found if one.operation == operation):
            members = [one for one in found if (one.operation, one.work_class) == (operation, work_class)]
            lines = [
                (library_label(cases[case_of(one)], apart), codec_label(one), _label(one, len(members)))
                for one in members
            ]
            sections.append((f"{work_class}, over {'; '.join(members[0].points)}: what all of them have", lines))
        boards.append(OverallBoard(operation, f"{operation}, geometric mean over all data", sections))
    return boards


def _label(one: Overall, of: int) -> str:
    if one.ratio_high <= one.ratio_low:
        return "1×" + (" (fastest)" if of > 1 else "")
    return with_half_width(one.ratio, one.ratio_low, one.ratio_high)


def _point(row: Row) -> str:
    return point_title(row)


def _half(row: Row) -> float:
    """The half-width of the log ratio's interval; that of the reference, which has none, is 0."""
    return math.log((row.ratio_high or 1.0) / (row.ratio_low or 1.0)) / 2
