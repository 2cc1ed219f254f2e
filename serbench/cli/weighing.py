"""The commands that measure what is no time of an operation, and why one takes its time."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from serbench.cli.options import (
    AsJson,
    Depth,
    Format,
    Library,
    LiteralStrings,
    MemoryLimit,
    Model,
    Payload,
    Python,
    Records,
    SchemaFile,
    Seed,
    StorePath,
    TimeLimit,
    Workload,
)
from serbench.cli.printing import console, print_json, tell_what_is_lost
from serbench.cli.words import numbers, seconds, size, split


def weigh_command(
    workload: Workload = None,
    records: Records = None,
    depth: Depth = None,
    seed: Seed = 0,
    payload: Payload = None,
    literal_strings: LiteralStrings = False,
    schema: SchemaFile = None,
    model: Model = None,
    library: Library = None,
    format_: Format = None,
    python: Python = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="memory, start, installed, gc or threads; the first three without."),
    ] = None,
    processes: Annotated[int, typer.Option("--processes", help="How many fresh processes a figure rests on.")] = 7,
    stored: Annotated[
        str | None, typer.Option("--stored", metavar="ID", help="Show a stored weighing: its id or latest.")
    ] = None,
    time_limit: TimeLimit = "60s",
    memory_limit: MemoryLimit = "8G",
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Measure memory, start-up, installed size, garbage collection and threads, in passes of their own."""
    from serbench.live import Watcher
    from serbench.passes import METRICS, weigh, weighing

    if stored is not None:
        found = weighing(stored, store=store)
    else:
        tell_what_is_lost(model)
        with Watcher() as watcher:
            found = weigh(
                split(workload) or "client",
                metrics=split(metric) or METRICS,
                processes=processes,
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
                time_limit=seconds("--time-limit", time_limit),
                memory_limit=size("--memory-limit", memory_limit),
                store=store,
                command=shlex.join(["serbench", *sys.argv[1:]]),
                on_progress=watcher.progress,
            )
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found)
