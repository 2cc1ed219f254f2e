"""The commands that prove without timing."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from serbench.cli import options
from serbench.cli.printing import console, print_json, print_rows, tell_what_is_lost, whole
from serbench.cli.words import fail, numbers, seconds, size, split, writing
from serbench.files import write_file


def verify_command(
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
    time_limit: Annotated[
        str | None,
        typer.Option(
            "--time-limit", help="The longest that one request may take; 60s, with --all, --limits and --corpus 5s."
        ),
    ] = None,
    memory_limit: options.MemoryLimit = "8G",
    store: options.StorePath = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Try every probe with every library and codec that is installed.")
    ] = False,
    limits: Annotated[
        bool, typer.Option("--limits", help="Find how deep, long, large and wide a value each case carries.")
    ] = False,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help="Read files named y_, n_ and i_ with every JSON codec."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the outcomes as a Markdown table into this file.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Prove that every case keeps the data, without timing; exit code 1 where one does not."""
    within = {
        "time_limit": seconds("--time-limit", time_limit or "5s"),
        "memory_limit": size("--memory-limit", memory_limit),
    }
    if output is not None and (limits or corpus is not None):
        fail("--output takes what is verified, or found with --all; of --limits and --corpus there is --json")
    data: dict[str, object] = {"--workload": workload, "--records": records, "--depth": depth, "--payload": payload}
    data |= {"--schema": schema, "--model": model}
    if corpus is not None:
        data |= {"--library": library, "--format": format_, "--python": python}
    needless = [name for name, value in data.items() if value]
    if needless and (everything or limits or corpus is not None):
        which = "--corpus" if corpus is not None else "--limits" if limits else "--all"
        fail(f"{which} brings what it tries; leave {' and '.join(needless)} out")
    cases = {"libraries": split(library), "formats": split(format_), "python": split(python)}
    if corpus is not None:
        _read_corpus(corpus, within, as_json=as_json)
        return
    if limits:
        _find_limits({**cases, **within}, as_json=as_json)
        return
    if everything:
        chosen = {
            **cases,
            "libraries": cases["libraries"] or "installed",
            "formats": cases["formats"] or "every format",
        }
        _probe({**chosen, **within, "store": store}, output, as_json=as_json)
        return
    from serbench.analysis import one_for_each_case, outcomes_markdown
    from serbench.live import Watcher
    from serbench.verbs import verify

    tell_what_is_lost(model)
    with Watcher() as watcher:
        cells = verify(
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
            time_limit=seconds("--time-limit", time_limit or "60s"),
            memory_limit=size("--memory-limit", memory_limit),
            store=store,
            on_progress=watcher.progress,
        )
    rows = [
        {
            "workload": cell.point.workload,
            "library": cell.library,
            "variant": cell.variant,
            "version": cell.version,
            "environment": cell.environment,
            "codec": cell.codec,
            "format": cell.format,
            "status": cell.status,
            "work_class": cell.work_class,
            "size_bytes": cell.size_bytes,
            "reason": reason,
        }
        for cell, reason in one_for_each_case(cells)
    ]
    if output is not None:
        with writing():
            write_file(output, outcomes_markdown(cells, shlex.join(["serbench", *sys.argv[1:]])))
    if as_json:
        print_json({"rows": rows})
    else:
        print_rows(rows, nothing="no case")
    if any(cell.status not in ("ok", "unsupported", "unavailable") for cell in cells):
        raise typer.Exit(1)


def _probe(choices: dict[str, Any], output: Path | None, *, as_json: bool) -> None:
    """Every probe with every case, as tables or JSON; what a codec does is an answer and never a failure."""
    from serbench.analysis import behaviours_data, matrices_markdown, tally
    from serbench.live import Watcher
    from serbench.probe_verbs import probe

    with Watcher() as watcher:
        found = probe(**choices, on_progress=watcher.progress)
    if output is not None:
        with writing():
            write_file(output, matrices_markdown(found, shlex.join(["serbench", *sys.argv[1:]])))
    if as_json:
        print_json({"cases": behaviours_data(found)})
    else:
        print_rows([tally(one) for one in found], nothing="no case")


