"""Conducts a run block by block: verify, calibrate, then waves of fresh processes until every figure is precise enough."""

from __future__ import annotations

import hashlib
import math
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, partial
from itertools import count, repeat
from statistics import median
from typing import Any

from serbench.judge.outcomes import REST_IGNORED
from serbench.machine.caretaker import scratch_folder
from serbench.machine.files import write_file
from serbench.machine.platform import pinned, usable_cores
from serbench.measure.case_waves import Joined, LibraryCases, Pace, Waves
from serbench.measure.listener import Finished, Listener, Paced, Progress
from serbench.measure.plan import DEEPEST, Block, Plan, block_count
from serbench.measure.probes.blame import (
    MOST_DOCUMENTS,
    SERBENCH,
    PlainTrial,
    converting,
    plain_trial,
    scripts_folder,
    whose_form,
    whose_place,
)
from serbench.measure.probes.probing import not_kept, too_deep
from serbench.measure.probes.strictness import strictness, user_probe, work_class, written_class, wrong_documents
from serbench.measure.probes.wrong import BASICS, StrictnessTest
from serbench.measure.rounds import calibrate, size_batch, visit
from serbench.measure.session import (
    Fault,
    RequestLimits,
    Watchdog,
    WorkerSession,
    in_parallel,
    meanwhile,
    other_cores,
    scratch_session,
)
from serbench.measure.subjects import (
    BlockFiles,
    DocumentKey,
    TimedCase,
    cell_of,
    may_be_reference,
    missing_step,
    prepare,
    reference_candidates,
    retry_if_killed,
)
from serbench.measure.worker.prepared_case import TOGETHER_BYTES, read_blobs, write_blobs
from serbench.model.fidelity import apply_losses, wire_difference, wire_same
from serbench.model.records import Map, Ref, kind_of
from serbench.model.scalars import MOMENTS
from serbench.render.case import REJECTS, Case, UserFunctions, code_of, takes_part
from serbench.render.codec import Codec, format_of
from serbench.render.framework import Framework, OwnApp
from serbench.render.left_out import LeftOut
from serbench.render.library import Library
from serbench.render.user_class.conversion import TookTooLong
from serbench.render.user_class.find import load_model
from serbench.results import FLOOR, OWN_APP, VIA, YOURS, Cell

MOST_WRONG = 64  # wrong documents that are made of a stream's


def verify_case(files: BlockFiles, timed: TimedCase, operations: tuple[str, ...]) -> str | None:
    """Prepare a case, prove that it keeps the data, take its sizes and size its batches.

    Its cells get sizes, loops and versions, or a status with a reason. If it fails and its codec is known to spoil
    such data, it is not supported.

    Returns:
        The kind of its records ("objects", "dicts" or "builtins"); None if it failed.
    """
    holder = _verified(files, timed, operations)
    failed = any(cell.status == "failed" for cell in timed.cells.values())
    reasons = list(filter(None, map(timed.case.codec.spoiled, files.documents if failed else ())))
    if failed and files.block.dataset.written is not None:
        text = next(cell.reason for cell in timed.cells.values() if cell.status == "failed")
        reasons.append(f"it does not read a part of the fields that documents have: {text}")
    if reason := next(iter(reasons), None):
        timed.fail(Fault("unsupported", reason, fatal=False))
    return holder


