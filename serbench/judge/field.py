"""All cases that one machine measured of some data, as they are known at one size and depth, and which of them leads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from statistics import median
from typing import Any, TypeAlias

from serbench.judge.interpolation import between, distance
from serbench.judge.leading import kind_key
from serbench.judge.relation import Relation, relation
from serbench.judge.rows import CaseFields, Row, merged

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
