"""What the engine hands on: cells, the things that are measured, and the samples measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Status = Literal["ok", "unresolved", "failed", "crashed", "timeout", "memory", "unavailable", "unsupported"]
OPERATIONS = (
    "encode",
    "decode",
    "read",
    "build",
    "frame",
    "dump",
    "load",
    "dumps",
    "loads",
    "reject",
    "reject_first",
)


@dataclass(frozen=True)
class Finding:
    """What became of one probe: the outcome, how or why, and what was written.

    `names` says whether a refusal names every field that is wrong; `declared` is what serbench says beforehand that
    this case lacks.
    """

    outcome: str
    detail: str | None = None
    written: str | None = None
    names: bool | None = None
    declared: str | None = None


@dataclass(frozen=True)
class Reading:
    """What one codec made of one file: "accepted", "refused" or the status of a process that ended.

    `expected` is "accepted", "refused" or "either", by the file's name; `detail` the value, or what was said.
    """

    codec: str
    file: str
    expected: str
    outcome: str
    detail: str


@dataclass(frozen=True)
class Limit:
    """How much of something a case carries: the most that it did, and what became of more; None where it cannot be tried.

    `far` is what became of far more, where that is another matter: what refuses 400 levels may die of 20,000.
    """

    most: int | None
    outcome: str
    detail: str
    far: str = ""


@dataclass(frozen=True)
class Behaviour:
    """What one case really does: the outcome of every probe by its name, and the work class that follows.

    `reason` says why nothing could be tried. The outcomes of `fidelity` are "exact", "changed" or "refused", those of
    `strictness` "rejected", "coerced", "let through", "default", "ignored" or "unprobed"; of both also "crashed",
    "timeout" and "memory", and "unsupported" where the case cannot be rendered. `date` (ISO 8601 in UTC), `machine` in a
    line and `versions` of the case's distributions say what it holds for.
    """

    library: str
    variant: str
    version: str | None
    environment: str
    python: str | None
    codec: str
    format: str
    work_class: str | None = None
    reason: str | None = None
    fidelity: Mapping[str, Finding] = field(default_factory=dict)
    strictness: Mapping[str, Finding] = field(default_factory=dict)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    date: str = ""
    machine: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def case(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, format and codec: cases stand in the order of these."""
        return (self.library, self.variant, self.environment, self.format, self.codec)


@dataclass(frozen=True)
class Point:
    """Where in the space of data a cell stands: the workload and its parameters."""

    workload: str
    records: int
    depth: int
    seed: int


@dataclass
class Cell:
    """One case × operation × workload point of a run: a row of the result table.

    Its identity never changes; `status` and what follows are filled in as the run learns them.
    `control` marks a hidden duplicate: the same case under a second process, for the A/A error.
    `reference` marks the one cell of its point and operation that every other is compared with in
    time: it is visited together with each of them. `machine` names which of several has measured it.
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
    size_bytes: int | None = None
    size_gzip_bytes: int | None = None
    size_zstd_bytes: int | None = None
    source_sha256: str | None = None
    warmup_ns: int | None = None
    gzip_ns: int | None = None
    gunzip_ns: int | None = None
    zstd_ns: int | None = None
    unzstd_ns: int | None = None
    machine: str | None = None

    @property
    def case(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, codec and format."""
        return (self.library, self.variant, self.environment, self.codec, self.format)


class Sample(NamedTuple):
    """One timed batch of `Cell.loops` calls. Times are of the whole batch, in nanoseconds.

    A *visit* is one group of cells measured round by round with the reference; the reference's
    samples of the same wave, visit and round are what a sample is divided by.
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
class Weight:
    """A quantity of a case that is no time of an operation, as several fresh processes gave it.

    `readings` has a number for each process, in the quantity's `unit`: "bytes", "ns" of CPU time, "×" for a
    ratio, "" for a count. Where there is none, `status` and `reason` say why.
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
