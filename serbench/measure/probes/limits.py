"""Limits: how deep, long, large and wide a value may be, found by doubling and bisection in a process that may be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from serbench.judge.outcomes import Limit
from serbench.measure.probes.probed_case import ProbedCase
from serbench.measure.sessions.session import Fault, WorkerSession
from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import ANY, BIGINT, INT, STR
from serbench.model.types import List, Optional, Ref
from serbench.render.case import Case

SHALLOW = 50
"""Levels that no library fails at for their number."""
_LINK = Record("Link", (Field("next", Optional(Ref("Link"))),))


@dataclass(frozen=True)
class Axis:
    """One way in which a value may grow.

    Attributes:
        name: the unit that is counted.
        make: the function that makes the value of a size, in the worker; see `serbench.model.fidelity.trial`.
        first, last: the smallest and the largest size that is tried.
        parts: a limit is known to one part in so many.
        schema: the schema of its document, which may depend on the size.
    """

    name: str
    make: str
    first: int
    last: int
    parts: int
    schema: Callable[[int], Schema]


def _subject(type_: Any, name: str) -> Callable[[int], Schema]:
    schema = Schema(List(Ref(name)), (Record(name, (Field("subject", type_),)),))
    return lambda _: schema


def _fields(size: int) -> Schema:
    return Schema(List(Ref("Wide")), (Record("Wide", tuple(Field(f"f{n}", INT) for n in range(size))),))


AXES = (
    Axis("records in one another", "chain", 8, 20_000, 100, lambda _: Schema(List(Ref("Link")), (_LINK,))),
    Axis("lists in one another", "nest", 8, 100_000, 100, _subject(ANY, "Deep")),
    Axis("characters of a text", "repeat", 1 << 20, 1 << 28, 8, _subject(STR, "Long")),
    Axis("bits of an integer", "bits", 32, 1 << 18, 100, _subject(BIGINT, "Large")),
    Axis("fields of a record", "fields", 16, 1 << 12, 20, _fields),
    Axis("items of a list", "widen", 1 << 10, 1 << 24, 8, _subject(List(INT), "Broad")),
)


def limits(probed: ProbedCase) -> Iterator[tuple[str, Limit]]:
    """The limits of a case on every axis, by the axis's name."""
    for axis in AXES:
        yield axis.name, _limit(probed, axis)
        probed.session.end()  # what was held for the largest value is not the next axis's burden


def too_deep(session: WorkerSession, case: Case, value: Any, said: str) -> str | None:
    """Say how deep a case goes, if it failed because the records of its data go deeper; None if it failed for another reason.

    `said` is the reason of the failure. It may hide the depth, as that of a union of which no member fits.
    """
    depth = _records_deep(value)
    if depth < SHALLOW:
        return None
    axis = replace(AXES[0], last=depth, parts=10)
    most = _limit(ProbedCase(case.library, case.variant, case.codec, session), axis).most
    if most and most < depth:
        return f"deeper than {case.library.name} goes (about {most} levels)"
    return f"deeper than {case.library.name} goes (fewer than {depth} levels)" if "RecursionError" in said else None


def _records_deep(value: Any) -> int:
    """Return how many records of a neutral value stand in one another; iterative, because they may be many."""
    deepest, left = 0, [(value, 0)]
    while left:
        one, above = left.pop()
        deepest = max(deepest, above)
        if isinstance(one, dict):
            left += ((item, above + 1) for item in one.values() if isinstance(item, dict | list))
            deepest = max(deepest, above + 1)
        elif isinstance(one, list):
            left += ((item, above) for item in one if isinstance(item, dict | list))
    return deepest


def _limit(probed: ProbedCase, axis: Axis) -> Limit:
    case, _ = probed.case(axis.schema(axis.first))
    if case.reason is not None:
        return Limit(None, "unsupported", case.reason)
    best, size, bound, why = 0, axis.first, axis.last + 1, ("", "")
    while bound - best > max(1, best // axis.parts):
        outcome, detail = _carried(probed, axis, size)
        if outcome == "exact":
            best = size
        else:
            bound, why = size, (outcome, detail)
        if best >= axis.last:
            return Limit(best, "", f"no limit up to {axis.last:,}")
        size = min(best * 2, axis.last) if bound > axis.last else (best + bound) // 2
        if size == 0:
            break
    return Limit(best, why[0], f"at {bound:,}: {why[1]}", _far(probed, axis, why[0]))


def _far(probed: ProbedCase, axis: Axis, outcome: str) -> str:
    """The outcome of the greatest depth, if it is not that of a little too much; empty if it is."""
    if axis.make not in ("chain", "nest"):
        return ""
    far, detail = _carried(probed, axis, axis.last)
    return "" if far == outcome else f"{far} at {axis.last:,}: {detail}"


def _carried(probed: ProbedCase, axis: Axis, size: int) -> tuple[str, str]:
    schema = axis.schema(size)
    case, _ = probed.case(schema)
    session = probed.session
    parts = str(size) if axis.make == "fields" else ""
    asked = {"index": 0, "make": (axis.make, size), "subclass": "", "ordered": False}
    try:
        session.load(case, f"limit_{axis.make}{parts}_of_{case.module_name}")
        data = session.add_value(f"{axis.name} {parts}", schema.as_data(), [None])
        (answer,) = session.ask("carry", data=data, probes=[asked])["outcomes"]
    except Fault as fault:
        return ("refused" if fault.status == "failed" else fault.status), fault.reason
    if answer["outcome"] == "written":
        return "exact", ""  # it only writes
    return answer["outcome"], answer.get("detail") or ""
