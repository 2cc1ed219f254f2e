"""The commands that show what there is, and hand it on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from serbench.cli import options
from serbench.cli.printing import console, print_json, print_rows, tell_what_is_lost, whole
from serbench.cli.words import bits_per_second, fail, split

if TYPE_CHECKING:
    from serbench.analysis import Budget

_LONG = {
    "libraries": ("summary", "cannot"),
    "formats": ("cannot",),
    "environments": ("requirements",),
}  # what only --json has room for


def list_command(
    what: Annotated[str, typer.Argument(help="libraries, formats, workloads, environments, runs or claims")],
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """List what there is to choose from."""
    from serbench import catalogue
    from serbench.names import check

    check("list", what, ("libraries", "formats", "workloads", "environments", "runs", "claims"))
    if what == "claims":
        from serbench.claims import list_claims

        rows = list_claims()
    elif what in ("libraries", "runs"):
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


def show_command(
    library: options.LibraryName,
    codec: options.CodecName,
    workload: options.OneWorkload = "client",
    records: options.OneRecords = None,
    depth: options.OneDepth = None,
    payload: options.Payload = None,
    literal_strings: options.LiteralStrings = False,
    schema: options.SchemaFile = None,
    model: options.Model = None,
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


def schema_command(
    payload: Annotated[str, typer.Argument(metavar="FILE|MODULE:CLASS", help="data, a JSON Schema, or a class")],
    form: Annotated[str, typer.Option("--as", help="tree, json-schema or python.")] = "tree",
    literal_strings: options.LiteralStrings = False,
    output_file: options.OutputFile = None,
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


def adopt_command(
    library: options.LibraryName,
    codec: options.CodecName,
    workload: options.OneWorkload = "client",
    payload: options.Payload = None,
    literal_strings: options.LiteralStrings = False,
    schema: options.SchemaFile = None,
    model: options.Model = None,
    output_file: options.OutputFile = None,
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


def compare_command(
    run_a: Annotated[str, typer.Argument(metavar="RUN", help="id, its beginning, or latest")],
    run_b: Annotated[str, typer.Argument(metavar="[RUN]", help="the run to hold against it")] = "latest",
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two stored runs, cell by cell."""
    from serbench.verbs import compare

    comparison = compare(run_a, run_b, store=store)
    if as_json:
        print_json(comparison.to_data())
    else:
        console().print(comparison)


def budget_command(
    run: options.RunName = "latest",
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
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """How many messages a second each case of a run can handle, and whether the line or the cores limit it."""
    from serbench.analysis import COMPRESSIONS, best, budgets, explained, why_apart
    from serbench.analysis.display import board_title
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
            boards.setdefault((row.workload, row.records, row.depth, row.operation, why_apart(row)), []).append(row)
    found = list(filter(None, (best(budgets(rows, bits, cores, chosen)) for rows in boards.values())))
    rows = [_budget_row(one) for board in found for one in board]
    sentences = [explained(board) for board in found]
    if as_json:
        print_json({"bits_per_s": bits, "cores": cores, "findings": sentences, "rows": rows})
        return
    if not rows:
        print("nothing has been measured from which a budget follows")
    for board, sentence in zip(found, sentences, strict=True):
        print(", ".join(filter(None, (board_title(board[0].row), why_apart(board[0].row)))))
        print_rows([_budget_line(one) for one in board], nothing="")
        print(f"{sentence}\n")


def _budget_row(one: Budget) -> dict[str, Any]:
    """A case's budget as JSON data."""
    row = one.row
    return {
        "data": f"{row.workload} {row.records}",
        "operation": row.operation,
        "library": row.library if row.variant == "default" else f"{row.library}[{row.variant}]",
        "codec": f"{row.codec}/{row.format}",
        "work_class": row.work_class,
        "compression": one.compression,
        "per_s": one.per_s,
        "bottleneck": one.bottleneck,
        "cpu_per_s": one.cpu_per_s,
        "line_per_s": one.line_per_s,
        "size_bytes": one.size_bytes,
    }


def _budget_line(one: Budget) -> dict[str, Any]:
    """A line for people: which case, what it comes to, and what limits it."""
    from serbench.analysis.display import codec_label, library_label

    row = one.row
    work_class, _, _ = (row.work_class or "").partition(" (")
    return whole(
        {
            "case": f"{library_label(row)} {codec_label(row)}",
            "work class": work_class,
            "per s": one.per_s,
            "bottleneck": one.bottleneck,
            "compression": one.compression,
            "cpu per s": one.cpu_per_s,
            "line per s": one.line_per_s,
            "bytes": f"{one.size_bytes:,}",
        }
    )


def export_command(
    run: options.RunName = "latest",
    to: Annotated[str, typer.Option("--to", help="csv, parquet, json, pyperf or benchmark-action.")] = "csv",
    output: options.OutputFile = None,
    store: options.StorePath = None,
) -> None:
    """Write a stored run for another program."""
    from serbench.verbs import load

    text = load(run, store=store).export(to, output)
    if text is not None:
        sys.stdout.write(text)


def lab_command(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the notebooks are copied to; what is there stays.")
    ] = Path("serbench-notebooks"),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no window.")] = False,
) -> None:
    """Open the notebooks in JupyterLab, on this machine only."""
    from serbench.notebook.lab import open_lab

    raise typer.Exit(open_lab(folder, browser=not no_browser))
