"""The leader of a board, of all sizes and of all data, what it is compared with, and the choices worth recommending."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, TypeVar

from serbench.judge.compare import is_proven, is_slower, quotient
from serbench.judge.outcomes import Behaviour, WorkClass
from serbench.judge.rows import CASE, MEASURED, NOT_REACHED, CaseFields, Row, case_of, differing_facts, work_class_key
from serbench.results import DIRECTIONS, OPERATIONS, Point, grouped

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
        common: the fastest row of `COMMON`, or else the reference; if that leads, or is the runner-up, None; of a leader
            that is alone in its ranking the fastest of another, which ends in the same kind of objects.
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
    common = _fastest(known)
    if any(common is row for row in (leading.first, *leading.tied, leading.runner_up)):
        alike = (row for row in every if row is not leading.first and kind_key(row) == kind_key(leading.first))
        common = None if leading.ranking[1:] else _fastest(alike)
    return replace(leading, common=common)


def kind_key(row: Row) -> int:
    """A sort key for what a row ends in: your own objects, a format's own, dicts; those that leave out or lose something last."""
    lossy, left_out, holder, *_ = work_class_key(row.work_class)
    return 100 * lossy + 10 * left_out + holder


def strictest(sections: Iterable[tuple[str, Sequence[Row]]], than: Row) -> Row | None:
    """The fastest row of the same kind whose class is strict; None if `than` is strict itself, or none is."""
    rows = [row for _, members in sections for row in members if kind_key(row) == kind_key(than)]
    strict = [row for row in rows if row.rank is not None and WorkClass.parse(row.work_class).checks == "strict"]
    return None if WorkClass.parse(than.work_class).checks == "strict" else _fastest(strict)


def undecided(rows: Iterable[Row]) -> tuple[int, int]:
    """How many cases can still change who leads, and how many there are, without those that have failed.

    It can change with a case that has no time yet, and with one that is neither precise enough nor proven slower than
    the fastest of its ranking.
    """
    able = [row for row in rows if (row.status in MEASURED and row.same_as is None) or row.reason == NOT_REACHED]
    known = grouped((row for row in able if row.measured), lambda row: (row.point, row.operation, row.work_class))
    fastest = {id(row): _fastest(ranking) for ranking in known.values() for row in ranking}

    def is_open(row: Row) -> bool:
        first = fastest.get(id(row))
        return first is None or (row.status == "unresolved" and row is not first and not is_slower(row, first))

    cases = grouped(able, case_of)
    return sum(any(map(is_open, members)) for members in cases.values()), len(cases)


def _fastest(rows: Iterable[Row]) -> Row | None:
    return min(rows, key=lambda row: row.time_ns or 0.0, default=None)


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


CaseKey = tuple[str, str, str, str]  # library, variant, codec, format


@dataclass(frozen=True)
class CaseRows:
    """One case with its rows for decoding and encoding, and the facts that tell it from others; see `differing_facts`."""

    decode: Row
    encode: Row
    several: Mapping[str, AbstractSet[str]] = field(default_factory=dict)

    @property
    def time_ns(self) -> float:
        """The time to encode the document and decode it again."""
        return (self.encode.time_ns or 0.0) + (self.decode.time_ns or 0.0)

    @property
    def size_bytes(self) -> int:
        """The size of the encoded document."""
        return self.encode.size_bytes or 0


@dataclass(frozen=True)
class Ratio:
    """The time of one case over that of another, with its 95% interval; a difference below `least` is noise."""

    value: float
    low: float
    high: float
    least: float = 0.0

    @property
    def proven(self) -> bool:
        """True if the interval proves a difference of more than 1% that is not noise."""
        return is_proven(self.value, self.low, self.high, self.least)


@dataclass(frozen=True)
class Against:
    """The present choice compared with another, and the ratio of their times."""

    present: CaseRows
    other: CaseRows
    decode: Ratio
    encode: Ratio


@dataclass(frozen=True)
class Extra:
    """One operation of the user's class over that of its library's plain models, whose row is `plain`."""

    operation: str
    plain: Row
    ratio: Ratio


@dataclass(frozen=True)
class Advice:
    """The advice that the rows of one workload point give.

    Attributes:
        point: the data.
        qualified: the cases that fulfil the demands, fastest first.
        excluded: reason → the number of cases that it excludes.
        validating: the fastest that checks its input, and those that tie with it.
        fastest: the fastest of all, and those that tie with it.
        smallest: those with the fewest bytes, fastest first.
        front: the cases that none beats in both time and size, fastest first.
        features: each operation of the user's class against that of its library's plain models.
        least: the smallest difference to trust; what is smaller is noise.
        uncompared: the present choice and why it has no time, if it has none.
        against: the present choice against the fastest of its own format, and against the fastest of all; of
            those that check their input, if there are any.
    """

    point: Point
    qualified: tuple[CaseRows, ...]
    excluded: dict[str, int]
    validating: tuple[CaseRows, ...]
    fastest: tuple[CaseRows, ...]
    smallest: tuple[CaseRows, ...]
    front: tuple[CaseRows, ...]
    against: tuple[Against, ...]
    features: tuple[Extra, ...] = ()
    least: float = 0.0
    uncompared: tuple[CaseKey, str] | None = None


