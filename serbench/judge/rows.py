"""The result table: one row for each case × operation × workload point, with intervals and ranks, and the phases of each case. Rows by column, as small JSON data: numbers to six digits, texts by their place among the different ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from serbench.judge import statistics
from serbench.judge.outcomes import WorkClass
from serbench.judge.ranking import first_probabilities, ranks
from serbench.judge.statistics import Estimate, Prior
from serbench.judge.waves import CellWaves, Samples, cell_waves, reference_ids, shared_ratios
from serbench.results import CALL, FLOOR, OPERATIONS, SIZES, Cell, Status, grouped, rewritten

MEASURED: tuple[Status, ...] = ("ok", "unresolved")
NOT_REACHED = "the run ended before it was measured"


COLUMNS = (
    *("workload", "records", "depth", "seed", "library", "variant", "version", "environment", "codec", "format"),
    *("operation", "work_class", "status", "reason", "time_ns", "time_ns_low", "time_ns_high", "time_per_record_ns"),
    *("ratio", "ratio_low", "ratio_high", "rank", "waves", "samples", "size_bytes", "size_gzip_bytes"),
    *("size_zstd_bytes", "source_sha256", "mb_per_s", "clock", "cpu_over_wall", "gzip_ns", "gunzip_ns", "zstd_ns"),
    *("unzstd_ns", "reference", "python", "warmup_ns", "machine", "first_probability", "same_as"),
    *("conditions", "size_spread_bytes"),
)
"""The order of a row's fields in CSV, Parquet, JSON and pandas."""
SHARE = ("share", "share_low", "share_high")
"""The fields that only endpoints have; in JSON, only their rows."""


@dataclass(kw_only=True)
class Row(Cell):
    """A row of the result table: a cell with the figures that its samples give; those of a comparison may be None.

    A measured row has `status` "ok" or "unresolved". Any other row has a `reason`, and all its figures are None.

    Attributes:
        time_ns, time_ns_low, time_ns_high: time per operation on the row's `clock` with its 95% interval: `ratio` times
            the reference's own time, so that times and ratios never contradict each other.
        time_per_record_ns: the same for each record.
        ratio, ratio_low, ratio_high: time over that of the run's reference for the same data and operation,
            paired within waves, with its 95% interval.
        rank: place among the rows of the same data, operation and work class, in which ties share a rank as in 1, 2, 2,
            4; see `ranks`. None if the library takes no part in the operation.
        waves, samples: the number of each.
        mb_per_s: encoded bytes per time, in 10⁶ bytes per second.
        clock: "cpu", or "wall" if the library uses threads.
        cpu_over_wall: CPU time over wall time, the median over batches.
        first_probability: probability that no row of the ranking is faster.
        share, share_low, share_high: of an endpoint, the part of its time that an endpoint of the same framework does not take
            which returns ready bytes, with its 95% interval.
        also: the rows that this one stands for as well; see `merged`.
        rewritten: True if its models were written anew for the library, beside rows that have the user's class unchanged.
    """

    time_ns: float | None = None
    time_ns_low: float | None = None
    time_ns_high: float | None = None
    time_per_record_ns: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    rank: int | None = None
    waves: int | None = None
    samples: int | None = None
    mb_per_s: float | None = None
    clock: str | None = None
    cpu_over_wall: float | None = None
    first_probability: float | None = None
    share: float | None = None
    share_low: float | None = None
    share_high: float | None = None
    also: tuple[Row, ...] = ()
    rewritten: bool = False

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Row:
        """The row that `as_data` gave; fields that this version does not know are left out.

        Raises:
            KeyError, TypeError: something is missing.
        """
        return cls(id=-1, **{name: data[name] for name in (*COLUMNS, *SHARE) if name in data})

    @property
    def measured(self) -> bool:
        """True if there is a time."""
        return self.time_ns is not None


PHASES = ("build", "dump", "dumps", "encode", "loads", "load", "decode", "read")
"""What may be added up, in the order in which it happens."""
STEPS = {"encode": ("dump", "dumps"), "decode": ("loads", "load")}
"""A whole operation → its steps."""
CASE = ("library", "variant", "environment", "version", "codec", "format")
CaseFields = tuple[str | None, ...]
"""The values of `CASE` in a row, or of some of these fields."""
case_of = attrgetter(*CASE)
"""Identifies the case of a row, whatever its data and operation."""


