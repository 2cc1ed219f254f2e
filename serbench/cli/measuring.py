"""The commands that measure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.printing import console, print_json, tell_what_is_lost
from serbench.cli.words import INTERRUPTED, UNDECIDED, chosen, fail, fraction, numbers, seconds, size, split, writing


def run_command(
    context: typer.Context,
    workload: options.Workload = None,
    records: options.Records = None,
    depth: options.Depth = None,
    seed: options.Seed = 0,
    payload: options.Payload = None,
    literal_strings: options.LiteralStrings = False,
    schema: options.SchemaFile = None,
    model: options.Model = None,
    library: options.Library = None,
    format_: options.Format = None,
    python: options.Python = None,
    operation: Annotated[
        list[str] | None,
        typer.Option(
            "--operation",
            "-o",
            help="encode, decode, dump, load, dumps, loads, read, build, frame, reject or reject_first; the first two without.",
        ),
    ] = None,
    keeps_all: Annotated[
        bool, typer.Option("--keeps-all", help="Leave out what does not keep every value of the types that are used.")
    ] = False,
    gc: Annotated[str, typer.Option("--gc", help="Garbage collection while timing: on or off.")] = "on",
    effort: options.Effort = "normal",
    precision: Annotated[
        str | None, typer.Option("--precision", help="A row is done at this half-width, such as 2%.")
    ] = None,
    budget: options.Budget = None,
    time_limit: options.TimeLimit = "60s",
    memory_limit: options.MemoryLimit = "8G",
    store: options.StorePath = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished run.")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Conductors side by side, each a block at a time on a core of its own.")
    ] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="tcp://HOST:PORT", help="A Dask scheduler whose workers measure the blocks."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure and rank."""
    from serbench.live import Watcher
    from serbench.measuring import measure
    from serbench.scale_out import elsewhere
    from serbench.verbs import make_plan

    tell_what_is_lost(model)
    plan = make_plan(
        split(workload) or "client",
        records=numbers("--records", records),
        depth=numbers("--depth", depth),
        seed=seed,
        payload=payload,
        literal_strings=literal_strings,
        schema=schema,
        model=model,
        libraries=split(library),
        formats=split(format_),
        python=split(python),
        operations=split(operation) or ("encode", "decode"),
        keeps_all=keeps_all,
        gc=gc,
        effort=effort,
        precision=None if precision is None else fraction("--precision", precision),
        budget=None if budget is None else seconds("--budget", budget),
        time_limit=seconds("--time-limit", time_limit),
        memory_limit=size("--memory-limit", memory_limit),
    )
    if workload and (payload is not None or model is not None):
        fail(f"--{'payload' if model is None else 'model'} is measured in place of --workload; leave one of them out")
    with Watcher() as watcher:
        run = measure(
            plan,
            store=store,
            resume=resume,
            any_plan=not chosen(context, {"store", "resume", "as_json", "jobs", "scheduler"}),
            on_progress=watcher.progress,
            on_wave=watcher.wave,
            where=elsewhere(None, scheduler, jobs),
        )
    if as_json:
        print_json(run.to_data())
    else:
        console().print(run.table())
    if run.info.status == "interrupted":
        in_time = plan.budget_s is None or (run.info.seconds or 0) < plan.budget_s
        what = "interrupted" if in_time else "the budget is used up"
        print(f"{what}; `serbench run --resume` goes on with run {run.id}", file=sys.stderr)
        if in_time:
            raise typer.Exit(INTERRUPTED)


