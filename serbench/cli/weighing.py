"""The commands weigh and profile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serbench.api.weighing import profile, weigh, weighing
from serbench.cli.commands import AsJson, Given, command, watched
from serbench.cli.printing import print_found
from serbench.cli.words import writing
from serbench.store.files import write_file


@command(weigh)
def weigh_command(
    given: Given,
    stored: Annotated[
        str | None,
        typer.Option("--stored", metavar="ID", help="Show a stored weighing, its id or `latest`, and weigh nothing"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure memory, start-up, installed size, garbage collection and threads, in passes of their own."""
    found = watched(weigh, given) if stored is None else weighing(stored, store=given.get("store"))
    print_found(found, as_json=as_json)


@command(profile)
def profile_command(
    given: Given,
    top: Annotated[
        int,
        typer.Option("--top", metavar="N", help="Number of functions in the table (default: `20`)", show_default=False),
    ] = 20,
    flame: Annotated[Path | None, typer.Option("--flame", metavar="FILE", help="File for a flame graph as SVG")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the hottest functions of one operation of a case."""
    found = watched(profile, given)
    if flame is not None:
        with writing("name another file with --flame"):
            write_file(flame, found.to_svg())
    print_found(found if as_json else found.table(top), as_json=as_json)