def advise(
    rows: Iterable[Row],
    *,
    refuse: Callable[[Row], str | None] = lambda _: None,
    present: CaseKey | None = None,
    pair: tuple[CaseKey, CaseKey] | None = None,
    least: float = 0.0,
) -> list[Advice]:
    """Advice from the rows of each workload point.

    Times are of encoding and decoding together; if a user's class reads another document than it writes, of encoding the one
    and decoding the other. Two cases tie if the difference between them is not proven
    to be more than 1%, in either direction: the logarithms of their ratios to the run's reference have
    intervals, and that of the difference has the root of the sum of their squares for its width.

    Args:
        rows: a run's rows; only those of encode and decode are used.
        refuse: returns the reason why a case does not qualify, from its decode row; None if it does.
        present: the case that is used today.
        pair: the user's class and its library's plain models.
        least: the smallest difference to trust; see `least_difference`.
    """
    points: dict[Point, dict[CaseFields, dict[str, Row]]] = {}
    reasons: dict[str, str] = {}
    for row in rows:
        name, direction = _by_direction(row.workload)
        if key(row) == present and not row.measured:
            reasons[name] = row.reason or row.status
        if (
            row.measured
            and row.operation in ("encode", "decode")
            and row.operation in DIRECTIONS.get(direction, OPERATIONS)
        ):
            point = replace(row.point, workload=name)
            points.setdefault(point, {}).setdefault(case_of(row), {})[row.operation] = row
    all_advice = [_advice(point, cases, refuse, present, pair, least) for point, cases in points.items()]
    return [
        replace(one, uncompared=(present, reasons.get(one.point.workload, "it was not measured")))
        if present is not None and not one.against and one.qualified
        else one
        for one in all_advice
    ]


def _by_direction(workload: str) -> tuple[str, str]:
    """The name of data and what a user's class does with it: "Order" and "reads" of "Order (reads)"; "" if it does both."""
    name, bracket, rest = workload.rpartition(" (")
    return (name, rest[:-1]) if bracket and rest in ("reads)", "writes)") else (workload, "")


def key(row: Row | Behaviour) -> CaseKey:
    """Library, variant, codec and format of a row, or of what was probed."""
    return (row.library, row.variant, row.codec, row.format)


def ratio(row: Row, other: Row, least: float = 0.0) -> Ratio:
    """The time of `row` over that of `other`, both of one point and operation: by their ratios to the reference, or by their times if one has none."""
    names = ("ratio", "ratio_low", "ratio_high")
    if None in (getattr(each, name) for each in (row, other) for name in names):
        names = ("time_ns", "time_ns_low", "time_ns_high")
    return Ratio(*quotient(*([getattr(each, name) for name in names] for each in (row, other))), least)


def both_ways(case_rows: CaseRows, other: CaseRows, least: float = 0.0) -> Ratio:
    """The time of a case to encode and decode over that of another, with the wider of both intervals, to be on the safe side."""
    ratios = [ratio(case_rows.decode, other.decode), ratio(case_rows.encode, other.encode)]
    value, half = case_rows.time_ns / other.time_ns, max(math.log(each.high / each.low) / 2 for each in ratios)
    return Ratio(value, value / math.exp(half), value * math.exp(half), least)


def _advice(
    point: Point,
    cases: dict[CaseFields, dict[str, Row]],
    refuse: Callable[[Row], str | None],
    present: CaseKey | None,
    pair: tuple[CaseKey, CaseKey] | None,
    least: float,
) -> Advice:
    whole = [operations for operations in cases.values() if len(operations) == 2]
    several = differing_facts(row for operations in whole for row in operations.values())
    options = [CaseRows(operations["decode"], operations["encode"], several) for operations in whole]
    judged = [(option, refuse(option.decode)) for option in sorted(options, key=attrgetter("time_ns", "size_bytes"))]
    qualified = [option for option, why in judged if why is None]
    fewest = min((option.size_bytes for option in qualified), default=0)
    today = next((option for option in options if key(option.decode) == present), None)
    checked = [option for option in qualified if validates(option.decode)] or qualified
    alike = [option for option in checked if today and option.decode.format == today.decode.format]
    best = [*alike[:1], *(option for option in checked[:1] if option not in alike[:1])]
    by_key = {key(row): operations for operations in reversed(cases.values()) for row in operations.values()}
    user_rows, plain = (by_key.get(one, {}) for one in pair) if pair else ({}, {})
    return Advice(
        point,
        tuple(qualified),
        dict(Counter(why for _, why in judged if why is not None)),
        _ties([option for option in qualified if validates(option.decode)], least),
        _ties(qualified, least),
        tuple(option for option in qualified if option.size_bytes == fewest),
        tuple(_front(qualified)),
        tuple(
            Against(today, other, ratio(today.decode, other.decode, least), ratio(today.encode, other.encode, least))
            for other in best
            if today
        ),
        tuple(
            Extra(name, plain[name], ratio(row, plain[name], least)) for name, row in user_rows.items() if name in plain
        ),
        least,
    )


def validates(row: Row) -> bool:
    """True if the case checks its input."""
    return WorkClass.parse(row.work_class).checks in ("strict", "coercing")


def _ties(options: Sequence[CaseRows], least: float) -> tuple[CaseRows, ...]:

    def differs(case_rows: CaseRows, other: CaseRows) -> bool:
        return (
            ratio(case_rows.decode, other.decode, least).proven or ratio(case_rows.encode, other.encode, least).proven
        )

    return tuple(option for option in options if not differs(option, options[0]))


def _front(options: Sequence[CaseRows]) -> list[CaseRows]:
    front: list[CaseRows] = []
    for option in options:
        if not front or option.size_bytes < front[-1].size_bytes:
            front.append(option)
    return front
