"""The greatest depth, length, size and width of values, by bisection in a process that may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from serbench.errors import PlugInError
from serbench.judge.outcomes import Limit
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession, in_parallel, scratch_session
from serbench.model.records import Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import ANY, BIGINT, INT, SCALAR_KINDS, STR
from serbench.render.case import Case, render
from serbench.render.codec import Codec
from serbench.render.environments import Environment, Recipe
from serbench.render.library import Library
from serbench.render.selection import ChosenCase

Heard = Callable[[str, int, int], None]
Item = TypeVar("Item")
AnyAnswer = TypeVar("AnyAnswer")


@dataclass(frozen=True)
class ProbedCase:
    """A library in a variant with a codec, and the session in which it is probed."""

    library: Library
    variant: str
    codec: Codec
    session: WorkerSession

    def part_from_the_last(self) -> None:
        """End the process, if what the library's modules register there would change the outcome for another schema."""
        if self.library.registers:
            self.session.end()

    def case(self, schema: Schema) -> tuple[Case, str | None]:
        """The case rendered with nothing held back, and what serbench says beforehand that it lacks."""
        self.part_from_the_last()
        environment = self.session.environment
        declared = render(self.library, self.variant, self.codec, schema, environment)
        library = replace(self.library, lacks={k: v for k, v in self.library.lacks.items() if k not in SCALAR_KINDS})
        try:
            case = render(library, self.variant, _unheld(self.codec), schema, environment)
        except PlugInError as error:
            if not isinstance(error.__cause__, LookupError):  # else it has nothing for such a field
                raise
            return declared, declared.reason
        said = declared.reason or next(iter(declared.codec.limits.cannot.values()), None)
        return (declared, declared.reason) if case.reason else (case, said)


def each_probed(
    choices: Sequence[ChosenCase],
    environments: Mapping[Recipe, Environment],
    work: Callable[[ProbedCase], AnyAnswer],
    limits: RequestLimits | None = None,
    heard: Heard | None = None,
) -> list[AnyAnswer]:
    """Return the answer of `work` to each of these cases, in the order of the choices.

    Each library and variant has a process of its own. Before each case, `heard` is told the library, and how many cases
    of how many are done; it is called from several threads.
    """
    shared: dict[tuple[str, str, Recipe], list[ChosenCase]] = {}
    for choice in choices:
        shared.setdefault((choice.library.name, choice.variant, choice.recipe), []).append(choice)
    done: dict[ChosenCase, AnyAnswer] = {}

    def probe(members: list[ChosenCase]) -> None:
        environment = environments[members[0].recipe]
        with scratch_session(environment, watchdog, limits or RequestLimits()) as session:
            for choice in members:
                if heard is not None:
                    heard(choice.library.name, len(done), len(choices))
                done[choice] = work(ProbedCase(choice.library, choice.variant, choice.codec, session))

    with Watchdog() as watchdog:
        in_parallel(probe, sorted(shared.values(), key=len, reverse=True), watchdog)
    return [done[choice] for choice in choices]


def _unheld(codec: Codec) -> Codec:
    """The codec with nothing said of its faults: the probes are to find them."""
    blind = {"decode", "loads", "load"} if codec.calls.loads else set()
    blind |= {"encode", "dumps", "dump"} if codec.calls.dumps else set()
    return codec.changed(lacks={}, cannot={k: v for k, v in codec.limits.cannot.items() if k not in blind})


def each(items: Sequence[Item], work: Callable[[Sequence[Item]], Sequence[AnyAnswer]]) -> list[AnyAnswer | Fault]:
    """The answers to all items at once; if that ends the process, to each half by itself, down to the culprit."""
    try:
        return list(work(items))
    except Fault as fault:
        if not fault.fatal or len(items) == 1:
            return [fault] * len(items)
    middle = len(items) // 2
    return [*each(items[:middle], work), *each(items[middle:], work)]


SHALLOW = 50
"""Levels that no library fails at for their number."""
_LINK = Record("Link", (Field("next", Optional(Ref("Link"))),))


@dataclass(frozen=True)
class Axis:
    """One dimension in which a value may grow.

    Attributes:
        name: the unit that is counted.
        make: the function that makes the value of a size, in the worker; see `serbench.model.fidelity.proof`.
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
    return Limit(best, why[0], f"at {bound:,}: {why[1]}")


def _carried(probed: ProbedCase, axis: Axis, size: int) -> tuple[str, str]:
    schema = axis.schema(size)
    case, _ = probed.case(schema)
    session = probed.session
    parts = str(size) if axis.make == "fields" else ""
    asked = {"index": 0, "make": (axis.make, size)}
    try:
        session.load(case, f"limit_{axis.make}{parts}_of_{case.module_name}")
        data = session.add_value(f"{axis.name} {parts}", schema.as_data(), [None])
        (answer,) = session.ask("carry", data=data, probes=[asked])["outcomes"]
    except Fault as fault:
        return ("refused" if fault.status == "failed" else fault.status), fault.reason
    if answer["outcome"] == "written":
        return "exact", ""  # it only writes
    return answer["outcome"], answer.get("detail") or ""