def _verified(files: BlockFiles, timed: TimedCase, operations: tuple[str, ...]) -> str | None:
    prepare([timed])
    if not timed.alive:
        return None
    case = timed.case
    format_ = format_of(case.codec)
    steps = [name for name in operations if name in case.operations]
    losses = {kind: loss.becomes for kind, loss in case.codec.limits.loses.items()}
    stored = None if files.stream is None else files.scratch / f"blobs_of_{timed.key}"
    path = None if stored is None else str(stored)
    reply = timed.ask("verify", operations=steps, reader=format_.reader_in_worker, losses=losses, blobs=path)
    if reply is None:
        return None
    blobs = [reply["blob"]]
    if stored is not None and reply["difference"] is None:
        blobs = read_blobs(str(stored))
        files.modules[case.module_name]["blobs"] = path
    text = reply["difference"] or headers_fault(reply, case) or meaning_fault(files, timed, blobs)
    timed.lost = {name: case.codec.limits.loses[kind].what for name, kind in reply.get("lost", {}).items()}
    timed.reads_all = files.block.dataset.written is None or reply.get("everything", False)
    if text is not None:
        timed.fail(Fault("failed", text, fatal=False))
        timed.release()
        return None
    timed.written = hashlib.sha256(reply["blob"]).digest()
    _find_wrong(files, timed, blobs[:MOST_WRONG])
    sizes = files.weigh(blobs)
    for operation, cell in timed.cells.items():
        for name, size in sizes.items():
            setattr(cell, name, size)
        if not calibrate(timed, operation):
            return None
    holder: str = reply["holder"]
    return holder


def headers_fault(reply: Mapping[str, Any], case: Case) -> str | None:
    """Describe what is wrong with the headers of an endpoint's answer; None if nothing is."""
    headers, length = reply.get("headers"), str(reply.get("length", len(reply["blob"])))  # of one answer
    if headers is None:
        return None
    expected = "application/jsonl" if case.in_lines else "application/json"
    kind = headers.get("content-type", "").partition(";")[0].strip()
    if kind != expected and not (isinstance(case.library, OwnApp) and re.fullmatch(r"application/.*\+json", kind)):
        return f"the answer's content type is {headers.get('content-type')!r}, not {expected}"
    told = headers.get("content-length", length)
    return None if told == length else f"the answer's content length is {told}, and its body has {length} bytes"


def _find_wrong(files: BlockFiles, timed: TimedCase, blobs: Sequence[bytes]) -> None:
    """Give the worker a case's wrong documents; an operation that refuses none of them is not measured."""
    asked = [operation for operation in REJECTS if operation in timed.cells]
    if not asked:
        return
    schema, scratch = files.block.dataset.schema, files.scratch
    try:
        paths = {name: str(scratch / f"{name}_of_{timed.key}") for name in ("right", *asked)}
        made = [wrong_documents(timed.case, schema, blob, {name: REJECTS[name] for name in asked}) for blob in blobs]
        write_blobs(paths["right"], [right for right, _ in made])
        for name in asked:
            write_blobs(paths[name], [wrong[name] for _, wrong in made])
        documents: dict[str, Any] = {"right": paths.pop("right"), "wrong": paths}
        through = timed.session.ask("wrong", case=timed.key, **documents)["let_through"]
    except Fault as fault:
        if fault.fatal:
            timed.forgive(fault)
            prepare([timed])
        through, documents = asked, {}
        reason = f"no wrong document could be made: {fault.reason}"
    else:
        reason = "a record without one of its fields is let through"
    for name in through:
        cell = timed.cells.pop(name)
        cell.status, cell.reason = "unsupported", reason
    if set(asked) - set(through):
        timed.wrong = {
            "right": documents["right"],
            "wrong": {n: p for n, p in documents["wrong"].items() if n not in through},
        }


def meaning_fault(files: BlockFiles, timed: TimedCase, blobs: Sequence[bytes]) -> str | None:
    """Read each document's bytes with an independent reader of the format, and describe what differs; None if nothing does.

    If a reader cannot read them (each has its own limit of depth), the next one does. Many libraries
    give a codec the same bytes, which are read once.
    """
    case, all_left_out = timed.case, LeftOut()
    readers, spec = case.readers(files.written), files.written
    if (located := case.library.user_class) and not isinstance(case.library, UserFunctions):
        maps = (type_ for type_ in load_model(located).parsed.user_schema.types() if isinstance(type_, Map))
        spec = {**spec, "moments": any(kind_of(type_.key) in MOMENTS for type_ in maps)}
    kind = case.codec, case.schema_text, case.root, bool(case.library.user_class), case.may_leave_out
    known = files.proven.setdefault(kind, {})
    documents = [
        ((number, hashlib.sha256(blob).digest()), value, blob)
        for number, (value, blob) in enumerate(zip(files.documents, blobs, strict=True), 1)
    ]
    if readers and len(documents) > 1 and not case.may_leave_out:
        read, new = next(iter(readers.values())), [one for one in documents if one[0] not in known]
        known |= dict.fromkeys(_surely_right(files, case, read, new))
    for key, value, blob in documents:
        if key not in known:
            text, left_out = _difference(files, spec, value, case, readers, blob)
            if text is not None:
                if isinstance(case.library, OwnApp):
                    cure = "measure it with a fixed clock and seed, or name another request"
                    text = f"it answers one request otherwise than the next: {text}; {cure}"
                return text if len(blobs) == 1 else f"document {key[0]}: {text}"
            known[key] = left_out
        if left_out := known[key]:
            all_left_out |= left_out
    timed.left_out = all_left_out
    return None


