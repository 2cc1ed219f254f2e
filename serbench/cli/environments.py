"""The commands of `serbench env`."""

from __future__ import annotations

from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.looking import list_command
from serbench.cli.printing import print_json, print_rows


def env_list_command(as_json: options.AsJson = False) -> None:
    """List what is made, and what could be."""
    list_command("environments", None, as_json)


def env_build_command(
    name: Annotated[
        list[str] | None, typer.Argument(help="an environment of `serbench env list`, or a library; all without")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make environments now; exit code 1 where one cannot be made."""
    from serbench.environment_verbs import build_environments
    from serbench.live import Watcher

    with Watcher() as watcher:
        rows = build_environments(name or (), on_progress=watcher.progress)
    if as_json:
        print_json({"environments": rows})
    else:
        print_rows(rows, nothing="nothing to make")
    if any(row["status"] != "ok" for row in rows):
        raise typer.Exit(1)


def env_add_command(
    requirement: Annotated[str, typer.Argument(help='such as "pydantic==2.5", or a library for --python')],
    python: Annotated[str, typer.Option("--python", help="The interpreter, such as 3.9 or pypy3.")] = "",
) -> None:
    """Add a row: a version of a library, or a library on another interpreter. Its environment is made at once."""
    from serbench.environment_verbs import add_environment
    from serbench.live import Watcher

    with Watcher() as watcher:
        row = add_environment(requirement, python=python, on_progress=watcher.progress)
    print(f"{row['name']}: {row['reason'] or row['status']}")
    if row["status"] != "ok":
        raise typer.Exit(1)


def env_remove_command(
    name: Annotated[str, typer.Argument(help="an environment of `serbench env list`, or an added row")],
) -> None:
    """Take an environment away, and forget the row that was added for it."""
    from serbench.environment_verbs import remove_environment

    print(remove_environment(name))
