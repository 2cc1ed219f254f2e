"""The public verbs beside time: weigh (memory, start-up, installed size, …) and profile (why a case is slow)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench import analysis
from serbench.engine.listener import Progress
from serbench.engine.plan import blocks
from serbench.engine.weighing import PASSES, profiled
from serbench.engine.weighing import weigh as weighed
from serbench.environment_verbs import maker
from serbench.environments.fingerprint import machine
from serbench.measuring import versions_of
from serbench.names import PlanError, check
from serbench.store import Store, StoredWeighing, add_weights, begin_weighing, load_weighing
from serbench.verbs import Names, make_plan, names_of

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

METRICS = ("memory", "start", "installed")
PROCESSES = 7


@dataclass(frozen=True)
class Weighing:
    """What cases weigh; it displays itself.

    Attributes:
        info: its id, date, command, plan, machine, versions, and the raw weights.
    """

    info: StoredWeighing

    @cached_property
    def rows(self) -> list[analysis.WeightRow]:
        """A row for each case, metric and quantity."""
        return analysis.weight_rows(self.info.weights)

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench weigh --json` prints."""
        info = self.info
        return {
            "weighing": info.id,
            "date": info.started,
            "command": info.command,
            "machine": dict(info.machine),
            "versions": dict(info.versions),
            "rows": analysis.weight_data(self.rows),
        }

    def table(self) -> Group:
        """The boards as a Rich renderable."""
        return analysis.weight_table(analysis.weight_boards(self.rows), self._about)

    def to_markdown(self) -> str:
        """The boards as Markdown tables."""
        return analysis.weight_markdown(analysis.weight_boards(self.rows), self._about)

    @property
    def _about(self) -> list[str]:
        how = "medians over fresh processes; in brackets an interval that holds the median with 95 %"
        return [how, *analysis.about_lines(self.info, None)]

    def __rich__(self) -> Group:
        return self.table()

    def __str__(self) -> str:
        return analysis.as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


def weigh(
    workload: Names = "client",
    *,
    metrics: Names = METRICS,
    processes: int = PROCESSES,
    store: str | Path | None = None,
    command: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **choices: Any,
) -> Weighing:
    """What cases cost beside time, each metric in a pass of its own, and kept in the store.

    Args:
        workload: as for `run`.
        metrics: "memory", "start", "installed", "gc" and "threads", one or several.
        processes: how many fresh processes each figure is a median of; from 6 on it has an interval.
        store: the SQLite file, as for `run`.
        command: how the weighing is called in its record; this call without.
        on_progress: hears each step; it may be called from another thread.
        **choices: those of `run` that say what is measured, and its limits.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    chosen = names_of(metrics)
    for name in chosen or ("",):
        check("metric", name, PASSES)
    if processes < 1:
        raise PlanError(f"processes must be at least 1, not {processes}")
    given = [repr(workload), f"metrics={list(chosen)}", *(f"{key}={value!r}" for key, value in choices.items())]
    plan = make_plan(workload, **choices)
    if others := set(plan.operations) - {"encode", "decode"}:
        raise PlanError(f"what is weighed is encode and decode, not {', '.join(sorted(others))}")
    prepared = blocks(plan, maker(on_progress))
    first = next(prepared)  # whatever is wrong with the choice is said before anything is written
    with Store(store) as opened:
        name = begin_weighing(
            opened,
            command=command or f"serbench.weigh({', '.join(given)})",
            plan={**plan.as_data(), "metrics": list(chosen), "processes": processes},
            machine=machine(),
            versions=versions_of(first),
        )
        for weight in weighed(plan, chain([first], prepared), chosen, processes, on_progress or (lambda _: None)):
            add_weights(opened, name, [weight])
        return Weighing(load_weighing(opened, name))


@dataclass(frozen=True)
class Profile:
    """Where an operation's time goes; it displays itself.

    Attributes:
        title: the case, the operation and the data.
        functions: the hottest functions, by their own time.
        root: the calls as a tree, from the operation down.
        plain_ns, profiled_ns: wall time of one operation without the profiler and with it.
        python: the Python that it ran on.
    """

    title: str
    functions: list[analysis.HotFunction]
    root: analysis.Frame
    plain_ns: float
    profiled_ns: float
    python: str

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench profile --json` prints."""
        found = {name: getattr(self, name) for name in ("title", "python", "plain_ns", "profiled_ns")}
        return {**found, "functions": [asdict(one) for one in self.functions], "flame": asdict(self.root)}

    def to_svg(self) -> str:
        """The flame graph, which needs nothing beside itself."""
        return analysis.flame_svg(self.root, self.title)

    def table(self, top: int = 20) -> RenderableType:
        """The hottest functions as a Rich renderable."""
        return analysis.profile_table(self.functions[:top], self.title, self._notes)

    @property
    def _notes(self) -> list[str]:
        slower = self.profiled_ns / self.plain_ns
        return [
            f"under the profiler it took {slower:.1f} times as long, which makes functions that are called often look slower",
            "compiled functions have a row where Python calls them; what they call themselves is not seen",
        ]

    def __rich__(self) -> RenderableType:
        return self.table()

    def __str__(self) -> str:
        return analysis.as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, the flame graph for notebooks."""
        return {"text/plain": str(self), "image/svg+xml": self.to_svg()}


def profile(
    library: str,
    codec: str,
    workload: str = "client",
    *,
    operation: str = "decode",
    python: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **choices: Any,
) -> Profile:
    """Why a case is slow: the hottest functions of one operation, in a process of the library's environment.

    Args:
        library: as `run` takes one: "msgspec", "marshmallow", "pydantic@2.5", "msgspec[gc=False]".
        codec: a codec, a format (then the codec that the library's authors recommend for it) or codec/format.
        workload: its data.
        operation: one of `run`'s.
        python: an interpreter, as for `run`.
        on_progress: hears what is built and verified.
        **choices: `records`, `depth`, `seed`, `payload`, `literal_strings` and `schema`, as for `run`.

    Raises:
        PlanError, WorkloadError: one line that says what to do instead.
    """
    asked = {"encode", "decode", operation}
    plan = make_plan(workload, libraries=[library], formats=[codec], python=python, operations=asked, **choices)
    block = next(blocks(plan, maker(on_progress)))
    named = [case for case in block.cases if case.codec.name == case.library.recommended.get(codec, codec)]
    case = (named or block.cases)[0]
    raw = profiled(plan, replace(block, cases=[case]), operation)
    functions = analysis.hot_functions(raw, case.module_name)
    point = block.point
    variant = "" if case.variant == "default" else f"[{case.variant}]"
    where = f"{point.workload}, {point.records:,} records, depth {point.depth}"
    return Profile(
        title=f"{operation}: {case.library.name}{variant} + {case.codec.name} ({case.codec.format}), {where}",
        functions=sorted(functions, key=lambda one: -one.own_ns),
        root=analysis.flame(raw, functions),
        plain_ns=raw["plain_s"] / raw["loops"] * 1e9,
        profiled_ns=sum(one.own_ns for one in functions),
        python=case.environment.runs_on,
    )


def weighing(name: str = "latest", *, store: str | Path | None = None) -> Weighing:
    """A stored weighing, by id, its beginning or "latest"."""
    with Store(store, read_only=True) as opened:
        return Weighing(load_weighing(opened, name))
