"""The commands that measure: run, weigh and explain."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from serbench.ask.calling import arguments
from serbench.ask.command_line.commands import AsJson, Choices, Figures, Verbose, command, flag, watched
from serbench.ask.command_line.ending import end_measured, end_run, end_unmeasured, showing
from serbench.ask.command_line.printing import fail, print_answer, print_result, writing
from serbench.ask.costs import costs_text
from serbench.ask.explaining import explain
from serbench.ask.options import Fit
from serbench.ask.running import load, run
from serbench.ask.weighing import profile, weigh, weighing
from serbench.render.environments.files import write_file

_WHERE = {"store", "resume", "jobs", "scheduler"}
_OF_A_PROFILE = (*arguments(profile), "operations", "top", "flame", "as_json")


@command(run)
def run_command(
    choices: Choices,
    stored: Annotated[
        str | None,
        flag("--stored RUN", "Show a stored run, its id, its beginning, `latest` or `previous`, and measure nothing"),
        Fit(leaves=("store", "to", "output", "as_json", "verbose"), why="measures nothing"),
    ] = None,
    to: Annotated[
        str | None,
        flag(
            "--to FORMAT",
            "With `--stored`: convert the run to `csv`, `parquet`, `json`, `pyperf` or `benchmark-action`",
        ),
        Fit(needs=("stored",), replaces=("as_json", "verbose"), why="prints the run itself"),
    ] = None,
    output: Annotated[
        Path | None,
        flag("--output FILE", "With `--to`: file to write (default: standard output)", writes=True),
        Fit(needs=("to",)),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Measure and rank, or show and convert a stored run."""
    if stored is not None:
        _show_stored(choices, stored, to, output, as_json=as_json, verbose=verbose)
        return
    if "resume" in choices and choices.keys() <= _WHERE:
        choices["resume"] = "newest"
    measured = watched(run, choices)
    end_unmeasured(measured)
    with showing(measured):
        print_answer(measured, measured.table(), measured.closing(), as_json=as_json, verbose=verbose)
        end_run(measured)


def _show_stored(
    choices: Choices, name: str, to: str | None, output: Path | None, *, as_json: bool, verbose: bool
) -> None:
    stored = load(name, store=choices.get("store"))
    if to is None:
        print_answer(stored, stored.table(), stored.closing(), as_json=as_json, verbose=verbose)
    else:
        sys.stdout.write(stored.export(to, output) or "")


@command(weigh)
def weigh_command(
    choices: Choices,
    stored: Annotated[
        str | None,
        flag("--stored ID", "Show a stored weighing, its id or `latest`, and weigh nothing"),
        Fit(leaves=("store", "output", "as_json"), why="weighs nothing"),
    ] = None,
    output: Figures = None,
    as_json: AsJson = False,
) -> None:
    """Measure memory, start-up, installed size, threads and leaks, each in a separate pass."""
    weighed = watched(weigh, choices) if stored is None else weighing(stored, store=choices.get("store"))
    if output is not None:
        info = weighed.info
        facts = {"command": info.command, "date": info.started, "machine": info.machine, "versions": info.versions}
        with writing():
            write_file(output, costs_text("weights", weighed.to_data()["rows"], facts))
    print_result(weighed, as_json=as_json)
    end_measured(((row, row.value is not None) for row in weighed.rows), weighed.info.plan.get("libraries", ()))


@command(explain)
def explain_command(
    choices: Choices,
    profiled: Annotated[
        bool,
        flag("--profile", "Show which functions take the time of one operation (default: `decode`) instead"),
        Fit(leaves=_OF_A_PROFILE, why="runs one operation under the profiler"),
    ] = False,
    top: Annotated[
        int | None,
        flag("--top N", "With `--profile`: number of functions in the table (default: `20`)"),
        Fit(needs=("profiled",)),
    ] = None,
    flame: Annotated[
        Path | None,
        flag("--flame FILE", "With `--profile`: file for a flame graph as SVG", writes=True),
        Fit(needs=("profiled",)),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Show where the time of a case goes: as conditions approach those of a service, or by function."""
    if profiled:
        _profile(choices, 20 if top is None else top, flame, as_json=as_json)
    else:
        answer = watched(explain, choices)
        print_answer(answer, answer.table(), answer.closing(), as_json=as_json, verbose=verbose)


def _profile(choices: Choices, top: int, flame: Path | None, *, as_json: bool) -> None:
    operations = choices.pop("operations", ("decode",))
    if len(operations) > 1:
        fail("--profile takes one value of --operation")
    hot = watched(profile, choices, operation=operations[0])
    if flame is not None:
        with writing("name another file with --flame"):
            write_file(flame, hot.to_svg())
    print_result(hot if as_json else hot.table(top), as_json=as_json)
