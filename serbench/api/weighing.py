"""The public functions weigh and weighing, and the published costs besides time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, Unpack

from serbench.api import choices
from serbench.api.calling import call_text, plan_of, public, several
from serbench.display import words
from serbench.display.table import BREAK, Column, Table, Tables, code, escaped
from serbench.display.values import Displayed
from serbench.errors import PlanError, check, checked, if_interrupted, parsed
from serbench.judge.outcomes import Weight
from serbench.machine.platform import machine
from serbench.measure.plan import Plan, blocks, maker
from serbench.measure.weighing import ALL_METRICS, METRICS, SERVED, load_generator, weights
from serbench.render.environments import main_environment
from serbench.results import bracketed, grouped
from serbench.store.active_run import versions_of
from serbench.store.archive import resources
from serbench.store.folder import check_facts
from serbench.store.opening import store_option
from serbench.store.recorder import RunListener
from serbench.store.store import Store, StoredWeighing, add_weights, load_weighing

START_MEMORY = "start memory"
TITLES = {name: f"{name}: {metric.title}" for name, metric in ALL_METRICS.items()}
TITLES[START_MEMORY] = "start: by how much a fresh process is larger afterwards, in resident memory"
UNITS = {"bytes": words.BYTES, "ns": words.UNITS}
GAIN = 1.1
"""Two threads that do no more than that in place of one may do so by chance."""
_CASE = attrgetter("library", "variant", "environment", "codec", "format")


def weight_tables(weights: Iterable[Weight]) -> list[Table]:
    """A table for each workload point and metric, its cases ordered by their first quantity; `start` has one of memory too."""
    return [
        _table(kind, group)
        for (_, kind), group in grouped(weights, lambda weight: (weight.point, _kind(weight))).items()
    ]


def _kind(weight: Weight) -> str:
    return START_MEMORY if weight.metric == "start" and weight.unit == "bytes" else weight.metric


def _table(kind: str, weights: Sequence[Weight]) -> Table:
    cases = [{weight.quantity: weight for weight in members} for members in grouped(weights, _CASE).values()]
    units = {weight.quantity: weight.unit for weight in weights if weight.value is not None}

    def sort_key(case: Mapping[str, Weight]) -> float:
        first = next(iter(units))
        value = case[first].value if first in case else None
        return math.inf if value is None else -value if first == "requests" else value

    shown = sorted((case for case in cases if any(weight.value is not None for weight in case.values())), key=sort_key)
    firsts = [next(iter(case.values())) for case in shown]
    title = f"{TITLES.get(kind, kind)} — {words.data_words(weights[0].point)}"
    columns = [
        Column("endpoint" if kind in SERVED else "library", list(map(_library, firsts)), "left"),
        Column("codec", list(map(words.codec_label, firsts)), "left"),
    ]
    for name, unit in units.items():
        values = [weight.value for weight in weights if weight.quantity == name and weight.value is not None]
        scale, scaled = words.unit_of(values, UNITS[unit]) if unit in UNITS else (1.0, unit)
        heading = " ".join(filter(None, (name.replace("_", " "), scaled)))
        columns.append(Column(heading, [_figure(case.get(name), scale) for case in shown]))
        if name == "decode_retained":
            each = [case[name].per_record if name in case else None for case in shown]
            scale, scaled = words.unit_of([value for value in each if value is not None], words.BYTES)
            columns.append(Column(f"{scaled}/record", [words.number(value, scale) for value in each]))
    return Table(title, columns, notes=[*_leaks(weights), *_reasons(weights)])


def _library(weight: Weight) -> str:
    where = "" if weight.environment == "main" else f"({weight.environment})"
    return " ".join(filter(None, (weight.library, bracketed(weight.variant), where)))


def _figure(weight: Weight | None, scale: float = 1.0) -> str:
    """A median with the interval behind it, or with the extremes of what a server does: "1.32 (1.30–1.35)"."""
    if weight is None or weight.value is None:
        return ""
    if weight.unit == "":
        return f"{weight.value:,.0f}"
    text = words.three_digits(weight.value / scale)
    extremes = (min(weight.readings), max(weight.readings)) if weight.metric in SERVED else weight.interval
    ends = [words.three_digits(end / scale) for end in extremes or ()]
    return text if set(ends) <= {text} else f"{text} ({ends[0]}–{ends[1]})"


def _leaks(weights: Sequence[Weight]) -> list[str]:
    judged = [weight for weight in weights if weight.leaks is not None]
    if not judged:
        measured = weights[0].metric == "leak" and any(weight.value is not None for weight in weights)
        return ["whether this is a leak is judged by an interval, which needs at least 6 processes"] if measured else []

    def operation_of(weight: Weight) -> tuple[str, str]:
        return _case_name(weight), weight.quantity.rpartition("_")[0]

    lines = []
    for (name, operation), members in grouped(filter(attrgetter("leaks"), judged), operation_of).items():
        much = ", ".join(f"{_figure(weight)} {weight.quantity.rpartition('_')[2]}" for weight in members)
        lines.append(f"{name} leaks in {operation}: {much} per call")
    return lines or [f"no leak is proven in {words.counted(len(set(map(operation_of, judged))), 'operation')}"]


def _case_name(weight: Weight) -> str:
    return words.case_words(_library(weight), weight.library, weight.codec, weight.format)


def _reasons(weights: Sequence[Weight]) -> list[str]:
    failed = grouped(
        (weight for weight in weights if weight.reason),
        lambda weight: (weight.quantity.replace("_", " "), " ".join(str(weight.reason).split())),
    )
    named = {about: ", ".join(dict.fromkeys(map(_case_name, members))) for about, members in failed.items()}
    return [": ".join(filter(None, (names, *about))) for about, names in named.items()]


def thread_sentences(weights: Iterable[Weight]) -> list[str]:
    """Say for each environment which operations do more in two threads than in one."""
    measured = [weight for weight in weights if weight.quantity.endswith("_2_threads") and weight.value is not None]
    return [_threads(members) for members in grouped(measured, attrgetter("environment")).values()]


def _threads(weights: Sequence[Weight]) -> str:
    more = [weight for weight in weights if (weight.interval or (weight.value or 0.0,))[0] > GAIN]
    cases = grouped(more, words.plain_name)
    gains = {
        case: ", ".join(f"{weight.quantity.partition('_')[0]} {weight.value:.2f}×" for weight in members)
        for case, members in cases.items()
    }
    where = f"{weights[0].environment}: " if weights[0].environment != "main" else ""
    head = f"{where}operations that do more than {GAIN} times as much in two threads: {len(more)} of {len(weights)}"
    return _listed(head, [f"{case} ({gain})" for case, gain in gains.items()], "; ")


def _listed(head: str, names: Sequence[str], between: str) -> str:
    return f"{head}: {between.join(names)}" if names else head


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
        return Tables(weight_tables(self.rows), about=[how, *words.about_lines(self.info, None)])


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
        name = opened.add_entry("weighing", command, {"plan": facts, "machine": machine(), "versions": versions})
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
QUESTION = "What do libraries and codecs cost besides time: memory, start, size, threads?"


@dataclass(frozen=True)
class Cost(Weighing):
    """A published weighing, whose id is the name of its file; it displays itself."""

    @property
    def about(self) -> list[str]:
        """The date, the machine and the versions, in two lines."""
        info = self.info
        return [
            f"Measured on {info.started[:10]}: {words.machine_line(info.machine)}",
            words.versions_line(info.versions),
        ]

    @cached_property
    def tables(self) -> list[Table]:
        """Its tables, after sentences on threads."""
        sentences = thread_sentences(self.rows)
        return [*([Table("", (), notes=sentences)] if sentences else []), *weight_tables(self.rows)]

    def table(self) -> Tables:
        """Its tables, with what they hold for."""
        return Tables(self.tables, about=self.about)

    def to_markdown(self) -> str:
        """A section of the published page."""
        return f"## {escaped(self.info.id)}\n\n{code(self.info.command)}\n\n{self.table().to_markdown()}"


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
    known = {cost.info.id: cost for cost in costs}
    check("costs", name, known)
    few = [replace(table.leading(count), notes=() if table.columns else table.notes) for table in known[name].tables]
    about = BREAK.join(map(escaped, known[name].about))
    link = f"All lines: [{name}](../data/{PUBLISHED}/results.md#{name})"
    return "\n\n".join([*(table.to_markdown() for table in few), f"{about}{BREAK}{link}"])


def _read(path: Path) -> Cost:
    try:
        data = checked(dict[str, Any], parsed(path.read_text(encoding="utf-8"), "costs"), "costs")
        facts = {**data, "id": path.stem, "started": data.get("date"), "plan": {}}
        cost = Cost(checked(StoredWeighing, facts, "costs"))
        check_facts(cost.info.machine, "machine")
        _ = cost.tables  # which finds figures that cannot be
    except (OSError, ValueError, ArithmeticError) as error:
        raise PlanError(f"{path} has no readable costs ({error}); measure them again") from None
    return cost
