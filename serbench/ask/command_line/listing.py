"""Prints the lists of what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serbench.ask import listing
from serbench.ask.command_line.printing import leaving_out, print_named_rows

if TYPE_CHECKING:
    from pathlib import Path

LISTS = ("libraries", "formats", "workloads", "environments", "runs", "claims")
STORED = ("libraries", "runs")
"""The lists of what is, or is known by what is, in a store."""
_LONG = {  # only --json has room for these
    "libraries": ("summary", "cannot"),
    "formats": ("cannot",),
    "environments": ("requirements",),
}


def print_list(what: str, store: Path | None, *, as_json: bool) -> None:
    """Print one of the lists; what a library or run is known by may be in the store."""
    if what == "claims":
        from serbench.claims.ledger import list_claims

        rows = list_claims()
    else:
        stored = {"store": store} if what in STORED else {}
        rows = getattr(listing, f"list_{what}")(**stored)
    print_named_rows(what, rows, as_json=as_json, nothing=f"no {what} yet", shown=leaving_out(_LONG.get(what, ())))
