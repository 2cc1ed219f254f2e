"""The values that the rooms give to one another: cells, samples, points and where they come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Status = Literal["ok", "unresolved", "failed", "crashed", "timeout", "memory", "unavailable", "unsupported"]
OPERATIONS = ("encode", "decode", "read", "build", "frame", "dump", "load", "dumps", "loads", "reject", "reject_first")
WRITES = ("encode", "dump", "dumps")
DIRECTIONS = {"reads": tuple(name for name in OPERATIONS if name not in WRITES), "writes": WRITES}
"""What a user's class that reads another document than it writes does with one of the two → its operations."""

CALL = "call"
"""What is timed of a function that is no case's operation."""

ABSENT, DEFAULTS = "absent left out", "defaults left out"
"""The words of a work class for documents that lack keys: those that would be null, or those that have their default."""

REFUSED, KEPT, DROPPED = UNKNOWN_KEYS = ("refused", "kept", "dropped")
"""What may become of a key that no field has."""
UNKNOWN_KEY_PROBE = "structure: unknown key"
"""The probe of strictness that tells which."""


class WorkClass(NamedTuple):
    """The parts of a work class such as "objects, strict, absent left out, lossy (at: offset)"; empty if it has none.

    `holder` is "objects", "generated objects", "dicts" or "builtins", `checks` how input is checked, `left_out` what
    documents leave out, and `lossy` the fields that lose something.
    """

    holder: str
    checks: str
    left_out: str
    lossy: str

    @classmethod
    def parse(cls, text: str | None) -> WorkClass:
        """The parts of a work class; all are empty if it is not known."""
        kept, comma, lost = (text or "").partition(", lossy")
        kept, _, left_out = re.sub(r", ((?:absent|defaults) left out)", r"\n\1", kept).partition("\n")
        holder, _, checks = kept.partition(", ")
        return cls(holder, checks, left_out, f"lossy{lost}" if comma else "")


@dataclass(frozen=True)
class Point:
    """A workload, its parameters, and the conditions under which it is measured."""

    workload: str
    records: int
    depth: int
    seed: int
    conditions: str = "hot"


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Key → the items that have it, in their order."""
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


@dataclass(frozen=True)
class Sizes:
    """The length of a case's encoded document in bytes; means if there are several documents.

    It is compressed with gzip (level 6) and zstd (level 3); the spread is the standard deviation of the raw length.
    """

    size_bytes: int | None = None
    size_gzip_bytes: int | None = None
    size_zstd_bytes: int | None = None
    size_spread_bytes: int | None = None


@dataclass(frozen=True)
class Compression:
    """The CPU time in ns to compress and decompress a case's document once; means if there are several."""

    gzip_ns: int | None = None
    gunzip_ns: int | None = None
    zstd_ns: int | None = None
    unzstd_ns: int | None = None


_PARTS: Mapping[str, type[Point | Sizes | Compression]] = {"point": Point, "sizes": Sizes, "compression": Compression}
"""Field of a cell or weight → its class, whose fields are columns of a table of them."""


class _Of(Generic[T]):
    """A field of a part, to be read as the whole's own."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, whole: object, _: type) -> T:
        value: T = getattr(getattr(whole, self._part), self._name)
        return value

    def __set__(self, *_: object) -> None:
        raise AttributeError(f"{self._name} can only be read: replace {self._part}")


def bracketed(variant: str) -> str:
    """The variant in brackets, as "[gc=False]"; empty for "default"."""
    return "" if variant == "default" else f"[{variant}]"


class AtPoint:
    """A value that belongs to one workload point, with the point's parameters as attributes of its own."""

    point: Point
    workload = _Of[str]("point")
    records = _Of[int]("point")
    depth = _Of[int]("point")
    seed = _Of[int]("point")
    conditions = _Of[str]("point")


