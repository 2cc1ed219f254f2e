"""The public verbs beside time: weigh (memory, start-up, installed size, …) and profile (why a case is slow)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench import analysis
from serbench.engine.listener import Progress
from serbench.engine.plan import blocks
from serbench.engine.weighing import PASSES
from serbench.engine.weighing import weigh as weighed
from serbench.environment_verbs import maker
from serbench.environments.fingerprint import machine
from serbench.names import PlanError, check
from serbench.store import Store, StoredWeighing, add_weights, begin_weighing, load_weighing
from serbench.verbs import Names, make_plan, names_of, versions_of

if TYPE_CHECKING:
    from rich.console import Group

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


def weighing(name: str = "latest", *, store: str | Path | None = None) -> Weighing:
    """A stored weighing, by id, its beginning or "latest"."""
    with Store(store, read_only=True) as opened:
        return Weighing(load_weighing(opened, name))
