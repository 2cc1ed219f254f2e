"""The result table: one row for each case × operation × workload point, with intervals and ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from operator import attrgetter
from typing import Any

from serbench import statistics
from serbench.analysis.waves import CellWaves, Samples, cell_waves
from serbench.engine.results import OPERATIONS, Cell, Status
from serbench.statistics import Estimate, Prior

MEASURED: tuple[Status, ...] = ("ok", "unresolved")
NOT_REACHED = "the run ended before it was measured"


@dataclass(frozen=True)
class Row:
    """One row. Times are ns per operation on the row's `clock`, with 95 % intervals over waves.

    `ratio` is the time over the run's reference for the same data and operation, paired within waves;
    `rank` is among the rows of the same data, operation and work class, and ties share one. Without a
    `first_probability` is how probable it is that no row of that ranking is faster. Without a
    measurement (`status` neither "ok" nor "unresolved") there is a `reason`, and every figure is None.
    """

    workload: str
    records: int
    depth: int
    seed: int
    library: str
    variant: str
    version: str | None
    environment: str
    codec: str
    format: str
    operation: str
    work_class: str | None
    status: Status
    reason: str | None
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
    size_bytes: int | None = None
    size_gzip_bytes: int | None = None
    size_zstd_bytes: int | None = None
    source_sha256: str | None = None
    mb_per_s: float | None = None
    clock: str | None = None
    cpu_over_wall: float | None = None
    gzip_ns: int | None = None
    gunzip_ns: int | None = None
    zstd_ns: int | None = None
    unzstd_ns: int | None = None
    reference: bool = False
    python: str | None = None
    warmup_ns: int | None = None
    machine: str | None = None
    first_probability: float | None = None

    @property
    def measured(self) -> bool:
        """Whether there is a time."""
        return self.time_ns is not None


case_of = attrgetter("library", "variant", "environment", "version", "codec", "format")
"""What is the same in the rows of one case, whatever the data and the operation."""


def rows(cells: Sequence[Cell], samples: Samples, *, across_classes: bool = False) -> list[Row]:
    """A row for each cell that is not a hidden duplicate, by point, operation, work class and rank.

    `samples` are a list of `Sample` or a structured array with the same fields. With `across_classes` the
    rows of all work classes are ranked together.
    """
    waves = cell_waves(cells, samples)
    ratio_prior, time_prior = run_priors(cells, waves)
    shown = [cell for cell in cells if not cell.control]
    measured = {cell.id for cell in shown if cell.status in MEASURED and cell.id in waves and waves[cell.id].log_times}
    rank = _ranks([cell for cell in shown if cell.id in measured], waves, across_classes)
    found = [
        _timed_row(cell, waves[cell.id], rank[cell.id], ratio_prior, time_prior)
        if cell.id in measured
        else _failed_row(cell)
        for cell in shown
    ]
    points = {point: place for place, point in enumerate(dict.fromkeys(cell.point for cell in shown))}
    order = {row_cell.id: points[row_cell.point] for row_cell in shown}

    def place(pair: tuple[Cell, Row]) -> tuple[Any, ...]:
        cell, row = pair
        work_class = class_place("" if across_classes else row.work_class)
        return (order[cell.id], OPERATIONS.index(row.operation), not row.measured, work_class, row.rank, row.time_ns)

    return [row for _, row in sorted(zip(shown, found, strict=True), key=place)]


def class_place(work_class: str | None) -> tuple[bool, int, int, str]:
    """Where a work class stands among others: exact before lossy, objects before dicts, strict before unchecked."""
    kept, lossy, _ = (work_class or "").partition(", lossy")
    holder, _, checks = kept.partition(", ")
    holders = ("objects", "generated objects", "dicts", "builtins")
    ways = ("strict", "typed", "coercing", "unchecked")
    return (
        bool(lossy),
        holders.index(holder) if holder in holders else len(holders),
        ways.index(checks) if checks in ways else len(ways),
        work_class or "",
    )


def reranked(chosen: Sequence[Row], among: Sequence[Row]) -> list[Row]:
    """Some of the rows that were ranked together, with the ranks that they have among themselves.

    A rank counts the rows that are proven faster, which are the first of its ranking: of these, those that
    were chosen are counted again. Who is the first of some is not known from the samples of all: that is None.
    """
    faster: dict[Any, list[Row]] = {}
    for row in among:
        if row.measured:
            faster.setdefault(_ranking(row), []).append(row)
    kept = set(map(id, chosen))
    for members in faster.values():
        members.sort(key=lambda row: (row.rank or 0, row.time_ns or 0.0))
    before = {key: [0, *accumulate(id(row) in kept for row in members)] for key, members in faster.items()}
    whole = {key for key, members in faster.items() if before[key][-1] == len(members)}

    def among_themselves(row: Row) -> Row:
        key = _ranking(row)
        if not row.measured or key in whole:
            return row
        return replace(row, rank=1 + before[key][(row.rank or 1) - 1], first_probability=None)

    return [among_themselves(row) for row in chosen]


def decoding_classes(rows: Sequence[Row]) -> list[str]:
    """For each row the work class that its case has in decoding: what a case checks is known from there.

    Where its decoding was not measured it is the row's own, or "".
    """
    decoded = {case_of(row): row.work_class for row in rows if row.operation == "decode" and row.work_class}
    return [decoded.get(case_of(row)) or row.work_class or "" for row in rows]


def _ranking(row: Row) -> tuple[Any, ...]:
    return (row.workload, row.records, row.depth, row.seed, row.operation, row.work_class)


def as_data(row: Row) -> dict[str, Any]:
    """A row as JSON data, in the order of `Row`'s fields, its floats to six digits.

    More would be noise, and their last bits differ from machine to machine, so that the same samples
    would not give the same table everywhere.
    """
    return {name: six_digits(value) for name, value in asdict(row).items()}


def six_digits(value: Any) -> Any:
    """A float to six significant digits; anything else as it is."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def run_priors(cells: Sequence[Cell], waves: Mapping[int, CellWaves]) -> tuple[Prior, Prior]:
    """What a run's cells tell of the between-wave variance of log ratios, and of log times."""
    references = len({(cell.point, cell.operation) for cell in cells if cell.id in waves})
    timed = [waves[cell.id] for cell in cells if cell.id in waves]
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
    originals = {(c.point, c.operation, c.case): c.id for c in cells if not c.control}
    found = []
    for cell in cells:
        original = originals.get((cell.point, cell.operation, cell.case))
        if cell.control and original is not None and original in waves and cell.id in waves:
            one, other = _comparable([waves[cell.id], waves[original]])
            if shared := {wave: value - other[wave] for wave, value in one.items() if wave in other}:
                found.append(shared)
    return found


