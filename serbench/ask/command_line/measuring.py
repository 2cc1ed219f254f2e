"""The commands that measure: run, weigh and explain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from serbench.ask.calling import arguments
from serbench.ask.command_line.commands import AsJson, Figures, Given, command, flags, watched
from serbench.ask.command_line.ending import end_measured, end_run, showing
from serbench.ask.command_line.printing import fail, print_found, print_rich, writable, writing
from serbench.ask.costs import costs_text
from serbench.ask.explaining import explain
from serbench.ask.running import load, run
from serbench.ask.weighing import profile, weigh, weighing
from serbench.judge.weights import weight_data
from serbench.keep.files import write_file

if TYPE_CHECKING:
    from serbench.keep.run import Run

_WHERE = {"store", "resume", "jobs", "scheduler"}


@command(run)
def run_command(
    given: Given,
    stored: Annotated[
        str | None,
        typer.Option(
            "--stored",
            metavar="RUN",
            help="Show a stored run, its id, its beginning, `latest` or `previous`, and measure nothing",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="With `--stored`: convert the run to `csv`, `parquet`, `json`, `pyperf` or `benchmark-action`",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", callback=writable, help="With `--to`: file to write (default: standard output)"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure and rank, or show and convert a stored run."""
    if stored is not None:
        _show_stored(given, stored, to, output, as_json=as_json)
        return
    if to is not None or output is not None:
        fail("--to and --output convert a stored run; also give --stored latest")
    if "resume" in given and given.keys() <= _WHERE:
        given["resume"] = "newest"
    measured = watched(run, given)
    with showing(measured):
        _print_run(measured, given, as_json=as_json)
        end_run(measured)


def _print_run(run: Run, given: Given, *, as_json: bool) -> None:
    print_found(run if as_json else run.table(), as_json=as_json)
    if not as_json:
        print_rich(run.conclusion(None if given.get("store") is None else str(given["store"])))


def _show_stored(given: Given, name: str, to: str | None, output: Path | None, *, as_json: bool) -> None:
    if needless := flags(run, given.keys() - {"store"}):
        fail(f"--stored measures nothing; omit {' and '.join(needless)}")
    if output is not None and to is None:
        fail("--output takes a run that is converted; also give --to FORMAT")
    if to is not None and as_json:
        fail("--to and --json both print the run; omit one of them")
    stored = load(name, store=given.get("store"))
    if to is None:
        _print_run(stored, given, as_json=as_json)
    else:
        sys.stdout.write(stored.export(to, output) or "")


@command(weigh)
def weigh_command(
    given: Given,
    stored: Annotated[
        str | None,
        typer.Option("--stored", metavar="ID", help="Show a stored weighing, its id or `latest`, and weigh nothing"),
    ] = None,
    output: Figures = None,
    as_json: AsJson = False,
) -> None:
    """Measure memory, start-up, installed size, garbage collection and threads, each in a separate pass."""
    found = watched(weigh, given) if stored is None else weighing(stored, store=given.get("store"))
    if output is not None:
        info = found.info
        facts = {"command": info.command, "date": info.started, "machine": info.machine, "versions": info.versions}
        with writing():
            write_file(output, costs_text("weights", weight_data(found.rows), facts))
    print_found(found, as_json=as_json)
    end_measured(((row, row.value is not None) for row in found.rows), found.info.plan["libraries"])


@command(explain)
def explain_command(
    given: Given,
    profiled: Annotated[
        bool,
        typer.Option(
            "--profile", help="Show which functions take the time of one operation (default: `decode`) instead"
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", help="With `--profile`: number of functions in the table (default: `20`)"),
    ] = None,
    flame: Annotated[
        Path | None,
        typer.Option(
            "--flame", metavar="FILE", callback=writable, help="With `--profile`: file for a flame graph as SVG"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show where the time of a case goes: as conditions approach those of a service, or by function."""
    if profiled:
        _profile(given, 20 if top is None else top, flame, as_json=as_json)
    elif top is not None or flame is not None:
        fail("--top and --flame show a profile; also give --profile")
    else:
        print_found(watched(explain, given), as_json=as_json)


def _profile(given: Given, top: int, flame: Path | None, *, as_json: bool) -> None:
    operations = given.pop("operations", ("decode",))
    if len(operations) > 1:
        fail("--profile takes one value of --operation")
    if needless := flags(explain, given.keys() - arguments(profile)):
        fail(f"--profile runs one operation under the profiler; omit {' and '.join(needless)}")
    found = watched(profile, given, operation=operations[0])
    if flame is not None:
        with writing("name another file with --flame"):
            write_file(flame, found.to_svg())
    print_found(found if as_json else found.table(top), as_json=as_json)
