"""The proof of a case before it is timed."""

from __future__ import annotations

import hashlib
import marshal
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from serbench.measure.probes.strictness import wrong_documents
from serbench.measure.rounds import calibrate
from serbench.measure.session import Fault
from serbench.measure.subjects import BlockFiles, TimedCase, prepare
from serbench.measure.worker.prepared_case import read_blobs, write_blobs
from serbench.model.fidelity import apply_losses, wire_difference
from serbench.render.case import REJECTS, Case
from serbench.render.codec import format_of
from serbench.render.framework import OwnApp
from serbench.render.left_out import LeftOut

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
    give a codec the same bytes, which are read once; what is read is compared once.
    """
    case, all_left_out = timed.case, LeftOut()
    readers = case.readers(files.written)
    for number, (value, blob) in enumerate(zip(files.documents, blobs, strict=True), 1):
        of_user = bool(case.library.user_class), case.may_leave_out
        same = (number, case.codec, case.schema_text, case.root, of_user, hashlib.sha256(blob).digest())
        if same not in files.proven:
            text, left_out = _difference(files, number, value, case, readers, blob)
            if text is not None:
                if isinstance(case.library, OwnApp):
                    text = f"it answers one request otherwise than the next: {text}"
                return text if len(blobs) == 1 else f"document {number}: {text}"
            files.proven[same] = left_out
        all_left_out |= files.proven[same]
    timed.left_out = all_left_out
    return None


def _difference(
    files: BlockFiles, number: int, value: Any, case: Case, readers: Mapping[str, Callable[[bytes], Any]], blob: bytes
) -> tuple[str | None, LeftOut]:
    """Return what differs between a document and what its bytes say, and what these leave out."""
    losses = {kind: loss.becomes for kind, loss in case.codec.limits.loses.items()}
    spec, refusals = files.written, []
    for name, read in readers.items():
        try:
            parsed = read(blob)
        except Exception as error:  # whatever a reader raises on bytes that are wrong
            refusals.append(f"{name}: {error}")
            continue
        if case.library.user_class:
            parsed = _keys_as_texts(parsed)
        dumped, left_out = _dumped(parsed), LeftOut()
        same = (number, case.may_leave_out and "decode" in case.operations, case.may_leave_out, dumped)
        if same in files.proven:
            return None, files.proven[same]
        if case.may_leave_out:
            filled = left_out.fill(files.block.dataset.written or files.block.dataset.schema, value, parsed)
            parsed = filled if "decode" in case.operations or not left_out.defaults else parsed
        text = wire_difference(spec, spec["root"], value, parsed)
        if text is not None and losses:
            left = apply_losses(spec, spec["root"], value, losses, {})
            text = wire_difference(spec, spec["root"], left, parsed)
        elif text is None and dumped is not None:
            files.proven[same] = left_out
        return None if text is None else f"the bytes, read by {name}: value{text}", left_out
    return f"the bytes cannot be read by {'; by '.join(refusals)}" if refusals else None, LeftOut()


def _keys_as_texts(parsed: Any) -> Any:
    """A parsed value with the keys that a document has: a class may have integers, which formats such as MessagePack keep."""
    if isinstance(parsed, list):
        return [_keys_as_texts(item) for item in parsed]
    if not isinstance(parsed, dict):
        return parsed
    texts = {str(key) if type(key) is int else key: _keys_as_texts(item) for key, item in parsed.items()}
    return texts if len(texts) == len(parsed) else parsed


def _dumped(parsed: Any) -> bytes | None:
    """The hash of a text that two values share only if they are the same, in value and class; None if there is none.

    It is quick to make, and many libraries write what a reader takes for the same.
    """
    try:
        return hashlib.sha256(marshal.dumps(parsed, 2)).digest()
    except ValueError:  # for datetimes and the like
        return None
