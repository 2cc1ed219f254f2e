"""The commands that judge: compare, history, gate and recommend."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from serbench.ask.calling import passed
from serbench.ask.command_line.budgets import print_budgets
from serbench.ask.command_line.commands import AsJson, Given, command, read_text, watched
from serbench.ask.command_line.ending import end_run, showing
from serbench.ask.command_line.printing import UNDECIDED, fail, print_found, print_json, split, writable, writing
from serbench.ask.judging import compare, gate, history, recommend
from serbench.ask.options import bits_per_second
from serbench.ask.running import load, run
from serbench.errors import check
from serbench.judge.budget import COMPRESSIONS


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
    with showing(found.run):
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
def recommend_command(
    given: Given,
    bandwidth: Annotated[
        str | None,
        typer.Option(
            "--bandwidth",
            metavar="RATE",
            help="Compute instead how many messages per second each case can handle with this bandwidth, such as `56kbit/s` or `10Mbit/s` (default: `1Gbit/s`)",
        ),
    ] = None,
    cores: Annotated[
        float | None,
        typer.Option(
            "--cores", metavar="N", help="Compute the same with this number of cores that do this work (default: `1`)"
        ),
    ] = None,
    compression: Annotated[
        list[str] | None,
        typer.Option(
            "--compression",
            metavar="NAME",
            help="Compute the same with `none`, `gzip` or `zstd` (default: the best for each case)",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure, and recommend a library and codec, or compute messages per second for a bandwidth."""
    if bandwidth is not None or cores is not None or compression:
        _recommend_for_a_line(given, bandwidth or "1Gbit/s", 1.0 if cores is None else cores, compression, as_json)
        return
    found = watched(recommend, given)
    with showing(found.run):
        if as_json:
            print_json(found.to_data())
        else:
            print(found)
        end_run(found.run)


def _recommend_for_a_line(
    given: Given, bandwidth: str, cores: float, compression: list[str] | None, as_json: bool
) -> None:
    """Print the messages a second of a stored run, or of one that is measured now."""
    rate, compressions = read_text(bits_per_second, bandwidth, "--bandwidth"), split(compression)
    for name in compressions:
        check("compression", name, COMPRESSIONS)
    if not 0 < cores < float("inf"):
        fail(f"--cores takes a number above 0, not {cores:g}")
    if needless := sorted(given.keys() & {"demands", "present"}):
        flags = " and ".join(f"--{name.removesuffix('s')}" for name in needless)
        fail(f"messages per second are computed for every case; omit {flags}")
    if "measured" in given:
        measured = load(given["measured"], store=given.get("store"))
    else:
        measured = watched(run, passed(run, {"effort": "quick", **given}))
    print_budgets(measured, rate, cores, compressions, given.get("operations", ()), as_json=as_json)
    if "measured" not in given:
        end_run(measured)
