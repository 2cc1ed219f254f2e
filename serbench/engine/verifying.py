"""The proof of a case before it is timed: it keeps the data, its bytes mean the same, and its batches have their size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from serbench.cases import REJECTS, Case
from serbench.engine.rounds import calibrate
from serbench.engine.subjects import BlockFiles, TimedCase, prepare
from serbench.formats import formats
from serbench.probes.strictness import wrong_documents
from serbench.sessions.session import Fault
from serbench.worker.fidelity import apply_losses, wire_difference
from serbench.worker.prepared_case import read_blobs, write_blobs

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
    reasons = filter(None, map(timed.case.codec.spoiled, files.documents if failed else ()))
    if reason := next(reasons, None):
        timed.fail(Fault("unsupported", reason, fatal=False))
    return holder


def _verified(files: BlockFiles, timed: TimedCase, operations: tuple[str, ...]) -> str | None:
    prepare([timed])
    if not timed.alive:
        return None
    case = timed.case
    format_ = formats()[case.codec.format]
    steps = [name for name in operations if name in case.operations]
    losses = {kind: loss.becomes for kind, loss in case.codec.loses.items()}
    stored = None if files.stream is None else files.scratch / f"blobs_of_{timed.key}"
    place = None if stored is None else str(stored)
    reply = timed.ask("verify", operations=steps, reader=format_.reader_in_worker, losses=losses, blobs=place)
    if reply is None:
        return None
    blobs = [reply["blob"]]
    if stored is not None and reply["difference"] is None:
        blobs = read_blobs(str(stored))
        files.modules[case.module_name]["blobs"] = place
    text = reply["difference"] or _meaning(files, case, blobs)
    timed.lost = {name: case.codec.loses[kind].what for name, kind in reply.get("lost", {}).items()}
    if text is not None:
        timed.fail(Fault("failed", text, fatal=False))
        timed.release()
        return None
    timed.written = hashlib.sha256(reply["blob"]).digest()
    _find_wrong(files, timed, blobs[:MOST_WRONG])
    sizes = files.mean_sizes(blobs)
    for operation, cell in timed.cells.items():
        for name, value in sizes.items():
            setattr(cell, name, value)
        if not calibrate(timed, operation):
            return None
    holder: str = reply["holder"]
    return holder


def _find_wrong(files: BlockFiles, timed: TimedCase, blobs: Sequence[bytes]) -> None:
    """Give the worker a case's wrong documents; an operation that refuses none of them is not measured."""
    asked = [operation for operation in REJECTS if operation in timed.cells]
    if not asked:
        return
    schema, scratch = files.block.dataset.schema, files.scratch
    try:
        places = {name: str(scratch / f"{name}_of_{timed.key}") for name in ("right", *asked)}
        made = [wrong_documents(timed.case, schema, blob, {name: REJECTS[name] for name in asked}) for blob in blobs]
        write_blobs(places["right"], [right for right, _ in made])
        for name in asked:
            write_blobs(places[name], [wrong[name] for _, wrong in made])
        given: dict[str, Any] = {"right": places.pop("right"), "wrong": places}
        through = timed.session.ask("wrong", case=timed.key, **given)["let_through"]
    except Fault as fault:
        if fault.fatal:
            timed.forgive(fault)
            prepare([timed])
        through, given = asked, {}
        reason = f"no wrong document could be made: {fault.reason}"
    else:
        reason = "a record without one of its fields is let through"
    for name in through:
        cell = timed.cells.pop(name)
        cell.status, cell.reason = "unsupported", reason
    if set(asked) - set(through):
        timed.wrong = {"right": given["right"], "wrong": {n: p for n, p in given["wrong"].items() if n not in through}}


def _meaning(files: BlockFiles, case: Case, blobs: Sequence[bytes]) -> str | None:
    """Read each document's bytes with an independent reader of the format, and describe what differs; None if nothing does.

    If a reader cannot read them (each has its own limit of depth), the next one does. Many libraries
    give a codec the same bytes, which are read once.
    """
    for number, (value, blob) in enumerate(zip(files.documents, blobs, strict=True), 1):
        same = (number, case.codec, case.schema_text, case.root, hashlib.sha256(blob).digest())
        if same in files.proven:
            continue
        text = _difference(files.data.spec, value, case, blob)
        if text is not None:
            return text if len(blobs) == 1 else f"document {number}: {text}"
        files.proven.add(same)
    return None


def _difference(spec: Any, value: Any, case: Case, blob: bytes) -> str | None:
    losses = {kind: loss.becomes for kind, loss in case.codec.loses.items()}
    refusals = []
    for name, read in case.readers(spec).items():
        try:
            parsed = read(blob)
        except Exception as error:  # whatever a reader raises on bytes that are wrong
            refusals.append(f"{name}: {error}")
            continue
        text = wire_difference(spec, spec["root"], value, parsed)
        if text is not None and losses:
            left = apply_losses(spec, spec["root"], value, losses, {})
            text = wire_difference(spec, spec["root"], left, parsed)
        return None if text is None else f"the bytes, read by {name}: value{text}"
    return f"the bytes cannot be read by {'; by '.join(refusals)}" if refusals else None