@dataclass
class Cell(AtPoint):
    """One case × operation × workload point of a run.

    Its identity never changes; the run fills in `status` and the fields after it. The numbers of `sizes` and
    `compression` can be read as the cell's own.

    Attributes:
        control: marks a hidden duplicate: the same case in a second process, for the A/A error.
        reference: marks the one cell of its point and operation that every other is compared with in time;
            it is visited together with each of them.
        loops: calls in one timed batch.
        source_sha256: the measured module; the store and a published run keep its text.
        warmup_ns: how long the case was warmed up at most, if its interpreter has a JIT.
        machine: names the machine that measured it, if several did.
        same_as: the `name` of the case with the same codec that was measured for it, because the operation of both is
            the very same code.
        takes_part: whether the operation's code uses the library at all; if not, it is not ranked.
    """

    id: int
    point: Point
    library: str
    variant: str
    codec: str
    format: str
    operation: str
    environment: str = "main"
    version: str | None = None
    python: str | None = None
    control: bool = False
    reference: bool = False
    status: Status = "unresolved"
    reason: str | None = None
    work_class: str | None = None
    loops: int = 0
    sizes: Sizes = Sizes()
    source_sha256: str | None = None
    warmup_ns: int | None = None
    compression: Compression = Compression()
    machine: str | None = None
    same_as: str | None = None
    takes_part: bool = True

    size_bytes = _Of[int | None]("sizes")
    size_gzip_bytes = _Of[int | None]("sizes")
    size_zstd_bytes = _Of[int | None]("sizes")
    size_spread_bytes = _Of[int | None]("sizes")
    gzip_ns = _Of[int | None]("compression")
    gunzip_ns = _Of[int | None]("compression")
    zstd_ns = _Of[int | None]("compression")
    unzstd_ns = _Of[int | None]("compression")

    @property
    def name(self) -> str:
        """Library and variant, as "msgspec[gc=False]"."""
        return f"{self.library}{bracketed(self.variant)}"

    @property
    def identity(self) -> tuple[object, ...]:
        """The facts that no other cell of a run has, but for its hidden duplicate."""
        return (self.point, self.operation, self.environment, self.codec, self.format, self.name)

    @property
    def measured_as(self) -> tuple[object, ...]:
        """The `identity` of the cell that was measured for it, which is its own if none was."""
        return (*self.identity[:-1], self.same_as or self.name)

    @property
    def case(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, codec and format."""
        return (self.library, self.variant, self.environment, self.codec, self.format)


def columns_of(shape: type[Cell | Weight]) -> tuple[str, ...]:
    """The columns of a table of such values: the point's fields, then the value's own in their order."""
    names = [[field.name] if field.name not in _PARTS else _names(field.name) for field in fields(shape)]
    return tuple(dict.fromkeys([*_names("point"), *chain(*names)]))


def _names(part: str) -> list[str]:
    return [field.name for field in fields(_PARTS[part])]


def at_point(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of such a value from its columns.

    What was stored before there were conditions was measured with one document repeated, which is `Point`'s default.

    Raises:
        TypeError: a column of the point is missing.
    """
    left = dict(facts)
    parts = {part: {name: left.pop(name) for name in _names(part) if name in left} for part in _PARTS}
    return left | {part: _PARTS[part](**known) for part, known in parts.items() if known}


class Sample(NamedTuple):
    """One timed batch of `Cell.loops` calls. Times are of the whole batch, in nanoseconds.

    A *visit* is one group of cells measured round by round with the reference; a sample is divided by the reference's
    of the same wave, visit and round.
    """

    cell: int
    wave: int
    visit: int
    round: int
    cpu_ns: int
    wall_ns: int
    process_ns: int
    switches: int


@dataclass(frozen=True)
class Origin:
    """The run or weighing that figures come from.

    Attributes:
        id: under which the store keeps the run or weighing.
        started: ISO 8601 in UTC.
        command: the command that repeats it.
        machine: facts of the machine.
        versions: distribution → version of everything measured.
    """

    id: str
    started: str
    command: str
    machine: Mapping[str, Any]
    versions: Mapping[str, Any]


@dataclass(frozen=True)
class MeasuredRun:
    """Everything that a run measured.

    `samples` is a structured array whose fields are those of `Sample`, in the same order, sorted by wave, cell,
    visit and round, or a list of `Sample`.
    """

    info: Origin
    cells: list[Cell]
    samples: Any

    @property
    def id(self) -> str:
        """The run's id, under which the store keeps it."""
        return self.info.id

    @property
    def machine(self) -> Mapping[str, Any]:
        """Facts of the machine that measured it."""
        return self.info.machine


@dataclass(frozen=True)
class Weight(AtPoint):
    """A quantity of a case other than the time of an operation, as several fresh processes gave it.

    `readings` has a number for each process, in the quantity's `unit`: "bytes", "ns" of CPU time, "×" for a
    ratio, "" for a count. If there is none, `status` and `reason` say why.
    """

    point: Point
    library: str
    variant: str
    codec: str
    format: str
    environment: str
    version: str | None
    python: str | None
    metric: str
    quantity: str
    unit: str
    readings: tuple[float, ...] = ()
    status: Status = "ok"
    reason: str | None = None
