"""The commands that measure what is no time of an operation, and why one takes its time."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.printing import console, print_json, tell_what_is_lost
from serbench.cli.words import numbers, seconds, size, split, writing
from serbench.files import write_file


def weigh_command(
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
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="memory, start, installed, gc or threads; the first three without."),
    ] = None,
    processes: Annotated[int, typer.Option("--processes", help="How many fresh processes a figure rests on.")] = 7,
    stored: Annotated[
        str | None, typer.Option("--stored", metavar="ID", help="Show a stored weighing: its id or latest.")
    ] = None,
    time_limit: options.TimeLimit = "60s",
    memory_limit: options.MemoryLimit = "8G",
    store: options.StorePath = None,
    as_json: options.AsJson = False,
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


def profile_command(
    library: options.LibraryName,
    codec: options.CodecName,
    operation: Annotated[str, typer.Option("--operation", "-o", help="What is looked into.")] = "decode",
    workload: options.OneWorkload = "client",
    records: options.OneRecords = None,
    depth: options.OneDepth = None,
    payload: options.Payload = None,
    literal_strings: options.LiteralStrings = False,
    schema: options.SchemaFile = None,
    python: Annotated[str | None, typer.Option("--python", help="The interpreter, as for run.")] = None,
    top: Annotated[int, typer.Option("--top", help="How many functions the table has.")] = 20,
    flame: Annotated[
        Path | None, typer.Option("--flame", metavar="FILE", help="Write a flame graph, as SVG, into this file.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Why a case is slow: the hottest functions of one operation."""
    from serbench.live import Watcher
    from serbench.passes import profile

    with Watcher() as watcher:
        found = profile(
            library,
            codec,
            workload,
            operation=operation,
            records=records,
            depth=depth,
            payload=payload,
            literal_strings=literal_strings,
            schema=schema,
            python=python,
            on_progress=watcher.progress,
        )
    if flame is not None:
        with writing("name another file with --flame"):
            write_file(flame, found.to_svg())
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found.table(top))
