"""The leader of a board, of all sizes and of all data, and what it is compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from statistics import median
from typing import Any, TypeAlias, TypeVar

from serbench.judge.compare import Relation, relation
from serbench.judge.growth import between, distance
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import CASE, CaseFields, Row, case_of, merged, work_class_key
from serbench.judge.statistics import TIE
from serbench.results import Point, grouped

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


_CASE: Callable[[Row], CaseFields] = attrgetter("library", "variant", "environment", "codec", "format")
UNRELATED: dict[str, Any] = dict.fromkeys(("ratio", "ratio_low", "ratio_high", "rank", "first_probability"))
"""What a row has no longer beside those of another run, which has another reference."""
Board: TypeAlias = Mapping[CaseFields, Row]
"""The rows of one run at one point, by case."""


@dataclass(frozen=True)
class Field:
    """The cases at one size and depth, each in one of the four lists.

    Attributes:
        shown: the rows of the shown run, ranked among themselves, with those that failed.
        joined: what other runs measured at this very point, with neither ratio nor rank.
        bands: what lies between measured points; see `between`.
        elsewhere: of each other case the measured row that is nearest.
        boards: every run at every point, the nearest first; of equals the shown run, then the newest.
        runs: the numbers of the runs that rows are of.
    """

    shown: Sequence[Row]
    joined: Sequence[Row]
    bands: Sequence[Row]
    elsewhere: Sequence[Row]
    boards: Sequence[Board]
    runs: frozenset[int]

    @property
    def timed(self) -> list[Row]:
        """All rows of this point."""
        return [*self.shown, *self.joined, *self.bands]

    @cached_property
    def guesses(self) -> Mapping[CaseFields, float]:
        """Case → its time here in ns; of a case from elsewhere what it would be if it grew as others do, for its order only."""
        known = {_CASE(one): row.time_ns for row in self.timed if row.time_ns for one in (row, *row.also)}
        return known | {_CASE(row): self._grown(row, known) for row in self.elsewhere}

    def guess(self, row: Row) -> float:
        """The time of a case here in ns, which orders it among the others."""
        return self.guesses[_CASE(row)]

    def _grown(self, row: Row, known: Mapping[CaseFields, float]) -> float:
        board = next(board for board in self.boards if _CASE(row) in board)
        factors = [known[case] / (other.time_ns or 1.0) for case, other in board.items() if case in known]
        factor = median(factors) if factors else self._size / max(row.records, 1)
        return (row.time_ns or 0.0) * factor

    @property
    def _size(self) -> int:
        return next((row.records for row in self.timed), 1)

    @cached_property
    def contest(self) -> list[Row]:
        """The rows from which the leader comes, by `guess`: ranked cases of the best kind, as `lead` takes them."""
        ranked = {case for board in self.boards for case, row in board.items() if row.rank is not None}
        every = [row for row in (*self.timed, *self.elsewhere) if row.measured]
        able = [row for row in every if _CASE(row) in ranked] or every
        best = min(map(kind_key, able), default=0)
        return sorted((row for row in able if kind_key(row) == best), key=self.guess)

    @cached_property
    def winner(self) -> Row | None:
        """The fastest that loses to no other where both were measured nearest; None if each loses to one."""
        return next((row for row in self.contest if not any(self.loses(row, other) for other in self.contest)), None)

    def loses(self, row: Row, other: Row) -> bool:
        """Whether a case is proven slower than another where both were measured nearest.

        Two that no run measured together lose by times here whose intervals lie one above the other.
        """
        if row is other:
            return False
        pair = self.nearest(row, other)
        if pair is not None and pair[2].low is not None:
            return pair[2].low > 1
        lows = (row.time_ns_low, other.time_ns_high) if row.point == other.point else (None, None)
        return pair is None and None not in lows and (lows[0] or 0.0) > (lows[1] or 0.0)

    def nearest(self, row: Row, other: Row) -> tuple[Row, Row, Relation] | None:
        """Two cases where one run measured both nearest, and the time of the first over that of the second."""
        pair = (_CASE(row), _CASE(other))
        board = next((board for board in self.boards if all(case in board for case in pair)), None)
        if board is None:
            return None
        one, two = (board[case] for case in pair)
        compared = relation(one, two)
        return None if compared is None else (one, two, compared)


def field(runs: Sequence[Sequence[Row]], records: int, depth: int, shown: Sequence[Row] = ()) -> Field:
    """All cases of some runs at a size and depth.

    `runs` are the rows of one machine, workload and operation, a list for each run: the shown run first, then the
    newest. `shown` are those of the first run at this point, ranked. Of a library only the version counts that comes first.
    """
    versions: dict[CaseFields, str | None] = {}
    at: list[tuple[float, int, dict[CaseFields, Row]]] = []
    for number, rows in enumerate(runs):
        by_point: dict[tuple[int, int], dict[CaseFields, Row]] = {}
        for row in rows:
            if row.measured and versions.setdefault(_CASE(row), row.version) == row.version:
                by_point.setdefault((row.records, row.depth), {})[_CASE(row)] = row
        at += [(distance(point, records, depth), number, board) for point, board in by_point.items()]
    at.sort(key=lambda one: one[:2])
    known = {_CASE(one) for row in shown for one in (row, *row.also)}
    joined = _first((board for far, _, board in at if not far), known)
    bands = between((row for *_, board in at for case, row in board.items() if case not in known), records, depth)
    known |= set(map(_CASE, bands))
    elsewhere = _first((board for *_, board in at), known)
    used = set(map(_CASE, [*joined, *bands, *elsewhere]))
    numbers = {number for _, number, board in at if not used.isdisjoint(board)} | ({0} if shown else set())
    return Field(
        shown,
        merged(list(map(unrelated, joined))),
        merged(bands),
        merged(list(map(unrelated, elsewhere))),
        [board for *_, board in at],
        frozenset(numbers),
    )


def _first(boards: Iterable[Board], known: set[CaseFields]) -> list[Row]:
    """The first row of each case that is not known, which then is."""
    rows = []
    for board in boards:
        rows += [row for case, row in board.items() if case not in known]
        known.update(board)
    return rows


def unrelated(row: Row) -> Row:
    """A row without what relates it to the other rows of its run, for a board that has rows of several."""
    return replace(row, **UNRELATED, reference=False)


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
    """The ranking that covers the most shapes; on equality, the most libraries. None without shapes.

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