def rows(cells: Sequence[Cell], samples: Samples, *, across_classes: bool = False) -> list[Row]:
    """A row for each cell that is not a hidden duplicate, by point, operation, work class and rank.

    `samples` are a list of `Sample` or a structured array with the same fields. With `across_classes` the
    rows of all work classes are ranked together.
    """
    waves = cell_waves(cells, samples)
    priors = run_priors(cells, waves)
    bases = {
        point_and_operation: _time(waves[one], priors)
        for point_and_operation, one in reference_ids(cells).items()
        if one in waves
    }
    shown = [cell for cell in cells if not cell.control]
    anew = rewritten((cell.library, cell.codec) for cell in shown)
    measured = {cell.id for cell in shown if cell.status in MEASURED and cell.id in waves and waves[cell.id].log_times}
    ranked = [cell for cell in shown if cell.id in measured and cell.takes_part and cell.same_as is None]
    rank = _ranks(ranked, waves, across_classes)
    by_identity = {
        cell.identity: _timed_row(
            cell, waves[cell.id], rank.get(cell.id), priors, bases.get((cell.point, cell.operation))
        )
        if cell.id in measured
        else _failed_row(cell)
        for cell in shown
        if cell.same_as is None
    }
    for cell, floor in _floors(cell for cell in shown if cell.id in measured):
        ratios = [*shared_ratios(waves[cell.id], waves[floor.id]).values()]
        if not ratios:  # the run ended before both were in one wave
            continue
        over = statistics.estimate(ratios, priors[0])
        shares = (1 - math.exp(-value) for value in (over.mean, over.low, over.high))
        vars(by_identity[cell.identity]).update(zip(SHARE, shares, strict=True))
    all_rows = [
        *by_identity.values(),
        *(_same_row(cell, by_identity.get(cell.measured_as)) for cell in shown if cell.same_as is not None),
    ]
    points = {point: number for number, point in enumerate(dict.fromkeys(cell.point for cell in shown))}

    def sort_key(row: Row) -> tuple[Any, ...]:
        work_class = work_class_key("" if across_classes else row.work_class)
        rank = math.inf if row.rank is None else row.rank
        return (
            points[row.point],
            (*OPERATIONS, CALL).index(row.operation),
            not row.measured,
            work_class,
            rank,
            row.time_ns,
        )

    for row in all_rows:
        row.rewritten = row.library in anew
    return sorted(all_rows, key=sort_key)