def _surely_right(
    files: BlockFiles, case: Case, read: Callable[[bytes], Any], documents: Sequence[tuple[DocumentKey, Any, bytes]]
) -> Iterator[DocumentKey]:
    """The keys of documents whose bytes surely say the same as their values; many are compared at once."""
    spec, size = files.written, sum(len(blob) for *_, blob in documents)
    step = 1 + len(documents) * TOGETHER_BYTES // (size + 1)
    for start in range(0, len(documents), step):
        keys, values, blobs = zip(*documents[start : start + step], strict=True)
        with suppress(Exception):  # whatever a reader raises on bytes that are wrong
            parsed = list(map(read, blobs))
            parsed = list(map(_keys_as_texts, parsed)) if case.library.user_class else parsed
            if wire_same(spec, spec["root"], list(values), parsed, set()):
                yield from keys


def _difference(
    files: BlockFiles, spec: Any, value: Any, case: Case, readers: Mapping[str, Callable[[bytes], Any]], blob: bytes
) -> tuple[str | None, LeftOut | None]:
    """Return what differs between a document and what its bytes say, and what these leave out."""
    losses = {kind: loss.becomes for kind, loss in case.codec.limits.loses.items()}
    refusals = []
    for name, read in readers.items():
        try:
            parsed = read(blob)
        except Exception as error:  # whatever a reader raises on bytes that are wrong
            refusals.append(f"{name}: {error}")
            continue
        if case.library.user_class:
            parsed = _keys_as_texts(parsed)
        left_out = LeftOut()
        if case.may_leave_out:
            filled = left_out.fill(files.block.dataset.written or files.block.dataset.schema, value, parsed)
            parsed = filled if "decode" in case.operations or not left_out.defaults else parsed
        text = wire_difference(spec, spec["root"], value, parsed)
        if text is not None and losses:
            left = apply_losses(spec, spec["root"], value, losses, {})
            text = wire_difference(spec, spec["root"], left, parsed)
        return None if text is None else f"the bytes, read by {name}: value{text}", left_out
    return f"the bytes cannot be read by {'; by '.join(refusals)}" if refusals else None, None


def _keys_as_texts(parsed: Any) -> Any:
    """A parsed value with the keys that a document has: a class may have integers, which formats such as MessagePack keep."""
    if isinstance(parsed, list):
        return [_keys_as_texts(item) for item in parsed]
    if not isinstance(parsed, dict):
        return parsed
    texts = {str(key) if type(key) is int else key: _keys_as_texts(item) for key, item in parsed.items()}
    return texts if len(texts) == len(parsed) else parsed


FIRST = ("msgspec", "dataclasses", "pydantic")
"""The libraries that are measured first, beside the user's own class: they lead most published runs, or are used most."""
RECURSION = 20 * DEEPEST  # comparing values takes a few frames per level
CANDIDATES, TURNS = 6, 5  # for the place of the reference


