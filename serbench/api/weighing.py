"""The public functions weigh and weighing, and the published costs besides time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Unpack

from serbench.api import choices
from serbench.api.calling import call_text, plan_of, public, several
from serbench.display import words
from serbench.display.costs import (
    limit_sentences,
    limits_table,
    thread_sentences,
    weight_tables,
)
from serbench.display.table import BREAK, Table, Tables, code, escaped
from serbench.display.values import Displayed
from serbench.display.words import about_lines
from serbench.errors import PlanError, check, checked, if_interrupted, parsed
from serbench.judge.outcomes import Behaviour, Weight
from serbench.machine.platform import machine, now
from serbench.measure.plan import Plan, blocks, maker
from serbench.measure.servers import load_generator
from serbench.measure.weighing import METRICS, SERVED, weights
from serbench.render.codec import codecs as known_codecs
from serbench.render.environments import main_environment
from serbench.store.active_run import versions_of
from serbench.store.archive import resources
from serbench.store.folder import check_facts
from serbench.store.opening import store_option
from serbench.store.recorder import RunListener
from serbench.store.store import Store, StoredWeighing, add_weights, begin_weighing, load_weighing

USUAL = ("memory", "start", "installed")
PROCESSES, MOST_PROCESSES = 7, 1000
THROUGH_SERVERS = "indicative: the server had one of {cores} cores, and wrk another; medians over fresh servers, in brackets the least and the most"


@dataclass(frozen=True)
class Weighing(Displayed):
    """The weights of cases; it displays itself.

    Attributes:
        info: its id, date, command, plan, machine, versions, and the raw weights.
    """

    info: StoredWeighing

    @property
    def rows(self) -> list[Weight]:
        """A row for each case, metric and quantity."""
        return self.info.weights

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench weigh --json` prints."""
        info = self.info
        return {
            "weighing": info.id,
            "date": info.started,
            "command": info.command,
            "machine": dict(info.machine),
            "versions": dict(info.versions),
            **({"indicative": True} if self._is_served else {}),
            "rows": [weight.as_data() for weight in self.rows],
        }

    @property
    def _is_served(self) -> bool:
        return any(row.metric in SERVED for row in self.rows)

    def table(self) -> Tables:
        """A table for each metric and workload point."""
        how = "medians over fresh processes, with 95% confidence intervals in brackets"
        if self._is_served:
            how = THROUGH_SERVERS.format(cores=self.info.machine.get("usable_cores") or self.info.machine["cores"])
        return Tables(weight_tables(self.rows), about=[how, *about_lines(self.info, None)])


@public
def weigh(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    metrics: choices.Metrics = None,
    processes: choices.Processes = PROCESSES,
    command: choices.Command = None,
    **options: Unpack[choices.Proof],
) -> Weighing:
    """Measure the costs of cases other than time, each metric in a separate pass, and store them.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    values = {**locals(), **options}
    plan = plan_of({**values, "conditions": "hot"})
    chosen = USUAL if metrics is None else several(metrics)
    for name in chosen or ("",):
        check("metric", name, METRICS)
    if not 1 <= processes <= MOST_PROCESSES:
        raise PlanError(f"processes must be between 1 and {MOST_PROCESSES:,}, not {processes:,}")
    if others := set(plan.operations) - {"encode", "decode"}:
        raise PlanError(f"only encode and decode are weighed, not {', '.join(sorted(others))}")
    return _weighed(weigh, values, plan, chosen, processes)


@public
def serve(
    workload: choices.Names = "client",
    *,
    endpoints: choices.Names,
    servers: choices.Servers,
    request: str | None = None,
    effort: str = "normal",
    command: choices.Command = None,
    **options: Unpack[choices.Limited],
) -> Weighing:
    """Send requests to endpoints through a server, with wrk, in rounds of fresh servers; store the figures.

    Returns:
        Requests per second, latency and memory of each endpoint; or why it has none.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    values = {**locals(), **options}
    plan = plan_of({**values, "conditions": "hot", "operations": "encode"})
    chosen = several(servers)
    for name in chosen:
        check("server", name, SERVED)
    load_generator()
    return _weighed(serve, values, plan, chosen, plan.rules.waves_min)


def _weighed(
    function: Callable[..., Weighing], values: Mapping[str, Any], plan: Plan, chosen: Sequence[str], processes: int
) -> Weighing:
    listener = values["listener"] or RunListener()
    facts = {**plan.as_data(), "metrics": list(chosen), "processes": processes}
    prepared = blocks(plan, maker(listener))
    first = next(prepared)  # a choice that cannot be weighed is refused before anything is written
    here = main_environment()
    versions = versions_of(first) | {name: here.installed(name) or "" for name in chosen if name in SERVED}
    weighed = weights(plan, chain([first], prepared), chosen, processes, listener.progress)
    with Store(values["store"]) as opened:
        command = values["command"] or call_text(function, values, plan)
        name = begin_weighing(opened, command=command, plan=facts, machine=machine(), versions=versions)
        with if_interrupted(
            lambda: f"what was weighed is kept: `serbench weigh --stored {name}{store_option(opened.path)}` shows it"
        ):
            for weight in weighed:
                add_weights(opened, name, [weight])
        return Weighing(load_weighing(opened, name))


