"""The command line: the same public verbs, with plain-text errors and exit codes.

0 is fine, 1 means that the answer is "no", 3 that there is none yet, 2 wrong use or an input that cannot be used: one line on
standard error says what to do instead. 130 is Ctrl-C: what was measured until then is printed.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

WRONG_USE = 2
UNDECIDED = 3
INTERRUPTED = 130

app = typer.Typer(
    name="serbench",
    help="Which model library and which byte format for your data, and what the choice costs.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Names = Annotated[list[str], typer.Option()]
StorePath = Annotated[
    Path | None, typer.Option("--store", metavar="FILE", help="The store; $SERBENCH_STORE or the user's data folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Workload = Annotated[
    list[str] | None,
    typer.Option("--workload", "-w", help="A name from `serbench list workloads`; repeat, or separate by commas."),
]
Records = Annotated[list[str] | None, typer.Option("--records", "-n", help="How many records: a number, or several.")]
Depth = Annotated[list[str] | None, typer.Option("--depth", "-d", help="Nesting levels: a number, or several.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the generated values.")]
Payload = Annotated[
    Path | None, typer.Option("--payload", "-p", metavar="FILE", help="Measure this file instead of a workload.")
]
LiteralStrings = Annotated[
    bool, typer.Option("--literal-strings", help="A text of the payload is a text, even if it looks like a date.")
]
OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write; standard output without.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODULE:CLASS", help="Measure this class of your own as one more library."),
]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE", help="A JSON Schema of the payload; it is inferred without.")
]
Library = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        "-l",
        help="A library, a version or a variant of it (msgspec[gc=False], pydantic@2.5, pydantic@*), installed or all; "
        "the core ones without.",
    ),
]
Format = Annotated[
    list[str] | None,
    typer.Option("--format", "-f", help="A format, a codec, codec/format or all; the core codecs without."),
]
Python = Annotated[
    list[str] | None,
    typer.Option("--python", help="Interpreters: main (serbench's own), 3.9, pypy3, …; each library's own without."),
]
Effort = Annotated[str, typer.Option("--effort", "-e", help="quick, normal or thorough.")]
TimeLimit = Annotated[str, typer.Option("--time-limit", help="The longest that one request to a worker may take.")]
MemoryLimit = Annotated[str, typer.Option("--memory-limit", help="Address space of a worker; 0 for no limit.")]


@app.command("run")
def run_command(
    context: typer.Context,
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
    operation: Annotated[
        list[str] | None,
        typer.Option(
            "--operation", "-o", help="encode, decode, dump, load, dumps or loads; encode and decode without."
        ),
    ] = None,
    gc: Annotated[str, typer.Option("--gc", help="Garbage collection while timing: on or off.")] = "on",
    effort: Effort = "normal",
    precision: Annotated[
        str | None, typer.Option("--precision", help="A row is done at this half-width, such as 2%.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", help="Stop after this time with what there is, such as 60s or 5m.")
    ] = None,
    time_limit: TimeLimit = "60s",
    memory_limit: MemoryLimit = "8G",
    store: StorePath = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest unfinished run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure and rank."""
    from serbench.live import Watcher
    from serbench.verbs import make_plan, measure

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
            any_plan=not _chosen(context, {"store", "resume", "as_json"}),
            on_progress=watcher.progress,
            on_wave=watcher.wave,
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


