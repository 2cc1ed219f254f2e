"""Ends a command that measured or proved: a line for each named library that could not be had, and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import typer

from serbench.ask.command_line.printing import INTERRUPTED, fail
from serbench.errors import Interrupted, if_interrupted
from serbench.keep.opening import store_option
from serbench.keep.run import Run
from serbench.results import grouped

_WHATEVER = ("installed", "all")  # names of libraries that mean whatever there is


class _Measured(Protocol):
    """A row of a run, a cell, a weight, or what probes found of a case."""

    @property
    def library(self) -> str: ...
    @property
    def environment(self) -> str: ...
    @property
    def reason(self) -> str | None: ...


def showing(run: Run) -> AbstractContextManager[None]:
    """Say of an interrupt while a run is printed that it is stored."""
    return if_interrupted(f"run {run.id} is kept: `serbench run --stored {run.id}{store_option(run.path)}` shows it")


def end_unmeasured(run: Run) -> None:
    """End a run that was interrupted before anything was measured: in one line, in place of what it would print."""
    if (
        run.info.status == "interrupted"
        and run.path
        and not run.info.used_up
        and not any(row.measured for row in run.rows)
    ):
        raise Interrupted(f"interrupted; nothing was measured: `serbench run --resume{store_option(run.path)}` goes on")


def end_run(run: Run) -> None:
    """Say how an interrupted run goes on, or what was not measured; end with another exit code than 0 if there is something.

    A run that used up its budget ends with 0, one whose store could not be written with 2.
    """
    if run.info.status == "interrupted" and run.path is None:
        fail(run.info.warnings[-1])
    if run.info.status != "interrupted":
        end_measured(((row, row.measured) for row in run.rows), run.info.plan.get("libraries", ()))
        return
    what = "the budget is used up" if run.info.used_up else "interrupted; what was measured is kept"
    print(f"{what}; `serbench run --resume{store_option(run.path)}` goes on with run {run.id}", file=sys.stderr)
    if not run.info.used_up:
        raise typer.Exit(INTERRUPTED)


def end_measured(measured_rows: Iterable[tuple[_Measured, bool]], names: Sequence[str], done: str = "measured") -> None:
    """Print a line for each library that is named and of which nothing was measured; then end with exit code 1.

    With each row comes whether it was measured. Without named libraries, one measured row is enough. `done` is the
    word for what the command does in place of measuring, such as "verified".
    """
    rows = list(measured_rows)
    by_library = names and not any(name in _WHATEVER or "@*" in name for name in names)
    groups = grouped(rows, lambda pair: (pair[0].library, pair[0].environment) if by_library else ("", ""))
    missing = {key: members for key, members in groups.items() if not any(measured for _, measured in members)}
    if rows and not missing:
        return
    for (library, environment), members in missing.items():
        reason = next((row.reason for row, _ in members if row.reason), "no case is chosen")
        reason = reason.partition("; a plain script ")[0]  # which is long; the rows have it
        where = "" if environment in ("", "main") else f" ({environment})"
        what = f" of {library}{where}" if library and len(groups) > 1 else ""
        print(f"nothing was {done}{what}: {' '.join(reason.split())}", file=sys.stderr)
    if not rows:
        print(f"nothing was {done}: no case is chosen", file=sys.stderr)
    raise typer.Exit(1)
