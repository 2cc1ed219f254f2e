"""The command that measures published claims anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from serbench.cli import options
from serbench.cli.printing import print_json, print_rows
from serbench.cli.words import seconds, split

if TYPE_CHECKING:
    from serbench.claims import Outcome


def claims_command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="such as 003-take, or 003 for a whole source; all without"),
    ] = None,
    effort: options.Effort = "quick",
    budget: Annotated[
        str | None, typer.Option("--budget", help="For all together; each claim gets an equal share of what is left.")
    ] = None,
    versions: Annotated[
        list[str] | None, typer.Option("--versions", help="Only these sets of versions, such as now; all without.")
    ] = None,
    sources: Annotated[
        Path | None, typer.Option("--sources", help="A folder with claims of your own; serbench's without.")
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Measure nothing: show what --output keeps, or else what is published.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="A folder that gets each outcome as soon as there is one.")
    ] = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure published claims anew, with a verdict for each."""
    from serbench.claims import Ledger, ledger, measure_claims
    from serbench.claims.ledger import chosen
    from serbench.live import Watcher

    if stored:
        kept = {one.id: one for one in ledger(output).outcomes}
        found = Ledger(tuple(kept[name] for name in chosen(ids or (), kept)))
    else:
        with Watcher() as watcher:
            found = measure_claims(
                ids or (),
                effort=effort,
                budget=None if budget is None else seconds("--budget", budget),
                versions=split(versions),
                sources=sources,
                output=output,
                store=store,
                on_progress=watcher.progress,
                on_outcome=lambda one: print(f"{one.id}: {one.verdict}", file=sys.stderr, flush=True),
            )
    if as_json:
        print_json(found.to_data())
        return
    shown = [
        {
            "claim": row["id"],
            "published": row["published"],
            "measured": "\n".join(f"{name} {words}" for name, words in row["measured"].items()),
            "verdict": row["verdict"] + (", near the boundary" if row["near_boundary"] else ""),
        }
        for row in found.rows()
    ]
    print_rows(shown, nothing="no claim")
    if len(found.outcomes) == 1:
        _print_in_full(found.outcomes[0])
    for row in found.rows():
        for text in (row["explanation"], *row["notes"]):
            print(f"- {row['id']}: {text}")


def _print_in_full(outcome: Outcome) -> None:
    """What there is to see of a claim that is alone."""
    from serbench.claims.tables import figure_rows, statistics_rows

    print_rows(figure_rows(outcome), nothing="no figure")
    for versions in outcome.verdicts:
        rows = statistics_rows(outcome, versions)
        if rows:
            print_rows(rows, nothing="nothing was timed")