@app.command("history")
def history_command(
    library: Annotated[str, typer.Argument(help="such as pydantic")],
    versions: Annotated[
        list[str] | None, typer.Argument(help="such as 1.10.2 2.5 installed; what is installed and was added without")
    ] = None,
    workload: Workload = None,
    records: Records = None,
    depth: Depth = None,
    format_: Format = None,
    effort: Effort = "normal",
    output: Annotated[
        Path | None, typer.Option("--output", help="Write tables, and the figure as a page, into this folder.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
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
        for path in found.write(output):
            print(path, file=sys.stderr)
    if as_json:
        print_json(found.run.to_data())
    else:
        console().print(found)


_LONG = {
    "libraries": ("summary", "cannot"),
    "formats": ("cannot",),
    "environments": ("requirements",),
}  # what only --json has room for


@app.command("list")
def list_command(
    what: Annotated[str, typer.Argument(help="libraries, formats, workloads, environments or runs")],
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """List what there is to choose from."""
    from serbench import catalogue
    from serbench.names import check

    check("list", what, ("libraries", "formats", "workloads", "environments", "runs"))
    if what in ("libraries", "runs"):
        rows = getattr(catalogue, f"list_{what}")(store)
    else:
        rows = getattr(catalogue, f"list_{what}")()
    if as_json:
        print_json({what: rows})
    else:
        print_rows(
            [{k: v for k, v in row.items() if k not in _LONG.get(what, ())} for row in rows],
            nothing=f"no {what} yet",
        )


@app.command("show")
def show_command(
    library: Annotated[str, typer.Argument(help="such as msgspec or msgspec[gc=False]")],
    codec: Annotated[str, typer.Argument(help="a codec, a format or codec/format, such as orjson, json or json/json")],
    workload: Annotated[str, typer.Option("--workload", "-w", help="The data whose models are shown.")] = "client",
    records: Annotated[
        int | None, typer.Option("--records", "-n", help="One record is shown as an object, more as a list.")
    ] = None,
    depth: Annotated[int | None, typer.Option("--depth", "-d", help="Nesting levels.")] = None,
    payload: Payload = None,
    literal_strings: LiteralStrings = False,
    schema: SchemaFile = None,
    model: Model = None,
) -> None:
    """Print the exact source that is measured."""
    from serbench.verbs import show

    case = show(
        library,
        codec,
        workload,
        records=records,
        depth=depth,
        payload=payload,
        literal_strings=literal_strings,
        schema=schema,
        model=model,
    )
    chosen = f"{case.library.name}[{case.variant}] with {case.codec.name}/{case.codec.format}"
    print(f"{chosen}, sha256 {case.source_sha256[:12]}", file=sys.stderr)
    if sys.stdout.isatty():
        from rich.syntax import Syntax

        console().print(Syntax(case.source, "python", background_color="default"))
    else:
        sys.stdout.write(case.source)
    if case.schema_text:
        beside = "".join(f"# {line}".rstrip() + "\n" for line in case.schema_text.splitlines())
        print(f"\n# The same schema as {case.schema_file}:\n#\n{beside}", end="")


@app.command("verify")
def verify_command(
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
    time_limit: TimeLimit = "60s",
    memory_limit: MemoryLimit = "8G",
    store: StorePath = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the outcomes as a Markdown table into this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove that every case keeps the data, without timing; exit code 1 where one does not."""
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
            time_limit=seconds("--time-limit", time_limit),
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
        output.write_text(outcomes_markdown(cells, shlex.join(["serbench", *sys.argv[1:]])), encoding="utf-8")
    if as_json:
        print_json({"rows": rows})
    else:
        print_rows(rows, nothing="no case")
    if any(cell.status not in ("ok", "unsupported", "unavailable") for cell in cells):
        raise typer.Exit(1)


@app.command("gate")
def gate_command(
    baseline: Annotated[
        str, typer.Option("--baseline", help='What was good: "orjson==3.10", "pydantic@2.5", msgspec.')
    ],
    candidate: Annotated[str, typer.Option("--candidate", help="What is to be judged, named likewise.")],
    workload: Workload = None,
    records: Records = None,
    depth: Depth = None,
    payload: Payload = None,
    library: Annotated[
        str, typer.Option("--library", "-l", help="What the models are written with where codecs are compared.")
    ] = "dataclasses",
    format_: Format = None,
    threshold: Annotated[str, typer.Option("--threshold", help="The slowdown that matters.")] = "5%",
    effort: Effort = "normal",
    output: Annotated[
        Path | None, typer.Option("--output", help="Append the verdicts as Markdown to this file.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Exit code 1 where the candidate is proven slower, 0 where it is proven not to be, 3 where neither is."""
    from serbench.judging import gate
    from serbench.live import Watcher

    with Watcher() as watcher:
        found = gate(
            baseline,
            candidate,
            split(workload) or "client",
            library=library,
            threshold=fraction("--threshold", threshold),
            records=numbers("--records", records),
            depth=numbers("--depth", depth),
            payload=payload,
            formats=split(format_),
            effort=effort,
            store=store,
            on_progress=watcher.progress,
            on_wave=watcher.wave,
        )
    if output is not None:
        with output.open("a", encoding="utf-8") as file:
            file.write(found.to_markdown())
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found)
    if found.verdict != "fine":
        raise typer.Exit(UNDECIDED if found.verdict == "undecided" else 1)


@app.command("export")
def export_command(
    run: Annotated[str, typer.Argument(metavar="[RUN]", help="id, its beginning, or latest")] = "latest",
    to: Annotated[str, typer.Option("--to", help="csv, parquet, json, pyperf or benchmark-action.")] = "csv",
    output: Annotated[Path | None, typer.Option("--output", help="The file; standard output without.")] = None,
    store: StorePath = None,
) -> None:
    """Write a stored run for another program."""
    from serbench.verbs import load

    text = load(run, store=store).export(to, output)
    if text is not None:
        sys.stdout.write(text)


@app.command("budget")
def budget_command(
    run: Annotated[str, typer.Argument(help="a run's id, its beginning or latest")] = "latest",
    bandwidth: Annotated[
        str, typer.Option("--bandwidth", help="Of the line, such as 10Mbit/s or 1Gbit/s.")
    ] = "1Gbit/s",
    cores: Annotated[float, typer.Option("--cores", help="How many cores there are for this work.")] = 1,
    compression: Annotated[
        list[str] | None,
        typer.Option("--compression", help="none, gzip or zstd; the best of them for each case without."),
    ] = None,
    operation: Annotated[
        list[str] | None, typer.Option("--operation", "-o", help="Only this operation; all that were measured without.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """How many messages a second each case of a run can handle, and whether the line or the cores limit it."""
    from serbench.analysis import COMPRESSIONS, best, budgets, explained
    from serbench.names import check
    from serbench.verbs import load

    for name in split(compression):
        check("compression", name, COMPRESSIONS)
    bits = bits_per_second("--bandwidth", bandwidth)
    if not 0 < cores < float("inf"):
        fail(f"--cores takes a number of cores that is more than 0, not {cores:g}")
    chosen = [name for name in COMPRESSIONS if name in (split(compression) or COMPRESSIONS)]
    measured = [row for row in load(run, store=store).rows if row.measured]
    boards: dict[tuple[Any, ...], list[Any]] = {}
    for row in measured:
        if not operation or row.operation in split(operation):
            lossy = "lossy" in (row.work_class or "")
            boards.setdefault((row.workload, row.records, row.depth, row.operation, lossy), []).append(row)
    found = [best(budgets(rows, bits, cores, chosen)) for rows in boards.values()]
    rows = [
        {
            "data": f"{one.row.workload} {one.row.records}",
            "operation": one.row.operation,
            "library": one.row.library if one.row.variant == "default" else f"{one.row.library}[{one.row.variant}]",
            "codec": f"{one.row.codec}/{one.row.format}",
            "work_class": one.row.work_class,
            "compression": one.compression,
            "per_s": one.per_s,
            "bottleneck": one.bottleneck,
            "cpu_per_s": one.cpu_per_s,
            "line_per_s": one.line_per_s,
            "size_bytes": one.size_bytes,
        }
        for board in found
        for one in board
    ]
    sentences = [explained(board) for board in found]
    if as_json:
        print_json({"bits_per_s": bits, "cores": cores, "findings": sentences, "rows": rows})
        return
    print_rows([_whole(row) for row in rows], nothing="nothing has been measured from which a budget follows")
    for sentence in sentences:
        print(sentence)


@app.command("hostile")
def hostile_command(
    format_: Format = None,
    time_limit: TimeLimit = "60s",
    memory_limit: MemoryLimit = "4G",
    as_json: AsJson = False,
) -> None:
    """What codecs do with bytes that are deep, huge or no text; every codec without --format."""
    from dataclasses import asdict

    from serbench.verbs import hostile

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


@app.command("stream")
def stream_command(
    workload: Annotated[str, typer.Option("--workload", "-w", help="The data, whose records are written.")] = "client",
    records: Annotated[
        int | None, typer.Option("--records", "-n", help="How many different records there are.")
    ] = None,
    depth: Annotated[int | None, typer.Option("--depth", "-d", help="Nesting levels.")] = None,
    seed: Seed = 0,
    library: Library = None,
    format_: Format = None,
    size_: Annotated[str, typer.Option("--size", help="How long the file is at least.")] = "64M",
    time_limit: TimeLimit = "10m",
    memory_limit: Annotated[
        str, typer.Option("--memory-limit", help="Address space of the process that reads; 0 for no limit.")
    ] = "0",
    as_json: AsJson = False,
) -> None:
    """Write records one after the other into a long file and read them again, with little memory."""
    from dataclasses import asdict

    from serbench.verbs import stream

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
    print_rows([_whole(row) for row in rows], nothing="no case")


@app.command("schema")
def schema_command(
    payload: Annotated[str, typer.Argument(metavar="FILE|MODULE:CLASS", help="data, a JSON Schema, or a class")],
    form: Annotated[str, typer.Option("--as", help="tree, json-schema or python.")] = "tree",
    literal_strings: LiteralStrings = False,
    output_file: OutputFile = None,
) -> None:
    """Print the schema that is inferred from a file, or that a class has."""
    from serbench.own_data import FORMS, describe, write_new

    chosen = next((known for known in FORMS if known == form), None)
    if chosen is None:
        fail(f"--as is one of {', '.join(FORMS)}, not {form!r}")
    if not Path(payload).exists() and ":" in payload:
        tell_what_is_lost(payload)
    text = describe(payload, form=chosen, literal_strings=literal_strings)
    if output_file is None:
        sys.stdout.write(text)
    else:
        write_new(output_file, text)


@app.command("adopt")
def adopt_command(
    library: Annotated[str, typer.Argument(help="such as msgspec or msgspec[gc=False]")],
    codec: Annotated[str, typer.Argument(help="a codec, a format or codec/format, such as orjson, json or json/json")],
    workload: Annotated[str, typer.Option("--workload", "-w", help="The data whose models are written.")] = "client",
    payload: Payload = None,
    literal_strings: LiteralStrings = False,
    schema: SchemaFile = None,
    model: Model = None,
    output_file: OutputFile = None,
) -> None:
    """Verify a case, and write its module for a project of your own."""
    from serbench.own_data import adopt

    text = adopt(
        library,
        codec,
        workload,
        to=output_file,
        payload=payload,
        literal_strings=literal_strings,
        schema=schema,
        model=model,
    )
    if output_file is None:
        sys.stdout.write(text)
    else:
        print(f"{output_file}: {len(text.splitlines())} lines, verified with this data", file=sys.stderr)


@app.command("recommend")
def recommend_command(
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
    demand: Annotated[
        list[str] | None,
        typer.Option(
            "--demand",
            help="human-readable, validating, no-compiled-code, standard-library or exact-decimal; repeat for more.",
        ),
    ] = None,
    present: Annotated[
        str | None, typer.Option("--present", metavar="LIBRARY/CODEC", help="What you use today, as pydantic/json.")
    ] = None,
    measured: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Judge by a stored run: its id, its beginning or latest.")
    ] = None,
    effort: Annotated[str, typer.Option("--effort", "-e", help="quick, normal or thorough.")] = "quick",
    budget: Annotated[str | None, typer.Option("--budget", help="Stop after this time, such as 60s or 5m.")] = None,
    store: StorePath = None,
    as_json: AsJson = False,
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


environments = typer.Typer(help="Environments: libraries that conflict, other versions, other interpreters.")
app.add_typer(environments, name="env")


@environments.command("list")
def env_list_command(as_json: AsJson = False) -> None:
    """List what is made, and what could be."""
    list_command("environments", None, as_json)


@environments.command("build")
def env_build_command(
    name: Annotated[
        list[str] | None, typer.Argument(help="an environment of `serbench env list`, or a library; all without")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make environments now; exit code 1 where one cannot be made."""
    from serbench.environment_verbs import build_environments
    from serbench.live import Watcher

    with Watcher() as watcher:
        rows = build_environments(name or (), on_progress=watcher.progress)
    if as_json:
        print_json({"environments": rows})
    else:
        print_rows(rows, nothing="nothing to make")
    if any(row["status"] != "ok" for row in rows):
        raise typer.Exit(1)


@environments.command("add")
def env_add_command(
    requirement: Annotated[str, typer.Argument(help='such as "pydantic==2.5", or a library for --python')],
    python: Annotated[str, typer.Option("--python", help="The interpreter, such as 3.9 or pypy3.")] = "",
) -> None:
    """Add a row: a version of a library, or a library on another interpreter. Its environment is made at once."""
    from serbench.environment_verbs import add_environment
    from serbench.live import Watcher

    with Watcher() as watcher:
        row = add_environment(requirement, python=python, on_progress=watcher.progress)
    print(f"{row['name']}: {row['reason'] or row['status']}")
    if row["status"] != "ok":
        raise typer.Exit(1)


@environments.command("remove")
def env_remove_command(
    name: Annotated[str, typer.Argument(help="an environment of `serbench env list`, or an added row")],
) -> None:
    """Take an environment away, and forget the row that was added for it."""
    from serbench.environment_verbs import remove_environment

    print(remove_environment(name))


@app.command("compare")
def compare_command(
    run_a: Annotated[str, typer.Argument(metavar="RUN", help="id, its beginning, or latest")],
    run_b: Annotated[str, typer.Argument(metavar="[RUN]", help="the run to hold against it")] = "latest",
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Compare two stored runs, cell by cell."""
    from serbench.verbs import compare

    comparison = compare(run_a, run_b, store=store)
    if as_json:
        print_json(comparison.to_data())
    else:
        console().print(comparison)


@app.command("lab")
def lab_command(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the notebooks are copied to; what is there stays.")
    ] = Path("serbench-notebooks"),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no window.")] = False,
) -> None:
    """Open the notebooks in JupyterLab, on this machine only."""
    from serbench.notebook.lab import open_lab

    raise typer.Exit(open_lab(folder, browser=not no_browser))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    from serbench.names import PlanError
    from serbench.schema import SchemaError
    from serbench.store import StoreError
    from serbench.workloads import WorkloadError

    command = typer.main.get_command(app)
    assert isinstance(command, TyperGroup)
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        code = command.main(args=given or ["--help"], prog_name="serbench", standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except typer.TyperException as error:
        fail(explanation(error))
    except (PlanError, WorkloadError, SchemaError, StoreError) as error:
        fail(str(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)


def explanation(error: typer.TyperException) -> str:
    """What Typer has to say of a wrong option or argument, without its usage lines."""
    explain = getattr(error, "format_message", None)
    return str(explain() if explain else error)


def fail(message: str) -> NoReturn:
    """One line on standard error, and exit code 2."""
    print("serbench: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(WRONG_USE)


def split(values: Iterable[str] | None) -> tuple[str, ...]:
    """Repeated and comma-separated names as one tuple; none at all where the option was not given."""
    found = tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
    if values and not found:
        fail("an option is empty; give it a value, or leave it out")
    return found


def numbers(option: str, values: Iterable[str] | None) -> tuple[int, ...]:
    """Repeated and comma-separated whole numbers; `1_000`, `1000` and `1e3` are the same."""
    found = []
    for text in split(values):
        try:
            number = float(text)
        except ValueError:
            number = 0.5
        if not number.is_integer():
            fail(f"{option} takes a whole number such as 100, not {text!r}")
        found.append(int(number))
    return tuple(found)


def fraction(option: str, text: str) -> float:
    """`2%` or `0.02` as 0.02."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", text)
    if not match:
        fail(f"{option} takes a percentage such as 2%, not {text!r}")
    return float(match[1]) / (100 if match[2] else 1)


def seconds(option: str, text: str) -> float:
    """`90`, `90s`, `1.5m` or `1h` in seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(|s|m|h)\s*", text)
    if not match:
        fail(f"{option} takes a time such as 60s or 5m, not {text!r}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def bits_per_second(option: str, text: str) -> float:
    """`10Mbit/s`, `1.5Gbit/s`, `56kbit/s` or a number of bits per second."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?)(?:bit(?:/s|ps)?|bps)?\s*", text)
    if not match or not float(match[1]):
        fail(f"{option} takes a bandwidth such as 10Mbit/s or 1Gbit/s, not {text!r}")
    return float(match[1]) * {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]


def size(option: str, text: str) -> int:
    """`4G`, `512M` or a number of bytes in bytes."""
    match = re.fullmatch(r"\s*(\d+)\s*([kKMGT]?)(?:i?B)?\s*", text)
    if not match:
        fail(f"{option} takes a size such as 4G or 512M, not {text!r}")
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def tell_what_is_lost(model: str | None) -> None:
    """What of the user's class the other libraries' models do not have."""
    if model is not None:
        from serbench.own_model import load_model, locate

        for note in load_model(locate(model)).parsed.notes:
            print(f"only in your class: {note}", file=sys.stderr)


def console() -> Any:
    """Standard output as a Rich console: the terminal's width, or 120 columns in a file."""
    from rich.console import Console

    found = Console()
    return found if found.is_terminal else Console(width=120, color_system=None)


def print_json(data: Any) -> None:
    """The object, alone on standard output."""
    json.dump(data, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")


def print_rows(rows: Sequence[Mapping[str, Any]], *, nothing: str) -> None:
    """Rows as a plain table; columns that are empty throughout are left out."""
    if not rows:
        print(nothing)
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    for key in shown:
        table.add_column(key.replace("_", " "), overflow="fold", justify="right" if _numeric(rows, key) else "left")
    for row in rows:
        table.add_row(*(_text(row[key]) for key in shown))
    console().print(table)


def _whole(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its floats as whole numbers for people."""
    return {key: f"{value:,.0f}" if isinstance(value, float) else value for key, value in row.items()}


def _numeric(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return all(isinstance(row[key], int | float | None) for row in rows)


def _text(value: Any) -> str:
    from rich.markup import escape

    if value is None:
        return ""
    return escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _chosen(context: typer.Context, apart_from: set[str]) -> set[str]:
    """The parameters that the user gave."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name != "DEFAULT"} - apart_from
