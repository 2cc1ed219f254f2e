"""The command that measures and ranks."""

from __future__ import annotations

import sys

import typer

from serbench.api.running import run
from serbench.cli.commands import AsJson, Given, command, watched
from serbench.cli.printing import print_found
from serbench.cli.words import INTERRUPTED

_WHERE = {"store", "resume", "jobs", "scheduler"}


@command(run)
def run_command(given: Given, as_json: AsJson = False) -> None:
    """Measure and rank."""
    if "resume" in given and given.keys() <= _WHERE:
        given["resume"] = "newest"
    found = watched(run, given)
    print_found(found if as_json else found.table(), as_json=as_json)
    if found.info.status == "interrupted":
        budget = found.info.plan["budget_s"]
        in_time = budget is None or (found.info.seconds or 0) < budget
        what = "interrupted" if in_time else "the budget is used up"
        print(f"{what}; `serbench run --resume` goes on with run {found.id}", file=sys.stderr)
        if in_time:
            raise typer.Exit(INTERRUPTED)
