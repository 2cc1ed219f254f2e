"""Subjects: what the engine times, each in a worker session. A block's cases become subjects with files."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean, median, pstdev
from time import thread_time_ns
from typing import Any, NamedTuple, TypeVar

from serbench.judge.outcomes import WorkClass
from serbench.measure.plan import Block, Plan, operations_of
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession, write_module, write_values
from serbench.measure.stream import Conditions, Stream, names_in
from serbench.model.fidelity import slim
from serbench.render.case import Case
from serbench.render.environments import Environment
from serbench.render.framework import Framework, OwnApp
from serbench.render.left_out import LeftOut
from serbench.results import FLOOR, Cell, Point, grouped

HEAVY_BYTES = 64 << 20
COMPRESSED = 16  # documents of a stream that are compressed for their sizes
CHANCES = 2  # how often a subject whose process was killed is tried again, before it is the subject's own doing
T = TypeVar("T")


class Killed(Exception):
    """A process was killed or stopped from outside: whatever it was part of is to be tried again."""


def retry_if_killed(work: Callable[[], T]) -> T:
    """Do some work; repeat it whenever a process was lost by no fault of its subject."""
    while True:
        with suppress(Killed):  # it is not raised for ever: each subject has `CHANCES`
            return work()


class Data(NamedTuple):
    """Neutral values that a worker reads: their name, the schema as data, the file, and perhaps a stream of documents."""

    name: str
    spec: Any
    values: Path
    documents: Mapping[str, Any] | None = None


@dataclass(eq=False, kw_only=True)
class Subject:
    """A module in a session whose functions are timed: a case, or a function of any kind.

    Attributes:
        key: its name in the worker; others may share its session.
        cells: its cells by operation.
        module, data: the arguments by which the worker prepares it.
        each_ns: operation → the time of one call as calibrated.
        killed: how many processes were lost in a row while they worked for it.
        failed: something has gone wrong with it.
    """

    key: str
    session: WorkerSession
    cells: dict[str, Cell]
    module: Mapping[str, str | None]
    data: Data
    each_ns: dict[str, float] = field(default_factory=dict)
    killed: int = 0
    failed: bool = False

    @property
    def requested(self) -> bool:
        """True if a call of it is a request to an app."""
        return False

    @property
    def alive(self) -> bool:
        """True as long as nothing has gone wrong with it."""
        if self.failed:
            return False
        for cell in self.cells.values():  # noqa: SIM110 (it is asked before each batch, and `all` takes thrice as long)
            if cell.status not in ("ok", "unresolved"):
                return False
        return True

    @property
    def prepared(self) -> bool:
        """True if the present process of its session has it."""
        return self.key in self.session.known

    def cell(self, operation: str) -> Cell:
        """Return the cell of an operation that it can do."""
        return self.cells[operation]

    def calls(self, operation: str) -> int:
        """Return how many calls a batch of an operation makes."""
        return self.cell(operation).loops

    def fail(self, fault: Fault) -> None:
        """Mark it and all its cells as failed: a case that fails in one operation has failed."""
        self.failed = True
        for cell in self.cells.values():
            cell.status, cell.reason = fault.status, fault.reason

    def ask(self, do: str, **arguments: Any) -> dict[str, Any] | None:
        """Ask its worker about it; None, and its cells marked, if that went wrong.

        Raises:
            Killed: its process was lost, perhaps by no fault of its own.
        """
        try:
            return self.session.ask(do, case=self.key, **arguments)
        except Fault as fault:
            self.forgive(fault)
            self.fail(fault)
            return None

    def forgive(self, fault: Fault) -> None:
        """Give it another chance if somebody else may have ended its process.

        Raises:
            Killed: it has a chance left.
        """
        if fault.retryable and self.killed < CHANCES:
            self.killed += 1
            raise Killed

    def prepare(self) -> bool:
        """Have its worker make it ready, unless it is, or has failed; True if that was done now."""
        if self.prepared or not self.alive:
            return False
        try:
            self.load()
        except Fault as fault:
            self.forgive(fault)
            self.fail(fault)
            return False
        self.session.known.add(self.key)
        return True

    def load(self) -> None:
        """Have its worker import it and make its inputs."""
        self.session.add_data(*self.data)
        self.session.ask("prepare", case=self.key, data=self.data.name, **self.module)

    def warm_up(self, operation: str, loops: int) -> bool:
        """Let an interpreter with a JIT compile an operation, once per process; False if that failed."""
        if not self.session.environment.has_jit or (self.key, operation) in self.session.known:
            return True
        reply = self.ask("warm_up", operation=operation, loops=loops)
        if reply is None:
            return False
        self.session.known.add((self.key, operation))
        cell = self.cell(operation)
        cell.warmup_ns = max(cell.warmup_ns or 0, reply["warmup_ns"])
        return True

    def release(self) -> None:
        """Let go of its objects."""
        if self.prepared:
            self.session.known -= {self.key, *((self.key, operation) for operation in self.cells)}
            with suppress(Killed):
                self.ask("drop")


@dataclass(eq=False, kw_only=True)
class TimedCase(Subject):
    """A case as a subject.

    Attributes:
        control: it is a hidden duplicate.
        double: its hidden duplicate or, of that, the original.
        merged: its cells by operation whose very same code is measured as another case's.
        lost: fields that did not come back as they were → what they lost.
        left_out: what its documents leave out.
        reads_all: it reads all fields that documents have.
        wrong: the files of the documents that it refuses.
        written: the hash of the bytes that it writes, or that are written for it.
    """

    case: Case
    control: bool = False
    double: TimedCase | None = None
    merged: dict[str, Cell] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    reads_all: bool = True
    wrong: dict[str, Any] = field(default_factory=dict)
    written: bytes = b""

    @property
    def requested(self) -> bool:
        """True if the case is an endpoint."""
        return isinstance(self.case.library, Framework | OwnApp)

    @property
    def measurable(self) -> bool:
        """True as long as nothing has gone wrong with it or, for a hidden duplicate, with the original."""
        return self.alive and not (self.control and self.double is not None and not self.double.alive)

    def can(self, operation: str) -> bool:
        """Return whether it has an operation, even if that is measured as another case's."""
        return operation in self.cells or operation in self.merged

    def cell(self, operation: str) -> Cell:
        """Return the cell of an operation that it can do."""
        return self.cells[operation] if operation in self.cells else self.merged[operation]

    def fail(self, fault: Fault) -> None:
        """Mark it as any subject, and its cells that were to show what is measured of another case."""
        super().fail(fault)
        for cell in self.merged.values():
            cell.status, cell.reason, cell.same_as = fault.status, fault.reason, None

    def calls(self, operation: str) -> int:
        """Return how many calls a batch makes: those that are counted, times what the case plants."""
        return round(super().calls(operation) * self.case.calls)

    def fail_beforehand(self) -> bool:
        """Mark all its cells if it is not there or cannot be rendered; True if so."""
        if reason := self.case.absent or self.case.reason:
            self.fail(Fault("unavailable" if self.case.absent else "unsupported", reason, fatal=False))
        return reason is not None

    def prepare(self) -> bool:
        """Prepare it as any subject, with its wrong documents."""
        if not super().prepare():
            return False
        if self.wrong and self.ask("wrong", **self.wrong) is None:
            self.session.known.discard(self.key)
            return False
        return True