def _find_limits(choices: dict[str, Any], *, as_json: bool) -> None:
    """How much each case carries of everything that can grow."""
    from serbench.analysis import behaviours_data, limits_rows
    from serbench.live import Watcher
    from serbench.probe_verbs import probe

    with Watcher() as watcher:
        found = probe(**choices, matrices=("limits",), on_progress=watcher.progress)
    if as_json:
        print_json({"cases": behaviours_data(found)})
    else:
        print_rows(limits_rows(found), nothing="no case")


def _read_corpus(folder: Path, within: dict[str, Any], *, as_json: bool) -> None:
    """What every JSON codec makes of a test corpus."""
    from dataclasses import asdict

    from serbench.analysis.corpus import corpus_rows, corpus_sentences
    from serbench.probe_verbs import conform

    found = conform(folder, **within)
    if as_json:
        print_json({"rows": [asdict(one) for one in found]})
        return
    print_rows(corpus_rows(found), nothing="no codec of JSON is installed")
    for sentence in corpus_sentences(found):
        print(sentence)


def hostile_command(
    format_: options.Format = None,
    time_limit: options.TimeLimit = "60s",
    memory_limit: options.MemoryLimit = "4G",
    as_json: options.AsJson = False,
) -> None:
    """What codecs do with bytes that are deep, huge or no text; every codec without --format."""
    from dataclasses import asdict

    from serbench.codec_verbs import hostile

    found = hostile(
        split(format_),
        time_limit=seconds("--time-limit", time_limit),
        memory_limit=size("--memory-limit", memory_limit),
    )
    rows = [asdict(one) for one in found]
    if as_json:
        print_json({"rows": rows})
    else:
        print_rows(rows, nothing="no codec of this format has hostile inputs")


def stream_command(
    workload: options.OneWorkload = "client",
    records: options.OneRecords = None,
    depth: options.OneDepth = None,
    seed: options.Seed = 0,
    library: options.Library = None,
    format_: options.Format = None,
    size_: Annotated[str, typer.Option("--size", help="How long the file is at least.")] = "64M",
    time_limit: options.TimeLimit = "10m",
    memory_limit: Annotated[
        str, typer.Option("--memory-limit", help="Address space of the process that reads; 0 for no limit.")
    ] = "0",
    as_json: options.AsJson = False,
) -> None:
    """Write records one after the other into a long file and read them again, with little memory."""
    from dataclasses import asdict

    from serbench.codec_verbs import stream

    found = stream(
        workload,
        records=records,
        depth=depth,
        seed=seed,
        libraries=split(library) or "dataclasses",
        formats=split(format_) or ("json", "msgpack", "cbor"),
        size=size("--size", size_),
        memory_limit=size("--memory-limit", memory_limit),
        time_limit=seconds("--time-limit", time_limit),
    )
    rows = [asdict(one) for one in found]
    if as_json:
        print_json({"rows": rows})
        return
    print_rows([whole(row) for row in rows], nothing="no case")


def selfcheck_command(
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="aa, injected, neighbours, rivals or loop; repeat for more, all without."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of everything, in about two minutes.")] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Measure nothing, and tell what was measured before.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the parts and what they prove as JSON into this file.")
    ] = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Show how far serbench's own figures can be believed; exit code 1 where a target is not met."""
    from serbench.live import Watcher
    from serbench.selfcheck import selfcheck

    with Watcher() as watcher:
        found = selfcheck(split(part), quick=quick, measure=not stored, store=store, on_progress=watcher.progress)
    if output is not None:
        with writing("with --stored write the parts, which are stored, elsewhere"):
            write_file(output, json.dumps(found.to_data(), ensure_ascii=False) + "\n")
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found)
    if not found.met:
        raise typer.Exit(1)