class BlockRun:
    """The measuring of one block."""

    def __init__(self, files: BlockFiles, listener: Listener, fresh_ids: Iterator[int], finished: Finished) -> None:
        self.plan, self.block, self.files, self.listener = files.plan, files.block, files, listener
        self.fresh_ids, self.finished = fresh_ids, finished
        self.stored = {_identity(cell): cell for cell in finished.cells if cell.point == self.block.point}
        self.cells: list[Cell] = []
        self.probes: dict[str, StrictnessTest | None] = {}
        self.at_work: list[str] = []
        self.verified = self.to_verify = 0
        self.shared: dict[tuple[object, ...], Cell] = {}

    def conduct(self, core: int | None, *, timed: bool) -> None:
        """From the first process to the last wave."""
        by_library = self._cases_by_library()
        cases = [timed for members in by_library for timed in members]
        self.pace = Pace(len(cases), sum(len(timed.cells) for timed in cases), self.plan.rules)
        self.to_verify, self.timed = len(cases), timed
        self.listener.cells(self.cells)
        self.probes = self._probes()
        try:
            if not timed:
                self._verify(by_library)
                for cell in (c for cases in by_library for case in cases if case.alive for c in case.cells.values()):
                    cell.status = "ok"
                return
            first, others = self._parts(by_library, core)
            self._verify(first)
            if others and not self._has_references(first):
                self._verify(others)
                first, others = by_library, []
            with self._verifying(others, core) as finish:
                measured = self._compared(first, core, controlled=not others)
                join = partial(self._rest, measured[0], others, core, finish) if others else None
                waves = Waves(self.files, self.listener, *measured, core, self.finished.samples, self.pace, join)
                with waves.ahead:
                    waves.size_batches()
                    self.listener.cells(self.cells)
                    waves.run()
        finally:
            self.listener.cells(self.cells)

    def _cell(self, case: Case, operation: str, *, control: bool = False) -> Cell:
        cell = cell_of(-1, self.block.point, case, operation, control=control)
        known = self.stored.get(_identity(cell))
        cell.id = next(self.fresh_ids) if known is None else known.id
        if known is not None:
            cell.loops, cell.reference, cell.machine = known.loops, known.reference, known.machine
            if known.status != "ok":
                cell.status, cell.reason = known.status, known.reason
        self.cells.append(cell)
        return cell

    def _cases_by_library(self) -> list[LibraryCases]:
        """The cases of each library in each environment, with a cell for each operation, or its reason."""
        by_library: dict[tuple[str, ...], LibraryCases] = {}
        sessions: dict[tuple[str, ...], WorkerSession] = {}
        for case in self.block.cases:
            cells = {operation: self._cell(case, operation) for operation in self.files.operations}
            for operation in set(cells) - set(case.operations or cells):
                cell = cells.pop(operation)
                cell.status, cell.reason = "unsupported", missing_step(case, operation)
            cells = {
                name: cell for name, cell in cells.items() if cell.status != "unsupported"
            }  # as the stored run has it
            alone = case.module_name if case.library.registers else ""
            process = (case.library.name, case.environment.name, alone)
            timed = self.files.timed(case, cells, sessions.setdefault(process, self.files.session(case.environment)))
            if not timed.fail_beforehand() and cells:
                self.listener.source(case)
                by_library.setdefault(process, []).append(timed)
        return list(by_library.values())

    def _parts(self, by_library: list[LibraryCases], core: int | None) -> tuple[list[LibraryCases], list[LibraryCases]]:
        """What is measured while the others are still being verified, and these; if nothing can be done beside, all first."""
        alone = self.plan.paired or self.files.heavy or self.finished.cells or not other_cores(core)
        first = [] if alone else [members for members in by_library if self._comes_first(members[0].case.library.name)]
        return (first, [one for one in by_library if one not in first]) if first else (by_library, [])

    def _comes_first(self, library: str) -> bool:
        is_own = library.startswith(YOURS) and not library.startswith(VIA)
        return is_own or library in FIRST or self.listener.is_awaited(library)

    def _has_references(self, by_library: list[LibraryCases]) -> bool:
        """Whether each operation has a case here that others may be compared with."""
        alive = [timed for cases in by_library for timed in cases if timed.alive]
        return all(
            any(map(may_be_reference, able, repeat(operation)))
            for operation in self.files.operations
            for able in [[timed for timed in alive if operation in timed.cells]]
        )

    def _verify(self, by_library: list[LibraryCases]) -> None:
        """Prove every case, a few libraries at a time."""
        with self.files.watchdog.spending("verifying"):
            in_parallel(self._verify_library, by_library, self.files.watchdog)

    @contextmanager
    def _verifying(self, libraries: list[LibraryCases], core: int | None) -> Iterator[Callable[[], None]]:
        """Prove every case on the cores that do not measure; what this gives does the rest on all, and waits for it."""
        if not libraries:
            yield lambda: None
            return
        with meanwhile(self._verify_library, libraries, other_cores(core), self.files.watchdog) as finish:

            def finished() -> None:
                self.pace.holds = False
                with self.files.watchdog.spending("verifying"):
                    finish()

            self.pace.holds = True
            yield finished

    def _verify_library(self, cases: LibraryCases) -> None:
        for timed in cases:
            library, codec = timed.case.library.name, timed.case.codec
            name = library if codec.name == library else f"{library} via {codec.name}"
            name += "" if codec.format in (codec.name, "json") else f" ({codec.format})"
            self.at_work.append(name)
            self._tell_verifying()
            if timed.alive:
                retry_if_killed(partial(self._verify_case, timed))
            self.at_work.remove(name)
            self.verified += 1
            if timed.alive:
                self.listener.verified(name, timed.each_ns)
            self._tell_verifying()

    def _tell_verifying(self) -> None:
        """Name what is waited for: of the cases at work the one that has been for longest."""
        left = self.pace.left("verifying", self.verified / self.to_verify) if self.timed else None
        for name in self.at_work[:1] if not self.pace.holds else ():
            self.listener.progress(Progress(f"verifying {name}", 0, self.verified, self.to_verify, left))

    def _compared(
        self, by_library: list[LibraryCases], core: int | None, *, controlled: bool, before: Sequence[LibraryCases] = ()
    ) -> Joined:
        """The cases that are measured, with the references of all, and the hidden duplicates of all if they are asked for.

        `before` are those that are measured already.
        """
        by_library = self._shared(by_library)
        self.listener.progress(Progress("comparing the fastest", 0, 0, 0, self.pace.left("sizing", 0.0)))
        references = self._references([*before, *by_library], core)
        return by_library + (self._controls([*before, *by_library], references) if controlled else []), references

    def _rest(
        self, first: list[LibraryCases], others: list[LibraryCases], core: int | None, finish: Callable[[], None]
    ) -> Joined:
        """The cases that were verified while the first were measured."""
        finish()
        joined = self._compared(others, core, controlled=True, before=first)
        self.listener.cells(self.cells)
        return joined

    def _verify_case(self, timed: TimedCase) -> None:
        loops = {operation: cell.loops for operation, cell in timed.cells.items()}
        case = timed.case
        holder = verify_case(self.files, timed, self.files.operations)
        limits = RequestLimits(self.plan.time_limit_s, self.plan.memory_limit_bytes)
        if holder is None:
            self._explain(timed, limits)
            return
        if self.plan.keeps_all:
            lost = not_kept(case, self.block.dataset.schema, self.files.watchdog, self.files.scratch, limits)
            if lost is not None:
                timed.fail(Fault("unsupported", lost, fatal=False))
                timed.release()
                return
        typed = format_of(case.codec).typed
        checks = holder != "builtins" and "decode" in case.operations and not typed
        probed = self._strictness(timed, holder) if checks else holder
        if isinstance(case.library, OwnApp):
            probed = OWN_APP
        if typed:
            probed = f"{holder}, typed"
        writes = self._written(timed) if isinstance(case.library, Framework) else None
        for operation, cell in timed.cells.items():
            left_out = timed.left_out.words if timed.reads_all else REST_IGNORED
            cell.work_class = work_class(operation, probed, timed.lost, left_out)
            if writes is not None and operation == "encode":
                cell.work_class = f"{writes}{cell.work_class.removeprefix(holder)}"
            cell.loops = loops[operation] or cell.loops  # a resumed run keeps its batch sizes
        if self.files.heavy:
            timed.release()

    def _explain(self, timed: TimedCase, limits: RequestLimits) -> None:
        """Say what it comes from that a case failed; data that is deeper than it goes is a limit and no fault.

        A row of a user's class has failed only if its library fails in a plain script too; else serbench cannot measure it.
        """
        failed = next((cell.reason or "" for cell in timed.cells.values() if cell.status == "failed"), None)
        if failed is None:
            return
        case = timed.case
        with scratch_session(case.environment, self.files.watchdog, limits, below=self.files.scratch) as session:
            text = too_deep(session, case, self.block.dataset.value, failed)
        located = case.library.user_class
        if text is not None:
            timed.fail(Fault("unsupported", text, fatal=False))
        elif located and not isinstance(case.library, UserFunctions | Framework):
            name = case.library.name
            via = name.removeprefix(VIA).partition(" (")[0] if name.startswith(VIA) else ""
            made = "" if via else converting(load_model(located), case.codec)
            via = via or made
            trial = self._plain_trial(located, via, case.environment.name)
            place = "" if trial else whose_place(failed, case.environment)
            if trial is not None and not trial.failed:
                place = whose_form(load_model(located), via, failed)
            if place:
                timed.fail(Fault("unsupported", f"{failed}; this comes from {place}", fatal=False))
                return
            if trial is not None and trial.failed:
                text = f"{failed}; this comes from {trial.whose}: {trial.failed}: {trial.command}"
                timed.fail(Fault("unsupported" if made or not trial.blames else "failed", text, fatal=False))
                return
            around = None if via else self._plain_trial(located, via, case.environment.name, case.codec)
            if around is not None and around.failed:
                pair = f"{load_model(located).kind} around {case.codec.name}"
                text = f"{failed}; this comes from {pair}, which take no such data: {around.failed}: {around.command}"
                timed.fail(Fault("unsupported", text, fatal=False))
                return
            with_ = f"{via} and {case.codec.name}" if via not in ("", case.codec.name) else case.codec.name
            text = f"serbench cannot measure this class with {with_}: {failed}"
            if trial is not None:
                whose = "that library" if via else "its own library"
                text += f"; {whose} reads and writes this data in a plain script: {trial.command}"
            timed.fail(Fault("unsupported", text, fatal=False))
        elif self.plan.model is not None and not located:
            path = write_file(scripts_folder() / f"{case.module_name}-{case.source_sha256[:8]}.py", case.source)
            text = f"{failed}; this comes from {SERBENCH}, which wrote this code of the class's fields: {path}"
            timed.fail(Fault("failed", text, fatal=False))

    @cache  # noqa: B019 (a block is measured once)
    def _plain_trial(self, located: str, via: str, environment: str, codec: Codec | None = None) -> PlainTrial | None:
        """What a plain script does with the user's class by its own library, around a codec if one is given, or by another.

        None if there is no such script.
        """
        data, documents = self.block.dataset, self.files.documents[:MOST_DOCUMENTS]
        positions = [0] if self.files.stream is None else self.files.stream.positions[:MOST_DOCUMENTS]
        to_read = documents if data.reads is None else [data.reads(position)[0] for position in positions]
        there = next(case.environment for case in self.block.cases if case.environment.name == environment)
        return plain_trial(load_model(located), via, data, documents, to_read, there, self.plan.time_limit_s, codec)

    def _probes(self) -> dict[str, StrictnessTest | None]:
        """Wrong inputs for each user class or function; under "" those for rendered models."""
        libraries = {case.library.user_class: case.library for case in self.block.cases}
        return {one: self._probe(library) for one, library in libraries.items() if one or self.plan.model is not None}

    def _probe(self, library: Library) -> StrictnessTest | None:
        functions = isinstance(library, UserFunctions)
        model = None if functions or not library.user_class else load_model(library.user_class)
        data = self.block.dataset
        return user_probe(data.schema, data.value, model, inferred=data.inferred, whole=functions)

    def _strictness(self, timed: TimedCase, holder: str) -> str:
        case = timed.case
        try:
            with self._probing(timed) as session:
                if self.plan.model is None and not case.library.user_class:
                    return self.listener.strictness(case, lambda: strictness(session, case))
                if isinstance(case.library, UserFunctions) and format_of(case.codec).write is None:
                    return f"{holder}, unknown (no format is named in which wrong input can be written)"
                probe = self.probes[case.library.user_class]
                if probe is None or not probe.tells:
                    return f"{holder}, unknown (no record to try has a value that can be wrong)"
                return strictness(session, case, probe)  # all rows are tried alike
        except Fault as fault:
            timed.forgive(fault)
            return f"{holder}, unknown ({fault.reason})"

    def _written(self, timed: TimedCase) -> str:
        """What an endpoint returns, and how it is checked on the way out; a record of a list is tried in one."""
        user = timed.case.library.user_class
        probe = (self.probes[user] if user else None) or BASICS
        if not isinstance(self.block.dataset.schema.root, Ref):
            probe = probe.in_list()
        try:
            with self._probing(timed) as session:
                return written_class(session, timed.case, probe)
        except Fault as fault:
            timed.forgive(fault)
            return f"objects, unknown ({fault.reason})"

    def _probing(self, timed: TimedCase) -> AbstractContextManager[WorkerSession]:
        """The process of a case; one of its own for each module if these change the whole process."""
        if not timed.case.library.registers:
            return nullcontext(timed.session)
        limits = RequestLimits(self.plan.time_limit_s, self.plan.memory_limit_bytes)
        return scratch_session(timed.case.environment, self.files.watchdog, limits, below=self.files.scratch)

    def _shared(self, by_library: list[LibraryCases]) -> list[LibraryCases]:
        """The cases without the operations whose very same code another case has, which is measured for them.

        Code of the standard library alone comes first. A paired run is asked for each of its libraries.
        """
        alive = [timed for cases in by_library for timed in cases if timed.alive]
        for timed in sorted(alive, key=lambda timed: bool(timed.case.library.distributions)):
            case = timed.case
            for operation, cell in list(timed.cells.items()):
                whole = isinstance(case.library, Framework)  # an app is found by its framework, not by its name
                cell.takes_part = case.codec.name != FLOOR if whole else takes_part(case, operation)
                work = (case.codec, case.environment.name, operation, cell.work_class, timed.written)
                one = self.shared.setdefault((*work, case.source if whole else code_of(case, operation)), cell)
                if one is not cell and not self.plan.paired:
                    cell.same_as, cell.status, cell.reference = one.name, "ok", False
                    timed.merged[operation] = timed.cells.pop(operation)
        left = ([timed for timed in cases if timed.cells] for cases in by_library)
        return list(filter(None, left))

    def _references(self, by_library: list[LibraryCases], core: int | None) -> dict[str, TimedCase]:
        """For each operation the fastest case that others may be compared with, or the one that the stored run has.

        An operation has no reference only if all of its cases have failed.
        """
        cases = [timed for library_cases in by_library for timed in library_cases]
        measured = set(self.finished.samples.rows()[:, 0].tolist())
        chosen: dict[str, TimedCase] = {}
        for operation in self.files.operations:
            while able := [timed for timed in cases if timed.alive and operation in timed.cells]:
                reference = next((timed for timed in able if timed.cells[operation].reference), None)
                if reference is None:
                    able = sorted(reference_candidates(able, operation), key=lambda timed: timed.each_ns[operation])
                    reference = retry_if_killed(partial(_fastest, able[:CANDIDATES], operation, core, measured))
                if reference is not None:
                    chosen[operation] = reference
                    break
        references = {id(timed.cells[operation]) for operation, timed in chosen.items()}
        for cell in self.cells:
            cell.reference = id(cell) in references
        return chosen

    def _controls(self, by_library: list[LibraryCases], references: dict[str, TimedCase]) -> list[LibraryCases]:
        """Hidden duplicates of the first reference's library, on whose order decisions hang, and of one that is drawn."""
        doubled = {(cell.library, cell.environment) for cell in self.stored.values() if cell.control}
        able = [cases for cases in by_library if any(timed.alive for timed in cases)]
        known = [cases for cases in able if (cases[0].case.library.name, cases[0].case.environment.name) in doubled]
        leading = [cases for cases in able if any(timed in references.values() for timed in cases)][:1]
        others = [cases for cases in able if cases not in leading]
        drawn = random.Random(self.plan.seed).sample(others, min(len(others), 1 if len(able) > 2 else 0))
        return [self._double(cases) for cases in known or leading + drawn]

    def _double(self, originals: LibraryCases) -> LibraryCases:
        session = self.files.session(originals[0].case.environment)
        doubles = []
        for timed in originals:
            if timed.alive:
                cells = {operation: self._cell(timed.case, operation, control=True) for operation in timed.cells}
                for operation, cell in cells.items():
                    original = timed.cells[operation]
                    cell.loops = cell.loops or original.loops
                    cell.work_class, cell.reference = original.work_class, False
                facts = {"control": True, "each_ns": {**timed.each_ns}, "wrong": timed.wrong, "double": timed}
                timed.double = self.files.timed(timed.case, cells, session, **facts)
                doubles.append(timed.double)
        return doubles


