"""The values that the rooms give to one another: cells, samples, points and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar, get_type_hints

from serbench.errors import checked

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


@cache
def flat_facts(shape: type) -> dict[str, tuple[str, str]]:
    """Fact → the field of a value of parts that has it, itself or as one of its part's, and its annotation."""
    facts: dict[str, tuple[str, str]] = {}
    hints = get_type_hints(shape)
    for one in fields(shape):
        inside = flat_facts(hints[one.name]) if is_dataclass(hints[one.name]) else {}
        facts |= {name: (one.name, annotation) for name, (_, annotation) in inside.items()}
        if not inside:
            facts[one.name] = (one.name, str(one.type))
    return facts


class OfParts:
    """A dataclass with dataclasses as fields, its parts, whose facts can be given by their own names as well."""

    @classmethod
    def of(cls, **facts: Any) -> Self:
        """The value of these facts; a part without any has its default.

        Raises:
            TypeError: a fact is unknown, or one without a default is missing.
        """
        shapes = get_type_hints(cls)
        fields_, parts = by_part(cls, facts)
        return cls(**fields_, **{part: shapes[part](**members) for part, members in parts.items()})

    def changed(self, **facts: Any) -> Self:
        """The same value with other facts, each in the part that has it.

        Raises:
            TypeError: a fact is unknown.
        """
        fields_, parts = by_part(type(self), facts)
        made = {part: replace(getattr(self, part), **members) for part, members in parts.items()}
        return replace(self, **fields_, **made)  # type: ignore[type-var]  # every subclass is a dataclass


def by_part(shape: type, facts: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The facts that are fields themselves, and by part those that are a part's."""
    known = flat_facts(shape)
    direct: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in facts.items():
        part, _ = known.get(name, (name, ""))
        (direct if part == name else parts.setdefault(part, {}))[name] = value
    return direct, parts


def checked_parts(kind: type[T], facts: Mapping[str, Any], what: str) -> T:
    """As `checked`, of a value of parts whose facts are given flat."""
    direct, parts = by_part(kind, facts)
    return checked(kind, {**direct, **parts}, what)


class FactOf(property, Generic[T]):
    """A fact of a part, to be read as the whole's own; the interpreter reads it without a call."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __set_name__(self, _: type, name: str) -> None:
        super().__init__(attrgetter(f"{self._part}.{name}"), partial(self._fill, name), doc="")

    def _fill(self, name: str, _whole: object, _value: T) -> None:
        raise AttributeError(f"{name} can only be read: replace {self._part}")

    if TYPE_CHECKING:

        def __get__(self, whole: object, _: type | None = None) -> T: ...  # type: ignore[override]  # of the class too

        def __set__(self, whole: object, value: T) -> None: ...


class FilledFactOf(FactOf[T]):
    """A fact that is filled in later: its part is replaced."""

    def _fill(self, name: str, whole: object, value: T) -> None:
        setattr(whole, self._part, replace(getattr(whole, self._part), **{name: value}))


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


class AtPoint(OfParts):
    """A value that belongs to one workload point, with the point's parameters as attributes of its own."""

    point: Point
    workload = FactOf[str]("point")
    records = FactOf[int]("point")
    depth = FactOf[int]("point")
    seed = FactOf[int]("point")
    conditions = FactOf[str]("point")


@dataclass(frozen=True)
class CaseId:
    """What identifies a case in results; `version` is the library's, `python` that of its environment."""

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


class OfCase(AtPoint):
    """A value that belongs to one case at one workload point."""

    case: CaseId
    library = FactOf[str]("case")
    variant = FactOf[str]("case")
    codec = FactOf[str]("case")
    format = FactOf[str]("case")
    environment = FactOf[str]("case")
    version = FactOf[str | None]("case")
    python = FactOf[str | None]("case")


@dataclass(frozen=True)
class Outcome:
    """What became of a cell, and why if it has no times."""

    status: Status = "unresolved"
    reason: str | None = None


@dataclass(frozen=True)
class Code:
    """What the code of a cell's operation does.

    Attributes:
        work_class: see `WorkClass`; None before the case is verified.
        source_sha256: the measured module; the store and a published run keep its text.
        same_as: the `name` of the case with the same codec that was measured for it, because the operation of both is
            the very same code.
        takes_part: whether the code uses the library at all; if not, the cell is not ranked.
    """

    work_class: str | None = None
    source_sha256: str | None = None
    same_as: str | None = None
    takes_part: bool = True


@dataclass(frozen=True)
class Timing:
    """How a cell is timed.

    Attributes:
        loops: calls in one timed batch.
        warmup_ns: how long the case was warmed up at most, if its interpreter has a JIT.
        machine: names the machine that measured it, if several did.
    """

    loops: int = 0
    warmup_ns: int | None = None
    machine: str | None = None


@dataclass
class Cell(OfCase):
    """One case × operation × workload point of a run.

    Its identity never changes; the run fills in the fields from `reference` on. What a part says can be read, and
    that of `outcome`, `code` and `timing` be written, as the cell's own.

    Attributes:
        control: marks a hidden duplicate: the same case in a second process, for the A/A error.
        reference: marks the one cell of its point and operation that every other is compared with in time;
            it is visited together with each of them.
    """

    id: int
    point: Point
    case: CaseId
    operation: str
    control: bool = False
    reference: bool = False
    outcome: Outcome = Outcome()
    code: Code = Code()
    timing: Timing = Timing()
    sizes: Sizes = Sizes()
    compression: Compression = Compression()

    status = FilledFactOf[Status]("outcome")
    reason = FilledFactOf[str | None]("outcome")
    work_class = FilledFactOf[str | None]("code")
    source_sha256 = FactOf[str | None]("code")
    same_as = FilledFactOf[str | None]("code")
    takes_part = FilledFactOf[bool]("code")
    loops = FilledFactOf[int]("timing")
    warmup_ns = FilledFactOf[int | None]("timing")
    machine = FilledFactOf[str | None]("timing")
    size_bytes = FactOf[int | None]("sizes")
    size_gzip_bytes = FactOf[int | None]("sizes")
    size_zstd_bytes = FactOf[int | None]("sizes")
    size_spread_bytes = FactOf[int | None]("sizes")
    gzip_ns = FactOf[int | None]("compression")
    gunzip_ns = FactOf[int | None]("compression")
    zstd_ns = FactOf[int | None]("compression")
    unzstd_ns = FactOf[int | None]("compression")

    @property
    def name(self) -> str:
        """Library and variant, as "msgspec[gc=False]"."""
        return self.case.name

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