def _comparable(found: Sequence[CellWaves]) -> list[dict[int, float]]:
    """Log ratios to the reference, or log times where some cell has none: the reference failed."""
    if all(one.log_ratios for one in found):
        return [one.log_ratios for one in found]
    return [one.log_times for one in found]


def _ranks(cells: Sequence[Cell], waves: Mapping[int, CellWaves], across_classes: bool) -> dict[int, tuple[int, float]]:
    """The rank of each cell, and the probability that it is the fastest of its ranking."""
    rankings: dict[Any, list[Cell]] = {}
    for cell in cells:
        work_class = None if across_classes else cell.work_class
        rankings.setdefault((cell.point, cell.operation, work_class), []).append(cell)
    found: dict[int, tuple[int, float]] = {}
    for members in rankings.values():
        values = _comparable([waves[cell.id] for cell in members])
        places = zip(statistics.ranks(values), statistics.first_probabilities(values), strict=True)
        found.update(zip((cell.id for cell in members), places, strict=True))
    return found


def _timed_row(cell: Cell, waves: CellWaves, rank: tuple[int, float], ratio_prior: Prior, time_prior: Prior) -> Row:
    time = statistics.estimate(list(waves.log_times.values()), time_prior)
    ratio = statistics.estimate(list(waves.log_ratios.values()), ratio_prior) if waves.log_ratios else None
    if cell.reference:
        ratio = Estimate(0.0, 0.0, time.df, time.waves)
    time_ns = math.exp(time.mean)
    return replace(
        _row(cell),
        time_ns=time_ns,
        time_ns_low=math.exp(time.low),
        time_ns_high=math.exp(time.high),
        time_per_record_ns=time_ns / max(cell.point.records, 1),
        ratio=math.exp(ratio.mean) if ratio else None,
        ratio_low=math.exp(ratio.low) if ratio else None,
        ratio_high=math.exp(ratio.high) if ratio else None,
        rank=rank[0],
        first_probability=rank[1],
        waves=time.waves,
        samples=waves.samples,
        size_bytes=cell.size_bytes,
        size_gzip_bytes=cell.size_gzip_bytes,
        size_zstd_bytes=cell.size_zstd_bytes,
        gzip_ns=cell.gzip_ns,
        gunzip_ns=cell.gunzip_ns,
        zstd_ns=cell.zstd_ns,
        unzstd_ns=cell.unzstd_ns,
        mb_per_s=cell.size_bytes / time_ns * 1e3 if cell.size_bytes is not None else None,
        clock=waves.clock,
        cpu_over_wall=waves.cpu_over_wall if math.isfinite(waves.cpu_over_wall) else None,
    )


def _failed_row(cell: Cell) -> Row:
    if cell.status in MEASURED:
        return replace(_row(cell), status="unavailable", reason=cell.reason or NOT_REACHED)
    return replace(_row(cell), reason=cell.reason or f"{cell.status}; no reason was recorded")


def _row(cell: Cell) -> Row:
    """What is known of a cell before it is measured."""
    return Row(
        workload=cell.point.workload,
        records=cell.point.records,
        depth=cell.point.depth,
        seed=cell.point.seed,
        library=cell.library,
        variant=cell.variant,
        version=cell.version,
        environment=cell.environment,
        codec=cell.codec,
        format=cell.format,
        operation=cell.operation,
        work_class=cell.work_class,
        status=cell.status,
        reason=cell.reason,
        source_sha256=cell.source_sha256,
        reference=cell.reference,
        python=cell.python,
        warmup_ns=cell.warmup_ns,
        machine=cell.machine,
    )
