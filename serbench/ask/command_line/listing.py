"""The command that lists what there is to choose from."""

from __future__ import annotations

from typing import Annotated

import typer

from serbench.ask import listing
from serbench.ask.command_line.commands import AsJson, Store
from serbench.ask.command_line.printing import leaving_out, print_found_rows
from serbench.errors import check

LISTS = ("libraries", "formats", "workloads", "environments", "runs", "claims")
_LONG = {  # only --json has room for these
    "libraries": ("summary", "cannot"),
    "formats": ("cannot",),
    "environments": ("requirements",),
}


def list_command(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help=f"{', '.join(f'`{one}`' for one in LISTS[:-1])} or `{LISTS[-1]}`")
    ],
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """List libraries, formats, workloads, environments, runs or claims."""
    check("list", what, LISTS)
    if what == "claims":
        from serbench.claims.ledger import list_claims

        rows = list_claims()
    else:
        stored = {"store": store} if what in ("libraries", "runs") else {}
        rows = getattr(listing, f"list_{what}")(**stored)
    print_found_rows(what, rows, as_json=as_json, nothing=f"no {what} yet", shown=leaving_out(_LONG.get(what, ())))
