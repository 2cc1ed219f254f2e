"""Numbers for figures besides ranks: cases that none beats in time and size, messages per second, growth with records and depth, and what the choice of endpoint changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from operator import attrgetter
from typing import Any, Literal

from serbench.errors import PlanError
from serbench.judge.compare import Relation, is_slower, relation
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import CaseFields, Row, case_of, differing_facts
from serbench.results import FLOOR, grouped

Compression = Literal["none", "gzip", "zstd"]
COMPRESSIONS: tuple[Compression, ...] = ("none", "gzip", "zstd")
READING = ("decode", "load", "loads", "read", "frame")


@dataclass(frozen=True)
class Budget:
    """The messages a second that one case can handle, and the bottleneck.

    Attributes:
        row: the case and operation.
        compression: of the bytes on the line.
        cpu_ns: CPU time for one message, with compressing or decompressing it.
        size_bytes: of one message as it is sent.
        cpu_per_s, line_per_s: messages a second that the cores can work on, and that the line can carry.
    """

    row: Row
    compression: Compression
    cpu_ns: float
    size_bytes: int
    cpu_per_s: float
    line_per_s: float

    @property
    def per_s(self) -> float:
        """Messages a second: the lower of both limits."""
        return min(self.cpu_per_s, self.line_per_s)

    @property
    def bottleneck(self) -> Literal["cores", "line"]:
        """The lower of the two limits."""
        return "cores" if self.cpu_per_s <= self.line_per_s else "line"

    @property
    def ends(self) -> tuple[float, float]:
        """The fewest and the most messages a second, by the 95% interval of the time."""
        time, row = self.row.time_ns or 0.0, self.row
        fewest, most = (
            min(self.line_per_s, self.cpu_per_s * self.cpu_ns / (self.cpu_ns - time + (end or time)))
            for end in (row.time_ns_high, row.time_ns_low)
        )
        return fewest, most


def budget(row: Row, bits_per_s: float, cores: float, compression: Compression = "none") -> Budget | None:
    """The budget of a measured row, for a bandwidth in bits per second and a number of cores.

    It is an upper limit: it leaves out headers, the protocol and all other work of a service, and assumes that
    cores add up. An operation that makes bytes compresses them, one that takes bytes decompresses them.

    Returns:
        None if the row has no time or its sizes are unknown.

    Raises:
        PlanError: the bandwidth or the number of cores is not positive.
    """
    for name, value in (("bandwidth", bits_per_s), ("cores", cores)):
        if not 0 < value < float("inf"):
            raise PlanError(f"{name} must be more than 0, not {value:g}")
    size, packing, unpacking = {
        "none": (row.size_bytes, 0, 0),
        "gzip": (row.size_gzip_bytes, row.gzip_ns, row.gunzip_ns),
        "zstd": (row.size_zstd_bytes, row.zstd_ns, row.unzstd_ns),
    }[compression]
    extra = unpacking if row.operation in READING else packing
    if row.time_ns is None or extra is None or not size:
        return None
    cpu_ns = row.time_ns + extra
    return Budget(row, compression, cpu_ns, size, cores * 1e9 / cpu_ns, bits_per_s / 8 / size)


def is_fewer(one: Budget, other: Budget, least: float = 0.0) -> bool:
    """Whether a budget is proven to have fewer messages a second than another; times that differ by less than `least` do not count."""
    limits = {one.bottleneck, other.bottleneck}
    if limits == {"cores"} and one.compression == other.compression == "none":
        return is_slower(one.row, other.row, least)
    if "cores" in limits and one.per_s * (1 + least) >= other.per_s:
        return False
    return one.ends[1] < other.ends[0]


def why_incomparable(row: Row) -> str:
    """The reason not to compare a row with others: no rank, a loss, what is left out, or a format's own objects.

    The fields of these are still to be read. Empty for a row that has none of this.
    """
    if row.rank is None:
        return "not ranked"
    holder, _, left_out, lossy = WorkClass.parse(row.work_class)
    format_objects = "a format's own objects" if holder.startswith("generated") else ""
    return ", ".join(filter(None, (format_objects, left_out, lossy.partition(" (")[0])))


def budgets(
    rows: Iterable[Row], bits_per_s: float, cores: float, compressions: Sequence[Compression] = COMPRESSIONS
) -> list[Budget]:
    """Every measured row with every compression, the most messages a second first; rows with a reason not to be compared come last."""
    computed = [budget(row, bits_per_s, cores, compression) for row in rows for compression in compressions]
    return sorted((one for one in computed if one is not None), key=lambda one: (why_incomparable(one.row), -one.per_s))


def best(computed: Sequence[Budget]) -> list[Budget]:
    """Of each row only its best compression, in the same order."""
    first: dict[int, Budget] = {}
    for one in computed:
        first.setdefault(id(one.row), one)
    return list(first.values())


STRICTNESS = ("unchecked", "coercing", "strict")


def strictness_rank(row: Row) -> int:
    """Strictness of a case: 2 checks every type, 1 converts if it can, 0 checks nothing or is unknown."""
    checks = WorkClass.parse(row.work_class).checks
    return STRICTNESS.index(checks) if checks in STRICTNESS else 0


def pareto_front(rows: Sequence[Row]) -> list[Row]:
    """The measured rows, by time, to which no other is at least equal in speed, size and strictness.

    Rows that lose something, or end in a format's own objects, are left out unless all rows are of that kind.
    """
    front: list[Row] = []
    best: list[tuple[float, int]] = []  # (size, strictness) of faster rows
    for row in sorted(weighed(rows), key=lambda row: (row.time_ns or 0, row.size_bytes or 0, -strictness_rank(row))):
        if not any(size <= (row.size_bytes or 0) and strict >= strictness_rank(row) for size, strict in best):
            front.append(row)
            best.append((row.size_bytes or 0, strictness_rank(row)))
    return front


def weighed(rows: Sequence[Row]) -> list[Row]:
    """The rows that are compared with each other: see `why_incomparable`; all rows if each has such a reason."""
    able = [row for row in rows if row.time_ns is not None and row.size_bytes is not None]
    return [row for row in able if not why_incomparable(row)] or able


MOST_LINES = 14


@dataclass(frozen=True)
class DepthLimit:
    """The deepest level at which a library worked, and the first beyond it that failed, with the reason.

    `row` is one of the library's rows, with the version, Python and environment that it was measured in.
    """

    row: Row
    deepest: int | None
    failed_at: int | None = None
    reason: str = ""


def depth_limits(rows: Iterable[Row]) -> list[DepthLimit]:
    """For each library and version the depths that it has reached, the deepest first.

    A limit is a failure, not a type that the library supports at no depth; a library that was tried at one depth
    and worked there is left out.
    """
    table = list(rows)
    several = differing_facts(table)
    shown: dict[Any, Row] = {}
    worked: dict[Any, set[int]] = {}
    failed: dict[Any, dict[int, str]] = {}
    for row in table:
        which = (row.library, *(getattr(row, name) for name in sorted(several[row.library])))
        if row.measured:
            worked.setdefault(which, set()).add(row.depth)
        elif row.status in ("failed", "crashed", "timeout", "memory"):
            failed.setdefault(which, {}).setdefault(row.depth, f"{row.status}: {row.reason}")
        shown.setdefault(which, row)
    limits = []
    for which in dict.fromkeys([*worked, *failed]):
        if len(worked.get(which, ())) == 1 and which not in failed:
            continue
        deepest = max(worked.get(which, ()), default=None)
        beyond = {d: why for d, why in failed.get(which, {}).items() if deepest is None or d > deepest}
        first = min(beyond, default=None)
        limits.append(DepthLimit(shown[which], deepest, first, "" if first is None else beyond[first]))
    return sorted(
        limits,
        key=lambda limit: (-(limit.deepest or 0), limit.failed_at or 0, limit.row.library, limit.row.version or ""),
    )


def series(rows: Sequence[Row], records: int, depth: int) -> dict[CaseFields, list[Row]]:
    """The measured rows of each case, the fastest case at the point first; floors of frameworks are none."""
    measured = grouped((row for row in rows if row.time_per_record_ns is not None and row.codec != FLOOR), case_of)

    def speed(key: CaseFields) -> float:
        here = [r for r in measured[key] if (r.records, r.depth) == (records, depth)] or measured[key]
        return min(row.time_per_record_ns or 0 for row in here)

    order = sorted(measured, key=speed)
    if len(order) > MOST_LINES:
        fastest: dict[CaseFields, CaseFields] = {}
        for key in sorted(order, key=lambda key: -len(measured[key])):  # one that is known at more points tells more
            fastest.setdefault(key[:1] + key[2:4], key)
        order = sorted(fastest.values(), key=speed)[:MOST_LINES]
    return {key: measured[key] for key in order}


def along(rows: Iterable[Row], axis: str, other: int) -> list[Row]:
    """The rows along "records" at depth `other`, or along "depth" with `other` records."""
    fixed = {"records": "depth", "depth": "records"}[axis]
    return sorted((row for row in rows if getattr(row, fixed) == other), key=attrgetter(axis))


def distance(point: tuple[int, int], records: int, depth: int) -> float:
    """The distance between two points; a factor in depth counts more than the same factor in records."""
    return abs(log(point[0] / max(records, 1))) + 3 * abs(log(point[1] / max(depth, 1)))


CHANGE = 1.1
"""The factor in requests per second that matters: more than 10%."""


@dataclass(frozen=True)
class Choice:
    """The fastest and the slowest endpoint of a framework that do the same work, for one document.

    Attributes:
        factor: how many times as many requests per second the fastest answers, with its 95% interval.
    """

    fastest: Row
    slowest: Row
    factor: Relation
    least: float = 0.0

    @property
    def matters(self) -> bool:
        """True if a change of more than 10%, and more than noise, is proven."""
        return (self.factor.low or 0.0) > CHANGE and self.factor.ratio > 1 + self.least


def choices(rows: Iterable[Row], least: float = 0.0) -> list[list[Choice]]:
    """What the choice of endpoint changes, for each framework and kind of work: one for each size of the body, the smallest first.

    Endpoints count whose floor was measured. There is none for a framework with one endpoint of a kind, or one size.
    Differences below `least` are noise.
    """
    endpoints = [row for row in rows if row.operation == "encode" and row.share is not None and row.size_bytes]

    def kind(row: Row) -> tuple[object, ...]:
        return row.workload, row.seed, row.conditions, row.library, row.environment, row.work_class

    found = []
    for members in grouped(endpoints, kind).values():
        sizes = []
        for at_size in grouped(members, lambda row: row.point).values():
            if len(at_size) > 1:
                fastest, *_, slowest = sorted(at_size, key=lambda row: row.time_ns or 0.0)
                sizes.append(Choice(fastest, slowest, relation(slowest, fastest), least))
        if len(sizes) > 1:
            found.append(sorted(sizes, key=lambda choice: choice.fastest.size_bytes or 0))
    return found


def threshold(sizes: Sequence[Choice]) -> Choice | None:
    """The smallest size from which on the choice matters at every size; None if it does not at the largest."""
    found = None
    for choice in reversed(sizes):
        if not choice.matters:
            break
        found = choice
    return found
