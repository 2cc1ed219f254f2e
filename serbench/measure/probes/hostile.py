"""Feeds codecs bytes that are deep, huge or malformed, each input in a process that a crash may take with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from serbench.measure.probes.strictness import answers_to
from serbench.measure.sessions.session import Fault, RequestLimits, Watchdog, WorkerSession, scratch_session
from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import ANY, STR
from serbench.model.types import List, Ref
from serbench.render.codec import Codec
from serbench.render.environments.environment import main_environment
from serbench.render.format import DEEP, formats
from serbench.render.library import libraries
from serbench.render.rendering import render

UNTYPED = Schema(List(ANY))
TYPED = Schema(List(Ref("Row")), (Record("Row", (Field("text", STR),)),))
DOCUMENTS: tuple[tuple[Schema, list[Any]], ...] = ((UNTYPED, [[]]), (TYPED, [{"text": "a"}]))
"""A valid document in builtins, and one for codecs that need records."""
NESTED = f"{DEEP:,} lists to encode"


@dataclass(frozen=True)
class HostileResult:
    """One hostile input and its outcome.

    `outcome` is "rejected", "accepted" (with the type of what it became), or the status of a process that
    ended; `reason` is the message of the codec or the system.
    """

    codec: str
    format: str
    input: str
    outcome: str
    reason: str | None = None


def hostile_results(chosen: Iterable[Codec], time_limit_s: float, memory_limit_bytes: int) -> Iterator[HostileResult]:
    """Every codec with every hostile input of its format, in builtins or, for typed bytes, one record with a text."""
    limits = RequestLimits(time_limit_s, memory_limit_bytes)
    with Watchdog() as watchdog:
        for codec in chosen:
            with scratch_session(main_environment(), watchdog, limits) as session:
                for name, outcome, reason in _outcomes(codec, session):
                    yield HostileResult(codec.name, codec.format, name, outcome, reason)


def _outcomes(codec: Codec, session: WorkerSession) -> Iterator[tuple[str, str, str | None]]:
    """Each input of a codec with its outcome and reason, each in a fresh process."""
    library = libraries()[min(codec.only, default="typeddict")]
    rendered = [(render(library, "default", codec, schema), schema, value) for schema, value in DOCUMENTS]
    case, schema, value = next((one for one in rendered if one[0].reason is None), rendered[-1])
    inputs: dict[str, Any] = dict(formats()[codec.format].hostile)
    absent = case.absent or case.reason
    if absent is not None:
        yield from ((name, "unavailable", absent) for name in inputs)
        return
    if "decode" not in case.operations:
        inputs = {}
    if "encode" in case.operations and schema is UNTYPED:
        inputs[NESTED] = None
    for name, make in inputs.items():
        try:
            with session:
                session.prepare(case, "hostile", schema.as_data(), value)
                if make is None:
                    reply = session.ask("nest", case="hostile", depth=DEEP)
                else:
                    reply = answers_to(session, "hostile", [{"blob": make().hex()}])[0]
        except Fault as fault:
            yield name, fault.status, fault.reason
        else:
            rejected = reply["outcome"] == "rejected"
            yield name, *(("rejected", reply["message"]) if rejected else ("accepted", f"as {reply['outcome']}"))