def _floors(cells: Iterable[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Each endpoint with the floor of its framework, if both were measured."""
    for members in grouped(cells, lambda cell: (cell.point, cell.operation, cell.library, cell.environment)).values():
        floor = next((cell for cell in members if cell.codec == FLOOR), None)
        yield from ((cell, floor) for cell in members if floor not in (None, cell) and cell.same_as is None)


def work_class_key(work_class: str | None) -> tuple[bool, bool, int, int, str]:
    """A sort key for work classes: exact before lossy, whole documents first, objects before dicts, strict before unchecked."""
    holder, checks, left_out, lossy = WorkClass.parse(work_class)
    holders = ("objects", "generated objects", "dicts", "builtins")
    ways = ("strict", "typed", "coercing", "unchecked")
    return (
        bool(lossy),
        bool(left_out),
        holders.index(holder) if holder in holders else len(holders),
        ways.index(checks) if checks in ways else len(ways),
        work_class or "",
    )


def by_case(rows: Iterable[Row]) -> dict[Any, dict[str, Row]]:
    """Case → operation → its measured row, of rows of one point."""
    measured = (row for row in rows if row.measured)
    return {case: {row.operation: row for row in members} for case, members in grouped(measured, case_of).items()}


def phase_times(rows: Sequence[Row]) -> list[tuple[Row, dict[str, float]]]:
    """For each case of one point the ns of its phases, the fastest case first.

    A whole operation replaces its steps if not all of these were measured.
    """
    timed = []
    for steps in by_case(rows).values():
        known = {name for name in PHASES if name in steps}
        for whole, parts in STEPS.items():
            known -= {whole} if known.issuperset(parts) else set(parts)
        times = {name: steps[name].time_ns or 0.0 for name in PHASES if name in known}
        if times:
            timed.append((next(iter(steps.values())), times))
    return sorted(timed, key=lambda pair: sum(pair[1].values()))


def differing_facts(rows: Iterable[Row]) -> dict[str, AbstractSet[str]]:
    """Library → the facts that tell its rows apart: "version", "python", and "environment" if these do not."""
    differing: dict[str, AbstractSet[str]] = {}
    for library, members in grouped(rows, lambda row: row.library).items():
        places = {(row.version, row.python, row.environment) for row in members}
        versions, pythons = {place[0] for place in places}, {place[1] for place in places if place[1]}
        names = ({"version"} if len(versions) > 1 else set()) | ({"python"} if len(pythons) > 1 else set())
        unclear = len({place[:2] for place in places}) < len(places)
        differing[library] = names | ({"environment"} if unclear else set())
    return differing


def decoding_classes(rows: Sequence[Row]) -> list[str]:
    """For each row the work class of its case's decoding, which says how input is checked.

    If its decoding was not measured, it is the row's own work class, or "".
    """
    decoded = {case_of(row): row.work_class for row in rows if row.operation == "decode" and row.work_class}
    return [decoded.get(case_of(row)) or row.work_class or "" for row in rows]


def _ranking(row: Row) -> tuple[Any, ...]:
    return (row.point, row.operation, row.work_class)


def ranked_anew(rows: Sequence[Row], every: Sequence[Row]) -> list[Row]:
    """Some of all rows of a run, with ranks among themselves; who is the first is only known of whole rankings."""
    known = grouped((row for row in merged(rows) if row.rank), _ranking)
    whole = Counter(_ranking(row) for row in merged(every) if row.rank)

    def among(row: Row) -> Row:
        others = [other.rank or 0 for other in known.get(_ranking(row), ())]
        if row.rank is None or len(others) == whole[_ranking(row)]:
            return row
        return replace(row, rank=1 + sum(other < row.rank for other in others), first_probability=None)

    return list(map(among, rows))


def columns_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """`COLUMNS`, and those of `SHARE` if a row is of an endpoint above its floor."""
    return (*COLUMNS, *SHARE) if any(row.share is not None for row in rows) else COLUMNS


def as_data(row: Row) -> dict[str, Any]:
    """A row as JSON data: its columns, with floats to six digits.

    More digits are noise, and their last bits differ from machine to machine, so that the same samples
    would give different tables.
    """
    return {name: six_digits(getattr(row, name)) for name in columns_of([row])}


def six_digits(value: Any) -> Any:
    """A float to six significant digits; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def run_priors(cells: Sequence[Cell], waves: Mapping[int, CellWaves]) -> tuple[Prior, Prior]:
    """Priors for the between-wave variance of log ratios, and of log times, fitted to a run's cells."""
    references = len({(cell.point, cell.operation) for cell in cells if cell.id in waves})
    timed = [waves[cell.id] for cell in cells if cell.id in waves and cell.same_as is None]
    first = min((wave for one in timed for wave in one.log_times), default=0)
    differences = [d[first] for d in duplicate_differences(cells, waves) if first in d]
    return (
        statistics.fit_prior(
            [list(one.log_ratios.values()) for one in timed], references=references, differences=differences
        ),
        statistics.fit_prior([list(one.log_times.values()) for one in timed], references=references),
    )


def duplicate_differences(cells: Sequence[Cell], waves: Mapping[int, CellWaves]) -> list[dict[int, float]]:
    """For each hidden duplicate its log ratio to the original in each wave that they share."""
    originals = {(c.point, c.operation, c.case.key): c.id for c in cells if not c.control}
    ratios = []
    for cell in cells:
        original = originals.get((cell.point, cell.operation, cell.case.key))
        if cell.control and original is not None and original in waves and cell.id in waves:
            ratios.append(shared_ratios(waves[cell.id], waves[original]))
    return list(filter(None, ratios))


def _same_row(cell: Cell, measured: Row | None) -> Row:
    """The row of a cell whose very same code was measured in another row."""
    if measured is None or not measured.measured:
        status, reason = ("unavailable", NOT_REACHED) if measured is None else (measured.status, measured.reason)
        return _unmeasured(cell, status, f"its code is that of {cell.same_as}: {reason}")
    return Row(**vars(measured) | vars(cell) | {"status": measured.status, "loops": measured.loops})


def merged(rows: Sequence[Row]) -> list[Row]:
    """The rows, in which one row stands for all cases whose very same code was measured once."""
    measured = {row.identity for row in rows if row.same_as is None}
    copies = grouped((row for row in rows if row.same_as is not None), lambda row: row.measured_as)
    return [
        row if row.same_as or row.identity not in copies else replace(row, also=(*row.also, *copies[row.identity]))
        for row in rows
        if row.same_as is None or row.measured_as not in measured
    ]


def _ranks(cells: Sequence[Cell], waves: Mapping[int, CellWaves], across_classes: bool) -> dict[int, tuple[int, float]]:
    """The rank of each cell, and the probability that it is the fastest of its ranking."""
    rankings = grouped(cells, lambda cell: (cell.point, cell.operation, None if across_classes else cell.work_class))
    ranked: dict[int, tuple[int, float]] = {}
    for members in rankings.values():
        of_cells = [waves[cell.id] for cell in members]
        by_reference = all(cell.log_ratios for cell in of_cells)  # none has a ratio if the reference failed
        values = [cell.log_ratios if by_reference else cell.log_times for cell in of_cells]
        places = zip(ranks(values), first_probabilities(values), strict=True)
        ranked.update(zip((cell.id for cell in members), places, strict=True))
    return ranked


def _time(waves: CellWaves, priors: tuple[Prior, Prior]) -> Estimate:
    """The log time that a cell's own samples give."""
    return statistics.estimate(list(waves.log_times.values()), priors[1])


def _timed_row(
    cell: Cell,
    waves: CellWaves,
    rank: tuple[int, float] | None,
    priors: tuple[Prior, Prior],
    base: Estimate | None,
) -> Row:
    """The row of a measured cell; `base` is the time of the reference."""
    time, ratio = _time(waves, priors), None
    if cell.reference:
        ratio = Estimate(0.0, 0.0, time.df, time.waves)
    elif waves.log_ratios and base is not None:
        ratio = statistics.estimate(list(waves.log_ratios.values()), priors[0])
        time = replace(time, mean=ratio.mean + base.mean, half=math.hypot(ratio.half, base.half))
    time_ns = math.exp(time.mean)
    return Row(
        **vars(cell),
        time_ns=time_ns,
        time_ns_low=math.exp(time.low),
        time_ns_high=math.exp(time.high),
        time_per_record_ns=time_ns / max(cell.point.records, 1),
        ratio=math.exp(ratio.mean) if ratio else None,
        ratio_low=math.exp(ratio.low) if ratio else None,
        ratio_high=math.exp(ratio.high) if ratio else None,
        rank=rank and rank[0],
        first_probability=rank and rank[1],
        waves=time.waves,
        samples=waves.samples,
        mb_per_s=cell.size_bytes / time_ns * 1e3 if cell.size_bytes is not None else None,
        clock=waves.clock,
        cpu_over_wall=waves.cpu_over_wall if math.isfinite(waves.cpu_over_wall) else None,
    )


def _failed_row(cell: Cell) -> Row:
    if cell.status in MEASURED:
        return _unmeasured(cell, "unavailable", cell.reason or NOT_REACHED)
    return _unmeasured(cell, cell.status, cell.reason or f"{cell.status}; no reason was recorded")


def _unmeasured(cell: Cell, status: Status, reason: str) -> Row:
    return Row(**vars(cell) | dict.fromkeys(SIZES) | {"status": status, "reason": reason})


def column(values: Iterable[Any]) -> Any:
    """A list of numbers as they are; other values as `{"values": [...], "at": [...]}`, each different one once."""
    listed = list(values)
    if not any(isinstance(value, str) for value in listed):
        return [small(value) for value in listed]
    places = {value: index for index, value in enumerate(dict.fromkeys(listed))}
    return {"values": list(places), "at": [places[value] for value in listed]}


def by_column(rows: Sequence[Row]) -> dict[str, Any]:
    """The rows as JSON data, a column for each field that any of them has."""
    columns = {name: [getattr(row, name) for row in rows] for name in columns_of(rows)}
    return {name: column(values) for name, values in columns.items() if any(value is not None for value in values)}


def from_columns(columns: Mapping[str, Any]) -> list[Row]:
    """The rows of what `by_column` returned; floats have six digits.

    Raises:
        KeyError, IndexError, TypeError, ValueError: the data has another form.
    """
    plain = {
        name: [column["values"][index] for index in column["at"]] if isinstance(column, Mapping) else column
        for name, column in columns.items()
    }
    truths = [name for name in ("reference",) if name in plain]
    plain |= {name: [bool(value) for value in plain[name]] for name in truths}
    empty = dict.fromkeys(COLUMNS)
    return [
        Row.from_data({**empty, **dict(zip(plain, values, strict=True))})
        for values in zip(*plain.values(), strict=True)
    ]


def small(value: float | None) -> float | None:
    """Return a number as JSON writes it: floats have six digits, and None stands for one that is not finite."""
    if isinstance(value, float):
        return six_digits(value) if math.isfinite(value) else None
    return None if value is None else int(value)
