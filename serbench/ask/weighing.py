"""The public functions weigh (memory, start-up, installed size, …) and profile."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Unpack

from serbench.ask import choices
from serbench.ask.calling import call_text, case_blocks, one_model, plan_of, public, several
from serbench.display.costs import weight_tables
from serbench.display.profile import Frame, HotFunction, flame, flame_svg, hot_functions, profile_table
from serbench.display.table import Tables
from serbench.display.values import Displayed
from serbench.display.words import about_lines, case_words
from serbench.errors import PlanError, check, if_interrupted
from serbench.judge.weights import Weight
from serbench.keep.active_run import versions_of
from serbench.keep.opening import store_option
from serbench.keep.recorder import RunListener
from serbench.keep.store import Store
from serbench.keep.timings import environments_of
from serbench.keep.weighings import StoredWeighing, add_weights, begin_weighing, load_weighing
from serbench.measure.plan import blocks, maker
from serbench.measure.sessions.session import RequestLimits
from serbench.measure.weighing import METRICS, module_weights, profiled, user_modules, weights
from serbench.render.environments.platform import machine
from serbench.results import bracketed

USUAL = ("memory", "start", "installed")
PROCESSES = 7


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
            "rows": [weight.as_data() for weight in self.rows],
        }

    def table(self) -> Tables:
        """A table for each metric and workload point."""
        how = "medians over fresh processes; in brackets an interval that holds the median with 95 %"
        return Tables(weight_tables(self.rows), about=[how, *about_lines(self.info, None)])


@public
def weigh(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    requirements: choices.With = (),
    modules: choices.UserModules = (),
    metrics: choices.Metrics = None,
    processes: choices.Processes = PROCESSES,
    command: choices.Command = None,
    **options: Unpack[choices.Proof],
) -> Weighing:
    """Measure the costs of cases other than time, each metric in a separate pass, and store them.

    With `modules`, these are weighed side by side in place of cases: what import and first use cost, or if a call leaks.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    values = {
        "workload": workload,
        "libraries": libraries,
        "modules": modules,
        "requirements": requirements,
        "metrics": metrics,
        "processes": processes,
        "command": command,
        **options,
    }
    plan = plan_of({**values, "conditions": "hot"})
    named = (modules,) if isinstance(modules, str) else tuple(modules)
    chosen = (("start",) if named else USUAL) if metrics is None else several(metrics)
    for name in chosen or ("",):
        check("metric", name, METRICS)
    if processes < 1:
        raise PlanError(f"processes must be at least 1, not {processes}")
    if others := set(plan.operations) - {"encode", "decode"}:
        raise PlanError(f"only encode and decode are weighed, not {', '.join(sorted(others))}")
    listener = options["listener"] or RunListener()
    facts = {"metrics": list(chosen), "processes": processes}
    if named:
        users, limits = user_modules(named, chosen), RequestLimits(plan.time_limit_s, plan.memory_limit_bytes)
        environments, versions = environments_of(requirements, listener.progress)
        weighed = module_weights(users, environments, chosen, processes, limits, listener.progress)
        facts |= {"modules": list(named), "requirements": list(requirements)}
    else:
        prepared = blocks(plan, maker(listener))
        first = next(prepared)  # a choice that cannot be weighed is refused before anything is written
        versions = versions_of(first)
        weighed = weights(plan, chain([first], prepared), chosen, processes, listener.progress)
        facts = {**plan.as_data(), **facts}
    with Store(options["store"]) as opened:
        name = begin_weighing(
            opened, command=command or call_text(weigh, values, plan), plan=facts, machine=machine(), versions=versions
        )
        with if_interrupted(
            lambda: f"what was weighed is kept: `serbench weigh --stored {name}{store_option(opened.path)}` shows it"
        ):
            for weight in weighed:
                add_weights(opened, name, [weight])
        return Weighing(load_weighing(opened, name))


@dataclass(frozen=True)
class Profile(Displayed):
    """The functions in which an operation spends its time; it displays itself.

    Attributes:
        title: the case, the operation and the data.
        functions: the hottest functions, by their own time.
        root: the calls as a tree, from the operation down.
        plain_ns, profiled_ns: wall time of one operation, plain and under the profiler.
        python: the Python that it ran on.
    """

    title: str
    functions: list[HotFunction]
    root: Frame
    plain_ns: float
    profiled_ns: float
    python: str

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench explain --profile --json` prints."""
        facts = {name: getattr(self, name) for name in ("title", "python", "plain_ns", "profiled_ns")}
        return {**facts, "functions": list(map(asdict, self.functions)), "flame": asdict(self.root)}

    def to_svg(self) -> str:
        """The flame graph as a file of its own."""
        return flame_svg(self.root, self.title)

    def table(self, top: int = 20) -> Tables:
        """The hottest functions, by their own time."""
        slower = self.profiled_ns / self.plain_ns
        notes = [
            f"under the profiler it took {slower:.1f} times as long, which makes functions that are called often look slower",
            "compiled functions have a row where Python calls them; what they call themselves is not seen",
        ]
        return profile_table(self.functions[:top], self.title, notes)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, the flame graph for notebooks."""
        return {"text/plain": str(self), "image/svg+xml": self.to_svg()}


@public
def profile(
    library: choices.LibraryName,
    codec: choices.CodecName,
    workload: choices.OneWorkload = "client",
    *,
    operation: choices.OneOperation = "decode",
    model: choices.Model = None,
    python: choices.OnePython = None,
    listener: choices.Listener = None,
    **options: Unpack[choices.OneDocument],
) -> Profile:
    """Find the functions that take the time of one operation, in a process of the library's environment.

    A format means the codec that the library's authors recommend for it. With `model`,
    the library may be "yours", which is your class, or "yours via cattrs".

    Raises:
        PlanError, WorkloadError: one line that says what to do instead.
    """
    plan = plan_of(
        {
            **options,
            "libraries": [library],
            "formats": [codec],
            "model": one_model(model, "explain --profile"),
            "workload": workload,
            "operations": {"encode", "decode", operation},
            "python": python,
            "conditions": "hot",
        }
    )
    every = list(case_blocks(plan, codec, listener or RunListener()))
    block = next((one for one in every if operation in one.cases[0].operations), every[0])
    (case,) = block.cases
    raw = profiled(plan, block, operation)
    functions = hot_functions(raw, case.module_name)
    point = block.point
    library = case.library.name
    name = case_words(f"{library}{bracketed(case.variant)}", library, case.codec.name, case.codec.format)
    where = f"{point.workload}, {point.records:,} records, depth {point.depth}"
    return Profile(
        title=f"{operation}: {name}, {where}",
        functions=sorted(functions, key=lambda one: -one.own_ns),
        root=flame(raw, functions),
        plain_ns=raw["plain_ns"],
        profiled_ns=sum(one.own_ns for one in functions),
        python=case.environment.runs_on,
    )


@public
def weighing(name: choices.RunName = "latest", *, store: choices.Store = None) -> Weighing:
    """Return a stored weighing.

    Raises:
        StoreError: the name means no weighing, or several.
    """
    with Store(store, read_only=True) as opened:
        return Weighing(load_weighing(opened, name))
