"""The command that runs the notebooks without anybody watching, and makes what is published of their runs."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli.options import AsJson, StorePath
from serbench.cli.printing import print_json, print_rows
from serbench.cli.words import fail, seconds


def report_command(
    notebook: Annotated[
        list[str] | None, typer.Argument(help="names of notebooks, or files of your own; all of serbench's without")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", metavar="NAME=VALUE", help="For each notebook that has it; repeat for more."),
    ] = None,
    effort: Annotated[
        str | None, typer.Option("--effort", "-e", help="quick, normal or thorough; each notebook's own without.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Where results go.")] = Path("data"),
    only_missing: Annotated[
        bool, typer.Option("--only-missing", help="Leave out notebooks that have a result there.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Leave out notebooks whose result was measured since then."),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", help="The longest that one cell may take, such as 10m.")
    ] = None,
    store: StorePath = None,
    as_json: AsJson = False,
) -> None:
    """Run the notebooks by papermill; exit code 1 where one fails."""
    from serbench.reports.execute import execute, keeping
    from serbench.reports.notebooks import given, notebooks

    found = notebooks(notebook or ())
    outcomes = execute(
        found,
        given(found, parameter or (), effort),
        output,
        store=store,
        time_limit_s=None if time_limit is None else seconds("--time-limit", time_limit),
        keep=keeping(output, only_missing=only_missing, since=None if since is None else _moment(since)),
        on_step=_tell,
    )
    if as_json:
        print_json({"notebooks": [asdict(one) for one in outcomes]})
    else:
        print_rows([{**asdict(one), "seconds": round(one.seconds, 1)} for one in outcomes], nothing="no notebooks")
    if any(one.status in ("failed", "timeout") for one in outcomes):
        raise typer.Exit(1)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _moment(text: str) -> datetime:
    """A date, or a date with a time; in UTC where it does not say."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since takes a date such as 2026-01-31 or 2026-01-31T12:00, not {text!r}")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
