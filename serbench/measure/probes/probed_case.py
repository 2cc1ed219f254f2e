"""Cases under the probes, each library in a worker session of its own that may be lost at any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from serbench.measure.sessions.session import (
    Fault,
    RequestLimits,
    Watchdog,
    WorkerSession,
    in_parallel,
    scratch_session,
)
from serbench.model.records import Schema
from serbench.model.scalars import SCALAR_KINDS
from serbench.render.case import Case
from serbench.render.codec import Codec
from serbench.render.environments.environment import Environment, Recipe
from serbench.render.library import Library
from serbench.render.rendering import render
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
        except LookupError:  # it has nothing for such a field
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

    Each library and variant has a process of its own. `heard` is told the library, and how many cases of how many are
    done; it is called from several threads.
    """
    shared: dict[tuple[str, str, Recipe], list[ChosenCase]] = {}
    for choice in choices:
        shared.setdefault((choice.library.name, choice.variant, choice.recipe), []).append(choice)
    done: dict[ChosenCase, AnyAnswer] = {}

    def probe(members: list[ChosenCase]) -> None:
        environment = environments[members[0].recipe]
        with scratch_session(environment, watchdog, limits or RequestLimits()) as session:
            for choice in members:
                done[choice] = work(ProbedCase(choice.library, choice.variant, choice.codec, session))
                if heard is not None:
                    heard(choice.library.name, len(done), len(choices))

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