def prepare(subjects: Iterable[Subject]) -> None:
    """Have the living ones of these ready for timing, out of the garbage collector's sight.

    A subject that ends the process takes those that were ready with it, so they are made ready again.
    """
    for members in grouped(subjects, lambda subject: subject.session).values():
        while lacking := [subject for subject in members if subject.alive and not subject.prepared]:
            for subject in lacking:
                subject.prepare()
            ready = [subject for subject in lacking if subject.prepared]
            if ready:
                ready[-1].ask("freeze")  # if collecting its garbage is fatal, it is the one to blame


def reference_candidates(cases: Sequence[TimedCase], operation: str) -> list[TimedCase]:
    """Those that others may be compared with; if there are none, all of them."""
    return [timed for timed in cases if may_be_reference(timed, operation)] or list(cases)


def may_be_reference(timed: TimedCase, operation: str) -> bool:
    """Whether others may be compared with it: it keeps and writes all data, and ends in a user's objects or plain values.

    Objects that read their bytes lazily decode in no time, and every ratio to them would be huge and say nothing.
    """
    holder, _, left_out, lossy = WorkClass.parse(timed.cells[operation].work_class)
    return not lossy and not left_out and not holder.startswith("generated") and timed.case.codec.name != FLOOR


def missing_step(case: Case, operation: str) -> str:
    """The reason why a case does not have an operation."""
    return case.cannot.get(operation, f"it has no separate {operation} step")


def cell_of(id_: int, point: Point, case: Case, operation: str, *, control: bool = False) -> Cell:
    """A case's cell, before anything is known of it."""
    return Cell(
        **vars(point),
        id=id_,
        library=case.library.name,
        variant=case.variant,
        codec=case.codec.name,
        format=case.codec.format,
        environment=case.environment.name,
        version=None
        if isinstance(case.library, OwnApp)
        else case.environment.installed(next(iter(case.library.distributions), None)),
        python=case.environment.runs_on if case.environment.reason is None else None,
        operation=operation,
        control=control,
        source_sha256=case.source_sha256 if case.source else None,
    )


DocumentKey = tuple[int, bytes]
"""The number of a document in the stream, and the hash of its bytes."""


