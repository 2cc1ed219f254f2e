"""One figure for each case over all data of a run: geometric means, over what all cases have and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serbench import statistics
from serbench.analysis.display import codec_label, library_label, point_title, told_apart
from serbench.analysis.rows import Row, class_place

if TYPE_CHECKING:
    from rich.console import Group

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
                cases.setdefault(_key(row), []).append(row)
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
    """One operation as every output shows it: for each work class the cases (library, codec, mean) and over what it is."""

    operation: str
    title: str
    sections: list[tuple[str, list[tuple[str, str, str]], str]]


def overall_boards(rows: Sequence[Row]) -> list[OverallBoard]:
    """The geometric means of each operation, in words; none where there is but one point."""
    found, apart = overall(rows), told_apart(rows)
    cases = {_key(row): row for row in rows}
    boards = []
    for operation in dict.fromkeys(one.operation for one in found):
        sections = []
        for work_class in dict.fromkeys(one.work_class for one in found if one.operation == operation):
            members = [one for one in found if (one.operation, one.work_class) == (operation, work_class)]
            lines = [
                (library_label(cases[_key(one)], apart), codec_label(one), _label(one, len(members))) for one in members
            ]
            sections.append((work_class, lines, f"over {'; '.join(members[0].points)}: what all of them have"))
        boards.append(OverallBoard(operation, f"{operation}, geometric mean over all data", sections))
    return boards


def overall_group(rows: Sequence[Row]) -> Group:
    """The same as a Rich renderable."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    for board in overall_boards(rows):
        parts.append(Text(board.title, style="bold"))
        for work_class, lines, over in board.sections:
            table = Table.grid(padding=(0, 2, 0, 0))
            for line in lines:
                table.add_row(*map(Text, line))
            parts += [Text(work_class, style="italic cyan"), table, Text(over, style="dim")]
        parts.append(Text())
    return Group(*parts)


def _label(one: Overall, of: int) -> str:
    half = (one.ratio_high - one.ratio_low) / 2
    decimals = max(0, -math.floor(math.log10(half * 1.05))) if half > 0 else 2
    if half <= 0:
        return "1×" + (" (fastest)" if of > 1 else "")
    return f"{one.ratio:,.{decimals}f}× ± {half:.{decimals}f}"


def _key(row: Row | Overall) -> Key:
    return (row.library, row.variant, row.environment, row.version, row.codec, row.format)


def _point(row: Row) -> str:
    return point_title(row)


def _half(row: Row) -> float:
    """The half-width of the log ratio's interval; that of the reference, which has none, is 0."""
    return math.log((row.ratio_high or 1.0) / (row.ratio_low or 1.0)) / 2