@public
def weighing(name: choices.RunName = "latest", *, store: choices.Store = None) -> Weighing:
    """Return a stored weighing.

    Raises:
        StoreError: the name matches no weighing, or several.
    """
    with Store(store, read_only=True) as opened:
        return Weighing(load_weighing(opened, name))


PUBLISHED = "costs"
QUESTION = "What do libraries and codecs cost besides time: memory, start, size, threads, limits?"


@dataclass(frozen=True)
class Cost(Displayed):
    """The costs besides time that one command found; it displays itself.

    Attributes:
        name: of its file, such as "memory".
        command: what was typed.
        date: ISO 8601 in UTC.
        machine: in a line.
        versions: distribution → version.
        tables: its tables.
        rows: the facts of each row.
    """

    name: str
    command: str
    date: str
    machine: str
    versions: Mapping[str, str]
    tables: tuple[Table, ...] = field(repr=False)
    rows: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def about(self) -> list[str]:
        """The date, the machine and the versions, in two lines."""
        return [f"Measured on {self.date[:10]}: {self.machine}", words.versions_line(self.versions)]

    def table(self) -> Tables:
        """Its tables, with what they hold for."""
        return Tables(self.tables, about=self.about)

    def to_data(self) -> dict[str, Any]:
        """The contents of the file, with its rows."""
        facts = {name: value for name, value in vars(self).items() if name != "tables"}
        return {**facts, "versions": dict(self.versions), "rows": list(self.rows)}

    def to_markdown(self) -> str:
        """A section of the published page."""
        return f"## {escaped(self.name)}\n\n{code(self.command)}\n\n{self.table().to_markdown()}"


@dataclass(frozen=True)
class _File:
    """The rows of a file of costs, all of one kind."""

    command: str
    date: str
    machine: str | dict[str, Any]
    versions: dict[str, str]
    weights: list[Weight] | None = None
    limits: list[Behaviour] | None = None


def facts_of(command: str, codecs: Iterable[str]) -> dict[str, Any]:
    """Return the facts of a file about codecs, each "codec/format", of serbench's own installation, measured now."""
    environment, named = main_environment(), set(codecs)
    served = (codec for codec in known_codecs() if f"{codec.name}/{codec.format}" in named)
    versions = environment.versions({codec.distribution for codec in served if codec.distribution})
    return {"command": command, "date": now(), "machine": words.machine_line(machine()), "versions": versions}


def published_costs(data: str | Path | None = None) -> tuple[Cost, ...]:
    """Return the costs in a folder of results (default: serbench's own), by the names of their files.

    Raises:
        PlanError: a file is damaged.
    """
    folder = Path(resources("data") if data is None else data, PUBLISHED)
    return tuple(map(_read, sorted(folder.glob("*.json"))))


def costs_markdown(costs: Sequence[Cost]) -> str:
    """All published costs as one page."""
    return "\n".join(["# Costs besides time", "", QUESTION, "", *(cost.to_markdown() for cost in costs)])


def leading(costs: Sequence[Cost], name: str, count: int) -> str:
    """The first lines of the tables of one file, as Markdown.

    Raises:
        PlanError: there is no file of that name.
    """
    known = {cost.name: cost for cost in costs}
    check("costs", name, known)
    few = [replace(table.leading(count), notes=() if table.columns else table.notes) for table in known[name].tables]
    about = BREAK.join(map(escaped, known[name].about))
    link = f"All lines: [{name}](../data/{PUBLISHED}/results.md#{name})"
    return "\n\n".join([*(table.to_markdown() for table in few), f"{about}{BREAK}{link}"])


def _read(path: Path) -> Cost:
    try:
        data = checked(_File, parsed(path.read_text(encoding="utf-8"), "costs"), "costs")
        kind, rows = next((name, rows) for name in _TABLES if (rows := getattr(data, name)) is not None)
        machine = data.machine
        if not isinstance(machine, str):
            check_facts(machine, "machine")
            machine = words.machine_line(machine)
        facts = tuple(row.as_data() if isinstance(row, Weight) else asdict(row) for row in rows)
        sentences, tables = _TABLES[kind](rows)
        told = [Table("", (), notes=sentences)] if sentences or kind != "weights" else []
        return Cost(path.stem, data.command, data.date, machine, data.versions, (*told, *tables), facts)
    except (OSError, ValueError, ArithmeticError, StopIteration) as error:
        raise PlanError(f"{path} has no readable costs ({error or 'no rows'}); measure them again") from None


_TABLES: Mapping[str, Callable[[Any], tuple[list[str], list[Table]]]] = {
    "weights": lambda weights: (thread_sentences(weights), weight_tables(weights)),
    "limits": lambda behaviours: (limit_sentences(behaviours), [limits_table(behaviours)]),
}
"""Kind of rows → what is said of them, and their tables."""