def _fastest(cases: list[TimedCase], operation: str, core: int | None, measured: Collection[int]) -> TimedCase | None:
    """The fastest of a few, in turns on one core, with batches sized by that: they were calibrated while others worked.

    A cell that is among those `measured` keeps its batches.
    """
    with pinned(core):
        for timed in cases:
            timed.session.pin(core)
        samples = visit(cases, operation, random.Random(), rounds=TURNS)
    each_ns = {t: median(s.cpu_ns for s in each) / t.cells[operation].loops for t, each in samples.items()}
    fastest = min(each_ns, key=each_ns.__getitem__, default=None)
    if fastest is not None and fastest.cells[operation].id not in measured:
        size_batch(fastest, operation, each_ns[fastest])
    return fastest


def conduct(
    plan: Plan,
    blocks: Iterable[Block],
    listener: Listener,
    finished: Finished | None = None,
    *,
    timed: bool = True,
    cancel: threading.Event | None = None,
    began: float | None = None,
) -> bool:
    """Measure every block, telling the listener; verify only if `timed` is false.

    Another thread may set `cancel`, which ends the run within a fraction of a second, as Ctrl-C does. The plan's budget
    counts from `began`, a time on the monotonic clock in s, by default from now; it ends the run wherever that is.

    Returns:
        True if it was measured to the end; False if the budget was used up before.

    Raises:
        KeyboardInterrupt: the user has ended the run; everything that the listener was told stays valid.
    """
    end = math.inf if plan.budget_s is None else (time.monotonic() if began is None else began) + plan.budget_s
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    core = max(usable_cores(), default=None)
    finished = finished or Finished()
    fresh_ids = count(max((cell.id for cell in finished.cells), default=-1) + 1)
    watchdog, since = Watchdog(cancel, end), time.monotonic()
    try:
        with watchdog:
            paced = Paced(listener)
            for block in blocks:
                watchdog.check()
                paced.begin_block(block_count(plan, block.dataset))
                paced.progress(Progress("preparing the data", 0, 0, 0))
                with block_files(plan, block, watchdog) as files:
                    BlockRun(files, paced, fresh_ids, finished).conduct(core, timed=timed)
    except KeyboardInterrupt:
        if not watchdog.used_up:
            raise
        return False
    except TookTooLong:
        if plan.budget_s is None:
            raise
        return False
    finally:
        sys.setrecursionlimit(limit)
        whole = time.monotonic() - since
        listener.spent({**watchdog.spent, "the rest": whole - sum(watchdog.spent.values())})
    return True


@contextmanager
def block_files(plan: Plan, block: Block, watchdog: Watchdog) -> Iterator[BlockFiles]:
    """The files of a block in a scratch folder; at the end no worker is left."""
    with scratch_folder() as scratch:
        try:
            yield BlockFiles(plan, block, scratch, watchdog)
        finally:
            watchdog.end_sessions()


def _identity(cell: Cell) -> tuple[object, ...]:
    return (cell.point, cell.case.key, cell.operation, cell.control)
