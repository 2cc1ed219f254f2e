"""Seats: a library's worker process in its environment, with its cases prepared, and replaced after a fault."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from time import thread_time_ns
from typing import Any, NamedTuple, TypeVar

from serbench.cases import Case
from serbench.engine.plan import Block, Plan
from serbench.engine.process import Fault, Process, Watchdog
from serbench.engine.results import Cell, Point
from serbench.environments import Environment

HEAVY_BYTES = 64 << 20
SIZING_NS = 500_000


CHANCES = 2  # how often a case whose process was killed is begun again, before it is the case's own doing
T = TypeVar("T")


class Killed(Exception):
    """A process was killed or stopped from outside: whatever it was part of is to be begun again."""


def begun_again(work: Callable[[], T]) -> T:
    """The work's result, begun again whenever a process was lost that was not its case's doing."""
    while True:
        with suppress(Killed):  # it is not raised for ever: each case has `CHANCES`
            return work()


@dataclass(eq=False)
class Member:
    """A case in a seat, with its cells by operation and what they have shown so far.

    `each_ns` is the time of one call as calibrated, `double` the hidden duplicate (or, of that, the
    original), `lost` the fields that did not come back as they were and what they lost, `wrong` the
    files of the documents that it refuses, and `logs` holds, per operation and wave, the median over rounds of log(t / t_reference). `killed` counts the processes
    that were lost in a row while they worked for it.
    """

    case: Case
    cells: dict[str, Cell]
    control: bool = False
    each_ns: dict[str, float] = field(default_factory=dict)
    double: Member | None = None
    lost: dict[str, str] = field(default_factory=dict)
    killed: int = 0
    wrong: dict[str, Any] = field(default_factory=dict)
    logs: dict[str, dict[int, float]] = field(init=False)

    def __post_init__(self) -> None:
        self.logs = {operation: {} for operation in self.cells}

    @cached_property
    def key(self) -> str:
        """Its name in the worker."""
        return self.case.module_name

    @property
    def alive(self) -> bool:
        """Whether nothing has gone wrong with it."""
        for cell in self.cells.values():  # noqa: SIM110 (it is asked before each batch, and `all` takes thrice as long)
            if cell.status not in ("ok", "unresolved"):
                return False
        return True

    def fail(self, fault: Fault) -> None:
        """Mark all its cells: what a case cannot do in one operation it has not done."""
        for cell in self.cells.values():
            cell.status, cell.reason = fault.status, fault.reason


def fit_to_refer(members: Sequence[Member], operation: str) -> list[Member]:
    """Those that others are to be compared with: what keeps the data, and ends in a user's own objects or plain values.

    What reads bytes where they lie decodes in no time, and every ratio to it would be huge and say nothing. Where
    there is nothing else, all of them.
    """

    def fit(member: Member) -> bool:
        kept, lossy, _ = (member.cells[operation].work_class or "").partition(", lossy")  # what follows names fields
        return not lossy and not kept.startswith("generated")

    return list(filter(fit, members)) or list(members)


def cell_of(id_: int, point: Point, case: Case, operation: str, *, control: bool = False) -> Cell:
    """A case's cell, before anything is known of it."""
    return Cell(
        id=id_,
        point=point,
        library=case.library.name,
        variant=case.variant,
        codec=case.codec.name,
        format=case.codec.format,
        operation=operation,
        environment=case.environment.name,
        version=case.environment.installed(next(iter(case.library.distributions), None)),
        python=case.environment.runs_on if case.environment.reason is None else None,
        control=control,
        source_sha256=case.source_sha256 if case.source else None,
    )


class Workshop:
    """Where the workers of one block get their files, and where they are started.

    Writes the neutral values and every rendered module below `scratch` once; processes only read them.
    `proven` holds the bytes (their hash) that were read and found right, each with its codec.
    """

    def __init__(self, plan: Plan, block: Block, scratch: Path, watchdog: Watchdog) -> None:
        self.plan, self.block, self.scratch, self.watchdog = plan, block, scratch, watchdog
        self.spec = block.dataset.schema.as_data()
        self.values = scratch / "values.pickle"
        self.values.write_bytes(pickle.dumps(block.dataset.value, protocol=4))
        for case in block.cases:
            if case.source:
                if self.path(case).exists():
                    raise ValueError(f"two cases share the module name {case.module_name}")
                self.path(case).write_text(case.source, encoding="utf-8")
                if case.writer:
                    self.writer(case).write_text(case.writer.source, encoding="utf-8")
        self.closing = False
        self._open: set[Process] = set()
        self.proven: set[tuple[Hashable, ...]] = set()
        self._sizes: dict[bytes, Sizes] = {}

    def path(self, case: Case) -> Path:
        """The file of a case's module."""
        return self.scratch / f"{case.module_name}.py"

    def writer(self, case: Case) -> Path:
        """The file of the module that writes the bytes which a case only reads."""
        return self.scratch / f"writer_of_{case.module_name}.py"

    @property
    def heavy(self) -> bool:
        """Whether the data is so large that a process holds one case's objects at a time."""
        return self.values.stat().st_size * 8 > HEAVY_BYTES

    def open(self, environment: Environment) -> Process:
        """A started worker that has read the neutral values."""
        if self.closing:
            raise KeyboardInterrupt
        plan = self.plan
        process = Process(environment.python, self.watchdog, self.scratch, plan.time_limit_s, plan.memory_limit_bytes)
        self._open.add(process)
        process.start(collects=plan.gc == "on")
        process.ask("add_data", name="values", spec=self.spec, values=str(self.values))
        return process

    def close(self, process: Process) -> None:
        """End a worker."""
        self._open.discard(process)
        process.close()

    def close_all(self) -> None:
        """End every worker, and open none any more."""
        self.closing = True
        for process in list(self._open):
            self.close(process)

    def sizes(self, blob: bytes) -> Sizes:
        """The bytes' size raw, with gzip (level 6) and with zstd (level 3), and what each way costs."""
        key = hashlib.sha256(blob).digest()
        if key not in self._sizes:
            import zstandard

            compressor, decompressor = zstandard.ZstdCompressor(level=3), zstandard.ZstdDecompressor()
            gzipped, gzip_ns = _timed(lambda: gzip.compress(blob, 6, mtime=0))
            packed, zstd_ns = _timed(lambda: compressor.compress(blob))
            _, gunzip_ns = _timed(lambda: gzip.decompress(gzipped))
            _, unzstd_ns = _timed(lambda: decompressor.decompress(packed))
            self._sizes[key] = Sizes(len(blob), len(gzipped), len(packed), gzip_ns, gunzip_ns, zstd_ns, unzstd_ns)
        return self._sizes[key]


