"""The public verbs: run, verify, show, compare, and what there is to choose from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, overload

from serbench import analysis
from serbench.cases import Case, render
from serbench.engine.conduct import conduct
from serbench.engine.listener import Progress
from serbench.engine.plan import Plan, blocks, datasets
from serbench.engine.results import Cell
from serbench.engine.selection import Place, find_case
from serbench.environment_verbs import maker
from serbench.environments import Environment, main_environment
from serbench.environments.build import built
from serbench.libraries import Library
from serbench.measuring import measure
from serbench.names import PlanError
from serbench.own_model import locate
from serbench.recorder import Recorder
from serbench.result import Run
from serbench.scale_out import elsewhere
from serbench.store import RunInfo, Store, StoreError, default_path
from serbench.timings import Timings, time_expressions
from serbench.workloads import keep

Names = str | Iterable[str] | None
Numbers = int | Iterable[int] | None


def make_plan(
    workload: Names = "client",
    *,
    records: Numbers = None,
    depth: Numbers = None,
    seed: int = 0,
    payload: object = None,
    literal_strings: bool = False,
    schema: str | os.PathLike[str] | None = None,
    model: str | None = None,
    libraries: Names = None,
    formats: Names = None,
    python: Names = None,
    operations: Names = ("encode", "decode"),
    paired: bool = False,
    keeps_all: bool = False,
    gc: str = "on",
    effort: str = "normal",
    precision: float | None = None,
    budget: float | None = None,
    time_limit: float = 60.0,
    memory_limit: int = 8 << 30,
) -> Plan:
    """The plan for these choices; see `run` for what they mean."""
    if schema is not None and payload is None:
        raise PlanError("a schema describes a payload; give one with --payload")
    if schema is not None and model is not None:
        raise PlanError("a model is its own schema; leave --schema out")
    plan = Plan(
        workloads=() if payload is not None or model is not None else names_of(workload),
        records=_numbers(records),
        depth=_numbers(depth),
        seed=seed,
        payload=_payload(payload),
        literal_strings=literal_strings,
        schema=None if schema is None else str(Path(schema).absolute()),
        model=None if model is None else locate(model),
        libraries=names_of(libraries),
        formats=names_of(formats),
        python=names_of(python),
        operations=names_of(operations),
        paired=paired,
        keeps_all=keeps_all,
        gc=gc,
        effort=effort,
        precision=precision,
        budget_s=budget,
        time_limit_s=time_limit,
        memory_limit_bytes=memory_limit,
    )
    if not plan.workloads and payload is None and model is None:
        raise PlanError("no workload to measure; `serbench list workloads` names them")
    return plan


def run(
    workload: Names = "client",
    *,
    store: str | Path | None = None,
    resume: bool = False,
    command: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_wave: Callable[[Run], None] | None = None,
    on_visit: Callable[[Run], None] | None = None,
    cancel: threading.Event | None = None,
    progress: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    executor: Executor | None = None,
    **choices: Any,
) -> Run:
    """Measure, and keep every sample in the store as it is taken.

    Args:
        workload: one name or several; `serbench list workloads` tells them.
        store: the SQLite file; the user's data folder without, or `$SERBENCH_STORE`.
        resume: go on with the newest unfinished run of the same plan.
        command: how the run is called in its record; this call without.
        on_progress: hears each step; it may be called from another thread.
        on_wave: gets the run as it stands after each wave.
        on_visit: gets it several times a wave, whenever a few cases have been measured.
        cancel: an event that another thread may set: it ends the run as Ctrl-C does.
        progress: show how far it is, in a notebook as a line that changes and elsewhere on standard error.
        jobs: how many conductors measure side by side, each a block at a time on a core of its own.
        scheduler: the address of a Dask scheduler, such as "tcp://host:8786", whose workers measure the blocks.
        executor: any other `concurrent.futures.Executor` that does so; it is not shut down.
        **choices: `records` and `depth` (one number or several; the workload's own without), `seed`,
            `payload` (a file or a Python object to measure in place of a workload), `literal_strings` (whether its
            texts are nothing but texts, even if they look like dates), `schema` (a file with a JSON Schema that
            describes it), `model` (a class of your own as "module:Class", measured as one more library),
            `libraries` ("msgspec", "msgspec[gc=False]", "msgspec[*]", "pydantic@2.5", "pydantic@*", "installed",
            "all"; the core ones and added rows without), `formats` (formats or codecs, "all"; the core codecs
            without), `python` (interpreters, such as "main,pypy3"), `operations` (those of `OPERATIONS` in
            `serbench.engine.results`), `paired` (visit cases together that differ in their library alone, as `gate`
            does), `keeps_all` (leave out what does not keep every value of the types that the data
            uses), `gc` ("on" or "off"), `effort` ("quick", "normal", "thorough"), `precision` (0.02 is ±2 %), `budget`
            (seconds), `time_limit` (seconds for one request) and `memory_limit` (bytes for a worker).

    Returns:
        The run; after Ctrl-C with what was measured until then.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    from serbench.live import Watcher

    plan = make_plan(workload, **choices)
    ways = {"jobs": jobs if jobs > 1 else None, "scheduler": scheduler}
    named = {**choices, **{name: way for name, way in ways.items() if way is not None}}
    given = [repr(workload), *(f"{name}={choice!r}" for name, choice in named.items())]
    with Watcher(quiet=not progress) as watcher:
        return measure(
            plan,
            store=store,
            resume=resume,
            command=command or f"serbench.run({', '.join(given)})",
            on_progress=on_progress or watcher.progress,
            on_wave=on_wave or (watcher.wave if progress else None),
            on_visit=on_visit,
            cancel=cancel,
            where=elsewhere(executor, scheduler, jobs),
        )


def verify(
    workload: Names = "client",
    *,
    store: str | Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    **choices: Any,
) -> list[Cell]:
    """Prove every case without timing it, and find out what it does with bad input.

    Takes the choices of `run`. The store remembers the work classes, for `serbench list libraries`; it is
    done without where none is named and the usual one cannot be written.

    Returns:
        A cell per case and operation: "ok" with sizes and work class, or a status with its reason.
    """
    plan = make_plan(workload, **choices)
    with _memory(store) as opened:
        recorder = Recorder(opened, on_progress=on_progress)
        conduct(plan, blocks(plan, maker(on_progress)), recorder, timed=False)
    return [cell for cell in recorder.known.values() if not cell.control]


def show(
    library: str,
    codec: str,
    workload: str = "client",
    *,
    records: int | None = None,
    depth: int | None = None,
    payload: object = None,
    literal_strings: bool = False,
    schema: str | os.PathLike[str] | None = None,
    model: str | None = None,
) -> Case:
    """The exact source that is measured for a library ("msgspec" or "msgspec[gc=False]") and a codec.

    `codec` is a codec, a format (then the codec that the library's authors recommend for it) or
    `codec/format`.

    Raises:
        PlanError: unknown names, or a case that cannot be: the message says why.
    """
    found, variant, chosen = find_case(library, codec)
    plan = make_plan(
        workload,
        records=records,
        depth=depth,
        payload=payload,
        literal_strings=literal_strings,
        schema=schema,
        model=model,
    )
    dataset = next(datasets(plan))
    case = render(found, variant, chosen, dataset.schema, _environment(found))
    if case.reason is not None:
        raise PlanError(f"{found.name} with {chosen.name} cannot carry {dataset.name}: {case.reason}")
    return case


@overload
def compare(run_a: str, run_b: str = "latest", *, store: str | Path | None = None) -> analysis.Comparison: ...


@overload
def compare(run_a: Mapping[str, str | Callable[[], Any]]) -> Timings: ...


def compare(
    run_a: str | Mapping[str, str | Callable[[], Any]], run_b: str = "latest", *, store: str | Path | None = None
) -> analysis.Comparison | Timings:
    """Two stored runs, or any functions: `compare({"a": f, "b": g})` times both in turn, as `%serbench` does.

    Two stored runs: which common cells became faster or slower, as far as that can be proven.

    The runs are named by id, its beginning or "latest".

    Raises:
        PlanError: both names mean the same run.
        StoreError: a name means no run, or several.
    """
    if not isinstance(run_a, str):
        return time_expressions(run_a)
    with Store(store, read_only=True) as opened:
        first, second = opened.load(run_a), opened.load(run_b)
        if first.id == second.id:
            raise PlanError(f"run {first.id} cannot be compared with itself; `serbench list runs` names the others")
        return analysis.compare_runs(first, second)


def load(run: str = "latest", *, store: str | Path | None = None) -> Run:
    """A stored run, by id, its beginning or "latest"."""
    with Store(store, read_only=True) as opened:
        return Run.from_store(opened.load(run))


def runs(*, store: str | Path | None = None) -> list[RunInfo]:
    """The stored runs, newest first."""
    with Store(store, read_only=True) as opened:
        return opened.runs()


def _environment(library: Library) -> Environment:
    """Where a library is shown: its environment if that is made, with the Python that it asks for if not."""
    recipe = Place(library).recipe()
    found = built().get(recipe)
    if found is not None:
        return found
    major, _, minor = recipe.python.partition(".")
    version = (int(major), int(minor)) if major.isdigit() and minor.isdigit() else main_environment().version
    return Environment(recipe.name, "", version)


def _memory(store: str | Path | None) -> AbstractContextManager[Store | None]:
    """The named store; the usual one, or none, where none is named."""
    try:
        return Store(store)
    except StoreError:
        if store is not None:
            raise
        return nullcontext()


def _payload(payload: object) -> str | None:
    """The absolute path of a payload; an object is kept beside the store, so that its run can go on and be looked up."""
    if payload is None:
        return None
    if not isinstance(payload, str | os.PathLike):
        payload = keep(payload, default_path().parent / "payloads")
    return str(Path(payload).absolute())


def names_of(names: Names) -> tuple[str, ...]:
    """One name or several, separated by commas or as they are; none at all for None."""
    if names is None:
        return ()
    return tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)


def _numbers(numbers: Numbers) -> tuple[int, ...]:
    if numbers is None:
        return ()
    return (numbers,) if isinstance(numbers, int) else tuple(numbers)