def history_command(
    library: Annotated[str, typer.Argument(help="such as pydantic")],
    versions: Annotated[
        list[str] | None, typer.Argument(help="such as 1.10.2 2.5 installed; what is installed and was added without")
    ] = None,
    workload: options.Workload = None,
    records: options.Records = None,
    depth: options.Depth = None,
    format_: options.Format = None,
    effort: options.Effort = "normal",
    output: Annotated[
        Path | None, typer.Option("--output", help="Write tables, and the figure as a page, into this folder.")
    ] = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure one library over its versions, side by side."""
    from serbench.judging import history
    from serbench.live import Watcher

    with Watcher() as watcher:
        found = history(
            library,
            split(versions),
            split(workload) or "client",
            records=numbers("--records", records),
            depth=numbers("--depth", depth),
            formats=split(format_),
            effort=effort,
            store=store,
            on_progress=watcher.progress,
            on_wave=watcher.wave,
        )
    if output is not None:
        with writing():
            for path in found.write(output):
                print(path, file=sys.stderr)
    if as_json:
        print_json(found.run.to_data())
    else:
        console().print(found)


def gate_command(
    baseline: Annotated[
        str, typer.Option("--baseline", help='What was good: "orjson==3.10", "pydantic@2.5", msgspec.')
    ],
    candidate: Annotated[str, typer.Option("--candidate", help="What is to be judged, named likewise.")],
    module: Annotated[
        Path | None,
        typer.Option("--module", metavar="FILE", help="Your module with encode and decode, at two git revisions."),
    ] = None,
    workload: options.Workload = None,
    records: options.Records = None,
    depth: options.Depth = None,
    payload: options.Payload = None,
    model: options.Model = None,
    library: Annotated[
        str, typer.Option("--library", "-l", help="What the models are written with where codecs are compared.")
    ] = "dataclasses",
    format_: options.Format = None,
    threshold: Annotated[str, typer.Option("--threshold", help="The slowdown that matters.")] = "5%",
    effort: options.Effort = "normal",
    output: Annotated[
        Path | None, typer.Option("--output", help="Append the verdicts as Markdown to this file.")
    ] = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Exit code 1 where the candidate is proven slower, 0 where it is proven not to be, 3 where neither is."""
    from serbench.judging import gate
    from serbench.live import Watcher

    tell_what_is_lost(model)
    with Watcher() as watcher:
        found = gate(
            baseline,
            candidate,
            split(workload) or "client",
            module=module,
            library=library,
            threshold=fraction("--threshold", threshold),
            records=numbers("--records", records),
            depth=numbers("--depth", depth),
            payload=payload,
            model=model,
            formats=split(format_),
            effort=effort,
            store=store,
            on_progress=watcher.progress,
            on_wave=watcher.wave,
        )
    if output is not None:
        with writing(), output.open("a", encoding="utf-8") as file:
            file.write(found.to_markdown())
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found)
    if found.verdict != "fine":
        raise typer.Exit(UNDECIDED if found.verdict == "undecided" else 1)


def recommend_command(
    workload: options.Workload = None,
    records: options.Records = None,
    depth: options.Depth = None,
    seed: options.Seed = 0,
    payload: options.Payload = None,
    literal_strings: options.LiteralStrings = False,
    schema: options.SchemaFile = None,
    model: options.Model = None,
    library: options.Library = None,
    format_: options.Format = None,
    demand: Annotated[
        list[str] | None,
        typer.Option(
            "--demand",
            help="human-readable, validating, no-compiled-code, standard-library, exact-decimal or keeps-all; more than one.",
        ),
    ] = None,
    present: Annotated[
        str | None, typer.Option("--present", metavar="LIBRARY/CODEC", help="What you use today, as pydantic/json.")
    ] = None,
    measured: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Judge by a stored run: its id, its beginning or latest.")
    ] = None,
    effort: options.Effort = "quick",
    budget: options.Budget = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure, and say what to choose."""
    from serbench.advice import recommend
    from serbench.live import Watcher
    from serbench.verbs import load

    tell_what_is_lost(model)
    with Watcher() as watcher:
        found = recommend(
            split(workload) or "client",
            demands=split(demand),
            present=present,
            measured=None if measured is None else load(measured, store=store),
            records=numbers("--records", records),
            depth=numbers("--depth", depth),
            seed=seed,
            payload=payload,
            literal_strings=literal_strings,
            schema=schema,
            model=model,
            libraries=split(library),
            formats=split(format_),
            effort=effort,
            budget=None if budget is None else seconds("--budget", budget),
            store=store,
            on_progress=watcher.progress,
            on_wave=watcher.wave,
        )
    if as_json:
        print_json(found.to_data())
    else:
        print(found)
