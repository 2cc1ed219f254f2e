"""The commands that measure: run, weigh and explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serbench.ask.calling import arguments
from serbench.ask.command_line.commands import AsJson, Figures, Given, command, watched
from serbench.ask.command_line.ending import end_measured, end_run
from serbench.ask.command_line.printing import fail, print_found, print_rich, writable, writing
from serbench.ask.costs import costs_text
from serbench.ask.explaining import explain
from serbench.ask.running import run
from serbench.ask.weighing import profile, weigh, weighing
from serbench.judge.weights import weight_data
from serbench.keep.files import write_file

_WHERE = {"store", "resume", "jobs", "scheduler"}


@command(run)
def run_command(given: Given, as_json: AsJson = False) -> None:
    """Measure and rank."""
    if "resume" in given and given.keys() <= _WHERE:
        given["resume"] = "newest"
    found = watched(run, given)
    print_found(found if as_json else found.table(), as_json=as_json)
    if not as_json:
        print_rich(found.conclusion(None if given.get("store") is None else str(given["store"])))
    end_run(found)


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
        _profile(given, top or 20, flame, as_json=as_json)
    elif top is not None or flame is not None:
        fail("--top and --flame show a profile; also give --profile")
    else:
        print_found(watched(explain, given), as_json=as_json)


def _profile(given: Given, top: int, flame: Path | None, *, as_json: bool) -> None:
    operations = given.pop("operations", ("decode",))
    if len(operations) > 1:
        fail("--profile takes one value of --operation")
    if needless := sorted(given.keys() - arguments(profile)):
        fail(f"--profile runs one operation under the profiler; omit {' and '.join(f'--{name}' for name in needless)}")
    found = watched(profile, given, operation=operations[0])
    if flame is not None:
        with writing("name another file with --flame"):
            write_file(flame, found.to_svg())
    print_found(found if as_json else found.table(top), as_json=as_json)
