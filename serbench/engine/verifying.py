"""The proof of a case in its seat before it is timed: it keeps the data, its bytes mean the same, and its batches have their size."""

from __future__ import annotations

import hashlib
from typing import Any

from serbench.cases import REJECTS, Case
from serbench.engine.process import Fault
from serbench.engine.rejects import wrong_documents
from serbench.engine.seats import SIZING_NS, Member, Seat, Workshop
from serbench.fidelity import reduced, wire_difference
from serbench.formats import formats


def verify(seat: Seat, member: Member, operations: tuple[str, ...]) -> str | None:
    """Prepare a case, prove that it keeps the data, take its sizes and size its batches.

    Its cells get sizes, loops and versions, or a status with a reason.

    Returns:
        What holds its records ("objects", "dicts" or "builtins"); None where it failed.
    """
    seat.prepare([member])
    if not member.alive:
        return None
    case = member.case
    format_ = formats()[case.codec.format]
    steps = [name for name in operations if name in case.operations]
    losses = {kind: loss.becomes for kind, loss in case.codec.loses.items()}
    reply = seat.ask(member, "verify", operations=steps, reader=format_.reader_in_worker, losses=losses)
    if reply is None:
        return None
    text = reply["difference"] or _meaning(seat.workshop, case, reply["blob"])
    member.lost = {name: case.codec.loses[kind].what for name, kind in reply.get("lost", {}).items()}
    if text is not None:
        member.fail(Fault("failed", text, fatal=False))
        seat.release(member)
        return None
    _find_wrong(seat, member, reply["blob"])
    sizes = seat.workshop.sizes(reply["blob"])
    for operation, cell in member.cells.items():
        for name, value in sizes._asdict().items():
            setattr(cell, name, value)
        first = seat.ask(member, "calibrate", operation=operation, target_ns=SIZING_NS)
        if first is None or not seat.warm_up(member, operation, first["loops"]):
            return None
        sized: dict[str, Any] | None = first
        if case.environment.has_jit:
            sized = seat.ask(member, "calibrate", operation=operation, target_ns=SIZING_NS)
        if sized is None:
            return None
        cell.loops, member.each_ns[operation] = sized["loops"], sized["each_ns"]
    holder: str = reply["holder"]
    return holder


def _find_wrong(seat: Seat, member: Member, blob: bytes) -> None:
    """Have a member's wrong documents in the worker; an operation that refuses none of them is not measured."""
    asked = [operation for operation in REJECTS if operation in member.cells]
    if not asked:
        return
    schema, scratch = seat.workshop.block.dataset.schema, seat.workshop.scratch
    try:
        right, wrong = wrong_documents(member.case, schema, blob, {name: REJECTS[name] for name in asked})
        for name, document in {"right": right, **wrong}.items():
            (scratch / f"{name}_of_{member.key}").write_bytes(document)
        places = {name: str(scratch / f"{name}_of_{member.key}") for name in ("right", *wrong)}
        files: dict[str, Any] = {"right": places.pop("right"), "wrong": places}
        through = seat.process.ask("wrong", case=member.key, **files)["let_through"]
    except Fault as fault:
        if fault.fatal:
            seat.leave()
            seat.forgive(member, fault)
            seat.prepare([member])
        through, files = asked, {}
        reason = f"no wrong document could be made: {fault.reason}"
    else:
        reason = "a record without one of its fields is let through"
    for name in through:
        cell = member.cells.pop(name)
        cell.status, cell.reason = "unsupported", reason
    if set(asked) - set(through):
        member.wrong = {"right": files["right"], "wrong": {n: p for n, p in files["wrong"].items() if n not in through}}


def _meaning(workshop: Workshop, case: Case, blob: bytes) -> str | None:
    """What an independent reader of the format finds to differ in the bytes.

    A reader that cannot read them (each has its own limit of depth) leaves the word to the next. Many libraries
    give a codec the same bytes, which are read once.
    """
    same = (case.codec, case.schema_text, case.root, hashlib.sha256(blob).digest())
    if same in workshop.proven:
        return None
    spec, value = workshop.spec, workshop.block.dataset.value
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
            left = reduced(spec, spec["root"], value, losses, {})
            text = wire_difference(spec, spec["root"], left, parsed)
        if text is not None:
            return f"the bytes, read by {name}: value{text}"
        workshop.proven.add(same)
        return None
    return f"the bytes cannot be read by {'; by '.join(refusals)}" if refusals else None
