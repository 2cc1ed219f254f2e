"""The commands that measure: run, also through a server, and weigh."""

from __future__ import annotations

import sys
from pathlib import Path

from serbench.api.calling import arguments
from serbench.api.command_line.commands import AS_JSON, FIGURES, VERBOSE, Choices, command, own, watched
from serbench.api.command_line.printing import (
    end_measured,
    end_run,
    end_unmeasured,
    print_answer,
    print_result,
    showing,
    write,
)
from serbench.api.running import load, run
from serbench.api.weighing import Weighing, serve, weigh, weighing
from serbench.display.values import lines_json
from serbench.errors import StoreError
from serbench.measure.options import Fit

_WHERE = {"store", "resume", "jobs", "scheduler"}
_SERVERS = arguments(serve)["servers"].option
_OF_SERVERS = Fit(needs=("endpoints",), leaves=(*arguments(serve), "as_json"), why="sends requests through a server")
_OF_STORED = Fit(leaves=("store", "to", "output", "as_json", "verbose"), why="measures nothing")


@command(run)
def run_command(
    choices: Choices,
    servers: list[str] | None = own(_SERVERS.help, _SERVERS.form, fits=(_OF_SERVERS,)),
    stored: str | None = own(
        "Show a stored run, its id, its beginning, `latest` or `previous`, and measure nothing",
        "--stored RUN",
        fits=(_OF_STORED,),
    ),
    to: str | None = own(
        "With `--stored`: convert the run to `csv`, `parquet`, `json` or `pyperf`",
        "--to FORMAT",
        fits=(Fit(needs=("stored",), replaces=("as_json", "verbose"), why="prints the run itself"),),
    ),
    output: Path | None = own(
        "With `--to`: file to write (default: standard output)",
        "--output FILE",
        fits=(Fit(needs=("to",)),),
        writes=True,
    ),
    as_json: bool = AS_JSON,
    verbose: bool = VERBOSE,
) -> None:
    """Measure and rank libraries and formats, or show a stored run."""
    if servers is not None:
        _print_weighing(watched(serve, {**choices, "servers": servers}), as_json=as_json)
        return
    if stored is not None:
        shown = load(stored, store=choices.get("store"))
        if to is None:
            print_answer(shown, as_json=as_json, verbose=verbose)
        else:
            sys.stdout.write(shown.export(to, output) or "")
        return
    if "resume" in choices and choices.keys() <= _WHERE:
        choices["resume"] = "newest"
    measured = watched(run, choices, verbose=verbose)
    end_unmeasured(measured)
    with showing(measured):
        print_answer(measured, as_json=as_json, verbose=verbose)
        end_run(measured)


@command(weigh)
def weigh_command(
    choices: Choices,
    stored: str | None = own(
        "Show a stored weighing, its id or `latest`, and weigh nothing",
        "--stored ID",
        fits=(Fit(leaves=("store", "output", "as_json"), why="weighs nothing"),),
    ),
    output: Path | None = FIGURES,
    as_json: bool = AS_JSON,
) -> None:
    """Measure memory, start-up, installed size, threads and leaks.

    Each metric has a separate pass.
    """
    weighed = watched(weigh, choices) if stored is None else weighing(stored, store=choices.get("store"))
    info = weighed.info
    if stored is not None and not weighed.rows:
        raise StoreError(f"weighing {info.id} was interrupted before its first figure; repeat it: {info.command}")
    facts = {"command": info.command, "date": info.started, "machine": info.machine, "versions": info.versions}
    write(output, lambda: lines_json(facts, "weights", weighed.to_data()["rows"]))
    _print_weighing(weighed, as_json=as_json)


def _print_weighing(weighed: Weighing, *, as_json: bool) -> None:
    print_result(weighed, as_json=as_json)
    end_measured(((row, row.value is not None) for row in weighed.rows), weighed.info.plan)
