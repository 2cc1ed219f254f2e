"""The commands that judge: compare, history, gate and recommend."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from serbench.ask.command_line.commands import AsJson, Given, command, watched
from serbench.ask.command_line.ending import end_run
from serbench.ask.command_line.printing import UNDECIDED, print_found, print_json, writable, writing
from serbench.ask.judging import compare, gate, history, recommend


@command(compare)
def compare_command(given: Given, as_json: AsJson = False) -> None:
    """Compare two stored runs, case by case."""
    print_found(compare(**given), as_json=as_json)


@command(history)
def history_command(
    given: Given,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="DIR",
            callback=writable,
            help="Folder for the run's tables, `history.md`, and the figure as a page, `history.html`",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure several versions of one library side by side."""
    found = watched(history, given)
    if output is not None:
        with writing():
            for path in found.write(output):
                print(path, file=sys.stderr)
    print_found(found.run if as_json else found, as_json=as_json)
    end_run(found.run)


@command(gate)
def gate_command(
    given: Given,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            callback=writable,
            help="File to which the verdicts are appended as Markdown, such as the job summary in CI",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Exit with 1 if the candidate is proven slower, 0 if it is proven not to be, 3 if neither is proven."""
    found = watched(gate, given)
    if output is not None:
        with writing(), output.open("a", encoding="utf-8") as file:
            file.write(found.to_markdown())
    print_found(found, as_json=as_json)
    if found.verdict != "fine":
        raise typer.Exit(UNDECIDED if found.verdict == "undecided" else 1)


@command(recommend)
def recommend_command(given: Given, as_json: AsJson = False) -> None:
    """Measure, and recommend a library and codec."""
    found = watched(recommend, given)
    if as_json:
        print_json(found.to_data())
    else:
        print(found)
    end_run(found.run)
