"""The values that the rooms give to one another: cells, samples, points and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Status = Literal["ok", "unresolved", "failed", "crashed", "timeout", "memory", "unavailable", "unsupported"]
OPERATIONS = ("encode", "decode", "read", "build", "frame", "dump", "load", "dumps", "loads", "reject", "reject_first")
WRITES = ("encode", "dump", "dumps")
DIRECTIONS = {"reads": tuple(name for name in OPERATIONS if name not in WRITES), "writes": WRITES}
"""What a user's class that reads another document than it writes does with one of the two → its operations."""

CALL = "call"
"""What is timed of a function that is no case's operation."""

YOURS = "yours"
"""The name of the user's class among the libraries, in front of the library that it is written with, in brackets."""
VIA = f"{YOURS} via "
"""What the name begins with if the class goes, unchanged, through another library."""
FUNCTIONS = "functions"
"""The name of the codec of functions of the user's."""
OWN_APP = "own app"
"""The work class of an app of the user's, of which only the answers are seen."""
FLOOR = "bytes"
"""The variant of a web framework, and its codec, whose endpoint returns ready bytes."""


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


def rewritten(cases: Iterable[tuple[str, str]]) -> set[str]:
    """Those of the libraries of cases, each with its codec, whose models were written anew beside the user's class.

    None, unless one of the others has this class, unchanged.
    """
    names = {library for library, codec in cases if codec != FUNCTIONS}
    return {one for one in names if not one.startswith(YOURS)} if any(one.startswith(VIA) for one in names) else set()


def without_via(library: str) -> str:
    """The library of "yours via cattrs" or "yours via cattrs (shop:Order)"; others as they are."""
    return library.removeprefix(VIA).partition(" (")[0] if library.startswith(VIA) else library


def bracketed(variant: str) -> str:
    """The variant in brackets, as "[gc=False]"; empty for "default"."""
    return "" if variant == "default" else f"[{variant}]"


@dataclass(frozen=True)
class CaseId:
    """The identity of a case in results; `version` is the library's, `python` that of its environment."""

    library: str
    variant: str
    codec: str
    format: str
    environment: str = "main"
    version: str | None = None
    python: str | None = None

    @property
    def name(self) -> str:
        """Library and variant, as "msgspec[gc=False]"."""
        return f"{self.library}{bracketed(self.variant)}"

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, codec and format: the case, whatever its versions."""
        return (self.library, self.variant, self.environment, self.codec, self.format)


@dataclass(kw_only=True)
class OfCase:
    """A value that belongs to one case at one workload point: the fields of `Point` and of `CaseId`."""

    workload: str
    records: int
    depth: int
    seed: int
    conditions: str = "hot"
    library: str
    variant: str
    codec: str
    format: str
    environment: str = "main"
    version: str | None = None
    python: str | None = None

    @property
    def point(self) -> Point:
        """The workload point."""
        return Point(self.workload, self.records, self.depth, self.seed, self.conditions)

    @property
    def case(self) -> CaseId:
        """The identity of the case."""
        case = (self.library, self.variant, self.codec, self.format)
        return CaseId(*case, self.environment, self.version, self.python)

    @property
    def name(self) -> str:
        """Library and variant, as "msgspec[gc=False]"."""
        return f"{self.library}{bracketed(self.variant)}"


@dataclass(kw_only=True)
class Cell(OfCase):
    """One case × operation × workload point of a run.

    Its identity never changes; the run fills in the other fields.

    Attributes:
        control: marks a hidden duplicate: the same case in a second process, for the A/A error.
        reference: marks the one cell of its point and operation that every other is compared with in time;
            it is visited together with each of them.
        status, reason: the outcome of the cell, and why if it has no times.
        work_class: see `WorkClass`; None before the case is verified.
        loops: calls in one timed batch.
        size_bytes, size_gzip_bytes, size_zstd_bytes: the length of the encoded document, raw and compressed with gzip
            (level 6) and zstd (level 3); means if there are several documents.
        size_spread_bytes: the standard deviation of the raw length.
        source_sha256: the measured module; the store and a published run keep its text.
        warmup_ns: how long the case was warmed up at most, if its interpreter has a JIT.
        gzip_ns, gunzip_ns, zstd_ns, unzstd_ns: CPU time to compress and decompress the document once.
        machine: names the machine that measured it, if several did.
        same_as: the `name` of the case with the same codec that was measured for it, because the operation of both is
            the very same code.
        takes_part: whether the code uses the library at all; if not, the cell is not ranked.
    """

    id: int
    operation: str
    control: bool = False
    reference: bool = False
    status: Status = "unresolved"
    reason: str | None = None
    work_class: str | None = None
    loops: int = 0
    size_bytes: int | None = None
    size_gzip_bytes: int | None = None
    size_zstd_bytes: int | None = None
    size_spread_bytes: int | None = None
    source_sha256: str | None = None
    warmup_ns: int | None = None
    gzip_ns: int | None = None
    gunzip_ns: int | None = None
    zstd_ns: int | None = None
    unzstd_ns: int | None = None
    machine: str | None = None
    same_as: str | None = None
    takes_part: bool = True

    @property
    def may_wait(self) -> bool:
        """Whether its code may sleep, read or send: functions and apps of the user's."""
        return self.operation == CALL or self.work_class == OWN_APP

    @property
    def identity(self) -> tuple[object, ...]:
        """The facts that no other cell of a run has, but for its hidden duplicate."""
        return (self.point, self.operation, self.environment, self.codec, self.format, self.name)

    @property
    def measured_as(self) -> tuple[object, ...]:
        """The `identity` of the cell that was measured for it, which is its own if none was."""
        return (*self.identity[:-1], self.same_as or self.name)


CELL_COLUMNS = (
    *("workload", "records", "depth", "seed", "conditions", "id", "library", "variant", "codec", "format", "operation"),
    *("environment", "version", "python", "control", "reference", "status", "reason", "work_class", "loops"),
    *("size_bytes", "size_gzip_bytes", "size_zstd_bytes", "size_spread_bytes", "source_sha256", "warmup_ns"),
    *("gzip_ns", "gunzip_ns", "zstd_ns", "unzstd_ns", "machine", "same_as", "takes_part"),
)
"""The order of a cell's facts in the tables of the store and of a published run."""
SIZES = (
    *("size_bytes", "size_gzip_bytes", "size_zstd_bytes", "size_spread_bytes"),
    *("gzip_ns", "gunzip_ns", "zstd_ns", "unzstd_ns"),
)
"""What is known of a cell's documents: their sizes, and the time to compress them."""


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
        id: the name of the run or weighing in the store.
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
    """All measurements of a run.

    `samples` is a structured array whose fields are those of `Sample`, in the same order, sorted by wave, cell,
    visit and round, or a list of `Sample`.
    """

    info: Origin
    cells: list[Cell]
    samples: Any

    @property
    def id(self) -> str:
        """The run's id: its name in the store."""
        return self.info.id

    @property
    def machine(self) -> Mapping[str, Any]:
        """Facts of the machine that measured it."""
        return self.info.machine
