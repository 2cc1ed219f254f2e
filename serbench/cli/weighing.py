"""The commands that measure what is no time of an operation, and why one takes its time."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
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
from serbench.cli.words import fail, numbers, seconds, size, split


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


def profile_command(
    library: Annotated[str, typer.Argument(help="such as marshmallow, pydantic@2.5 or msgspec[gc=False]")],
    codec: Annotated[str, typer.Argument(help="a codec, a format or codec/format, such as orjson, json or json/json")],
    operation: Annotated[str, typer.Option("--operation", "-o", help="What is looked into.")] = "decode",
    workload: Annotated[str, typer.Option("--workload", "-w", help="The data.")] = "client",
    records: Annotated[int | None, typer.Option("--records", "-n", help="How many records.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", "-d", help="Nesting levels.")] = None,
    payload: Payload = None,
    literal_strings: LiteralStrings = False,
    schema: SchemaFile = None,
    python: Annotated[str | None, typer.Option("--python", help="The interpreter, as for run.")] = None,
    top: Annotated[int, typer.Option("--top", help="How many functions the table has.")] = 20,
    flame: Annotated[
        Path | None, typer.Option("--flame", metavar="FILE", help="Write a flame graph, as SVG, into this file.")
    ] = None,
    as_json: AsJson = False,
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
        try:
            flame.write_text(found.to_svg(), encoding="utf-8")
        except OSError as error:
            fail(f"{flame} cannot be written: {error.strerror}; name another file with --flame")
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found.table(top))