class BlockFiles:
    """The files of one block that its workers read, written once below `scratch`: neutral values and rendered modules.

    `operations` are those that the block is measured with; `stream` the documents that calls get in turn, or None if all
    get the same one; `proven` has for each codec the bytes that were read and found right, with what they leave out, if
    that is anything.
    """

    def __init__(self, plan: Plan, block: Block, scratch: Path, watchdog: Watchdog) -> None:
        self.plan, self.block, self.scratch, self.watchdog = plan, block, scratch, watchdog
        self.operations = operations_of(plan, block.dataset)
        values = write_values(scratch / "values.pickle", block.dataset.value)
        conditions = Conditions.parse(block.point.conditions)
        hot = conditions == Conditions()
        data, path = block.dataset, scratch / "documents.pickle"
        more = {} if data.enough is None else {"enough": data.enough}
        names = names_in(data.written or data.schema)
        schema = data.spec.get("written", data.spec)
        in_tuples = partial(slim, schema, schema["root"])
        self.stream = None if hot else Stream(data.stream(), conditions, path, names, slim=in_tuples, **more)
        documents = None if self.stream is None else self.stream.request
        to_read = None
        if data.reads is not None:
            positions = [0] if self.stream is None else self.stream.positions
            to_read = write_values(
                scratch / "to_read.pickle", [pickle.dumps(data.reads(n), protocol=4) for n in positions]
            )
        self.data = Data("values", data.spec, values, documents)
        self.modules: dict[str, dict[str, str | None]] = {}
        for case in block.cases:
            if case.source:
                if case.module_name in self.modules:
                    raise ValueError(f"two combinations share the module name {case.module_name}")
                self.modules[case.module_name] = dict(write_module(case, scratch, case.module_name, to_read))
        self.proven: dict[tuple[Hashable, ...], dict[DocumentKey, LeftOut | None]] = {}
        self._packed: dict[bytes, dict[str, int]] = {}

    @property
    def heavy(self) -> bool:
        """True if the data is so large that a process holds one case's objects at a time."""
        return self.data.values.stat().st_size * 8 > HEAVY_BYTES

    def session(self, environment: Environment, **options: Any) -> WorkerSession:
        """A session within the plan's limits."""
        plan = self.plan
        limits = RequestLimits(plan.time_limit_s, plan.memory_limit_bytes, plan.time_limit_s)
        return WorkerSession(environment, self.watchdog, self.scratch, limits, collects=plan.gc == "on", **options)

    def timed(self, case: Case, cells: dict[str, Cell], session: WorkerSession, **facts: Any) -> TimedCase:
        """A case of the block as a subject."""
        module = self.modules.get(case.module_name, {}) if case.source else {}
        return TimedCase(
            key=case.module_name, session=session, cells=cells, module=module, data=self.data, case=case, **facts
        )

    @property
    def written(self) -> Any:
        """The schema of the documents, as `data.spec` is that of what is read of them."""
        return self.data.spec.get("written", self.data.spec)

    @property
    def documents(self) -> list[Any]:
        """The neutral values of all documents."""
        return [self.block.dataset.value] if self.stream is None else self.stream.documents

    def weigh(self, blobs: Sequence[bytes]) -> dict[str, int]:
        """The sizes of a case's documents and the time to compress them, by the names in `SIZES`; some are compressed for all."""
        lengths = [len(blob) for blob in blobs]
        some = list(map(self._compressed, blobs[:: max(1, len(blobs) // COMPRESSED)]))
        means = {name: round(mean(each[name] for each in some)) for name in some[0]}
        return {"size_bytes": round(mean(lengths)), "size_spread_bytes": round(pstdev(lengths)), **means}

    def _compressed(self, blob: bytes) -> dict[str, int]:
        """A document's sizes in bytes with gzip (level 6) and zstd (level 3), and the CPU time each way in ns."""
        key = hashlib.sha256(blob).digest()
        if key not in self._packed:
            from serbench.machine.zstd import zstd

            measured: dict[str, int] = {}
            for name, pack, inverse, unpack in (
                ("gzip", partial(gzip.compress, compresslevel=6, mtime=0), "gunzip", gzip.decompress),
                ("zstd", partial(zstd.compress, level=3), "unzstd", zstd.decompress),
            ):
                packed, measured[f"{name}_ns"] = _timed(pack, blob)
                measured[f"size_{name}_bytes"] = len(packed)
                _, measured[f"{inverse}_ns"] = _timed(unpack, packed)
            self._packed[key] = measured
        return self._packed[key]


def _timed(work: Callable[[bytes], bytes], blob: bytes) -> tuple[bytes, int]:
    """The work's result, and the median of five of its times; of fewer if it takes long."""
    times: list[int] = []
    while len(times) < 5 and sum(times) < 50_000_000:
        began = thread_time_ns()
        result = work(blob)
        times.append(thread_time_ns() - began)
    return result, round(median(times))