class Sizes(NamedTuple):
    """Sizes of one encoded document in bytes, and the CPU time of compressing and decompressing it once in ns."""

    size_bytes: int
    size_gzip_bytes: int
    size_zstd_bytes: int
    gzip_ns: int
    gunzip_ns: int
    zstd_ns: int
    unzstd_ns: int


def _timed(work: Callable[[], bytes]) -> tuple[bytes, int]:
    """What the work gives, and the median of five of its times; of fewer where it takes long."""
    times: list[int] = []
    while len(times) < 5 and sum(times) < 50_000_000:
        began = thread_time_ns()
        result = work()
        times.append(thread_time_ns() - began)
    return result, round(median(times))


class Seat:
    """One library's place at the table: a worker process for a wave, replaced when it is lost."""

    def __init__(self, workshop: Workshop, members: list[Member]) -> None:
        self.workshop, self.members = workshop, members
        self.prepared: set[Member] = set()
        self.warm: set[tuple[Member, str]] = set()
        self._process: Process | None = None
        self._core: int | None = None

    @property
    def process(self) -> Process:
        """The worker, started if there is none."""
        if self._process is None:
            self._process = self.workshop.open(self.members[0].case.environment)
            if self._core is not None:
                self._process.pin(self._core)
        return self._process

    def ask(self, member: Member, do: str, **arguments: Any) -> dict[str, Any] | None:
        """Ask about a member's case; None, and the member marked, where that went wrong.

        Raises:
            Killed: its process was lost, and that may have been nothing of the case's doing.
        """
        try:
            return self.process.ask(do, case=member.key, **arguments)
        except Fault as fault:
            if self.workshop.closing:  # its end is ours, and none of the case's doing
                raise KeyboardInterrupt from None
            if fault.fatal:
                self.leave()
            self.forgive(member, fault)
            member.fail(fault)
            return None

    def forgive(self, member: Member, fault: Fault) -> None:
        """Give a member another chance where somebody else may have ended its process.

        Raises:
            Killed: it has a chance left.
        """
        if fault.foreign and member.killed < CHANCES:
            member.killed += 1
            raise Killed

    def prepare(self, members: Iterable[Member]) -> None:
        """Have the living ones of these ready for measuring, out of the garbage collector's sight."""
        fresh: Member | None = None
        for member in members:
            if member.alive and member not in self.prepared:
                path = str(self.workshop.path(member.case))
                writer = str(self.workshop.writer(member.case)) if member.case.writer else None
                asked = self.ask(member, "prepare", module=member.key, path=path, data="values", writer=writer)
                if asked is not None and (not member.wrong or self.ask(member, "wrong", **member.wrong) is not None):
                    self.prepared.add(member)
                    fresh = member
        if fresh is not None:
            self.ask(fresh, "freeze")  # if collecting its garbage is fatal, it is the one to blame

    def warm_up(self, member: Member, operation: str, loops: int) -> bool:
        """Let an interpreter with a JIT do its work first, once a process; False where the case failed."""
        if not member.case.environment.has_jit or (member, operation) in self.warm:
            return True
        reply = self.ask(member, "warm_up", operation=operation, loops=loops)
        if reply is None:
            return False
        self.warm.add((member, operation))
        cell = member.cells[operation]
        cell.warmup_ns = max(cell.warmup_ns or 0, reply["warmup_ns"])
        return True

    def release(self, member: Member) -> None:
        """Let go of a member's objects."""
        if member in self.prepared:
            self.prepared.discard(member)
            self.warm = {(warm, operation) for warm, operation in self.warm if warm is not member}
            with suppress(Killed):
                self.ask(member, "drop")

    def pin(self, core: int | None) -> None:
        """Keep the worker on one core."""
        self._core = core
        if core is not None and self._process is not None:
            self._process.pin(core)

    def leave(self) -> None:
        """End the worker; the next question starts another."""
        self.prepared.clear()
        self.warm.clear()
        if self._process is not None:
            self.workshop.close(self._process)
            self._process = None
