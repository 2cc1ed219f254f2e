"""Manage environments: libraries that conflict, other versions, other interpreters."""

from __future__ import annotations

import typer

from serbench.ask.command_line.commands import AsJson, Choices, command, watched
from serbench.ask.command_line.printing import print_named_rows
from serbench.ask.environments import add_environment, build_environments, remove_environment

env_group = typer.Typer(
    help=__doc__,
    add_completion=False,
    rich_markup_mode=None,
)


@env_group.command("build")
@command(build_environments)
def env_build_command(choices: Choices, as_json: AsJson = False) -> None:
    """Build environments now; exit with 1 if one cannot be built."""
    rows = watched(build_environments, choices)
    print_named_rows("environments", rows, as_json=as_json, nothing="nothing to make")
    if any(row["status"] != "ok" for row in rows):
        raise typer.Exit(1)


@env_group.command("add")
@command(add_environment)
def env_add_command(choices: Choices) -> None:
    """Add a row: a version of a library, or a library on another interpreter. Its environment is built immediately."""
    row = watched(add_environment, choices)
    print(f"{row['name']}: {row['reason'] or row['status']}")
    if row["status"] != "ok":
        raise typer.Exit(1)


@env_group.command("remove")
@command(remove_environment)
def env_remove_command(choices: Choices) -> None:
    """Remove an environment, and the row that was added for it."""
    print(remove_environment(**choices))
