"""The commands that judge: compare, history, gate and recommend."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from serbench.ask.calling import arguments, passed
from serbench.ask.cases import describe
from serbench.ask.command_line.budgets import print_budgets
from serbench.ask.command_line.commands import (
    AsJson,
    Choices,
    Verbose,
    command,
    command_text,
    flag,
    read_text,
    watched,
)
from serbench.ask.command_line.ending import end_run, end_unmeasured, showing
from serbench.ask.command_line.printing import (
    UNDECIDED,
    fail,
    print_answer,
    print_code,
    print_rich,
    split,
    writing,
)
from serbench.ask.comparing import compare
from serbench.ask.judging import gate, history, recommend
from serbench.ask.options import Fit, bits_per_second
from serbench.ask.running import FEW, load, run
from serbench.errors import check
from serbench.judge.budget import COMPRESSIONS
from serbench.keep.timings import Timings
from serbench.render.environments.files import append_to_file

_FOR_EVERY_CASE = Fit(replaces=("demands", "present", "verbose"), why="is computed for every case")


@command(compare)
def compare_command(choices: Choices, as_json: AsJson = False, verbose: Verbose = False) -> None:
    """Compare functions of your own, or two stored runs, case by case; exit with 1 if a function fails."""
    from serbench.keep.progress import Watcher  # imports Rich

    with Watcher() as watcher:
        compared = compare(*choices.pop("compared"), **choices, listener=watcher)
    if isinstance(compared, Timings):
        tables = replace(compared.table(), notes=compared.notes)  # the closing lines say what follows from it
        closing = compared.closing(command_text(), choices.get("effort", ""))
        print_answer(compared, tables, closing, as_json=as_json, verbose=verbose)
        if not all(row.measured for row in compared.rows):
            raise typer.Exit(1)
    else:
        print_answer(compared, compared.table(), compared.closing(), as_json=as_json, verbose=verbose)


@command(history)
def history_command(
    choices: Choices,
    output: Annotated[
        Path | None,
        flag(
            "--output DIR",
            "Folder for the run's tables, `history.md`, and the figure as a page, `history.html`",
            writes=True,
        ),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Measure several versions of one library side by side."""
    versions = watched(history, choices)
    end_unmeasured(versions.run)
    with showing(versions.run):
        if output is not None:
            with writing():
                for path in versions.write(output):
                    print(path, file=sys.stderr)
        print_answer(versions, versions.table(), versions.closing(), as_json=as_json, verbose=verbose)
        end_run(versions.run)


@command(gate)
def gate_command(
    choices: Choices,
    output: Annotated[
        Path | None,
        flag(
            "--output FILE",
            "File to which the verdicts are appended as Markdown, such as the job summary in CI",
            writes=True,
        ),
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Exit with 1 if the candidate is proven slower, 0 if it is proven not to be, 3 if neither is proven."""
    decision = watched(gate, choices)
    if output is not None:
        with writing():
            append_to_file(output, decision.to_markdown())
    print_answer(decision, decision.table(), decision.closing(command_text()), as_json=as_json, verbose=verbose)
    if decision.verdict != "fine":
        raise typer.Exit(UNDECIDED if decision.verdict == "undecided" else 1)


@command(recommend)
def recommend_command(
    choices: Choices,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="Your own file, as for `--payload`, whose schema is shown first",
        ),
        Fit(replaces=("payload", "workload", "model", "measured"), why="is the data to measure"),
    ] = None,
    bandwidth: Annotated[
        str | None,
        flag(
            "--bandwidth RATE",
            "Compute instead how many messages per second each case can handle with this bandwidth, such as `56kbit/s` or `10Mbit/s` (default: `1Gbit/s`)",
        ),
        _FOR_EVERY_CASE,
    ] = None,
    cores: Annotated[
        float | None,
        flag("--cores N", "Compute the same with this number of cores that do this work (default: `1`)"),
        _FOR_EVERY_CASE,
    ] = None,
    compression: Annotated[
        list[str] | None,
        flag("--compression NAME", "Compute the same with `none`, `gzip` or `zstd` (default: the best for each case)"),
        _FOR_EVERY_CASE,
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Measure, and recommend a library and codec, or compute messages per second for a bandwidth."""
    if file is not None:
        choices["payload"] = file
        if not as_json:
            _show_file(file, choices)
        if not as_json and not {"libraries", "formats", "budget", "resume"} & choices.keys():
            _rank_few(choices)
    if bandwidth is not None or cores is not None or compression:
        _recommend_for_a_line(choices, bandwidth or "1Gbit/s", 1.0 if cores is None else cores, compression, as_json)
        return
    advice = watched(recommend, choices)
    end_unmeasured(advice.run)
    with showing(advice.run):
        if file is not None and not as_json:
            print_code(advice.code, whole=verbose)
        print_answer(advice, advice.evidence(), advice.closing(), as_json=as_json, verbose=verbose)
        end_run(advice.run)


def _show_file(file: str, choices: Choices) -> None:
    """Show what serbench understands of a file."""
    from serbench.keep.progress import Watcher  # imports Rich
    from serbench.measure.listener import Progress

    with Watcher() as watcher:
        watcher.progress(Progress(f"reading {Path(file).name}", 0, 0, 0))
        text = describe(**{name: value for name, value in choices.items() if name in arguments(describe)})
    print(text, flush=True)


def _rank_few(choices: Choices) -> None:
    """Measure and rank a few widely used cases first, which takes seconds."""
    from serbench.keep.progress import LEADERS, Watcher

    with Watcher() as watcher:
        few = run(**passed(run, choices, **FEW, effort="quick", command=command_text(), listener=watcher))
    if few.info.status == "interrupted" and not few.info.used_up:
        end_unmeasured(few)
        end_run(few)
    if any(row.measured for row in few.rows):
        print(f"first {', '.join(FEW['libraries'])}; all others follow", flush=True)
        print_rich(few.leaders(LEADERS))


def _recommend_for_a_line(
    choices: Choices, bandwidth: str, cores: float, compression: list[str] | None, as_json: bool
) -> None:
    """Print the messages a second of a stored run, or of one that is measured now."""
    rate, compressions = read_text(bits_per_second, bandwidth, "--bandwidth"), split(compression)
    for name in compressions:
        check("compression", name, COMPRESSIONS)
    if not 0 < cores < float("inf"):
        fail(f"--cores takes a number above 0, not {cores:g}")
    if "measured" in choices:
        measured = load(choices["measured"], store=choices.get("store"))
    else:
        measured = watched(run, passed(run, {"effort": "quick", **choices}))
        end_unmeasured(measured)
    print_budgets(measured, rate, cores, compressions, choices.get("operations", ()), as_json=as_json)
    if "measured" not in choices:
        end_run(measured)
