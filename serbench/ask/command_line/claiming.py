"""The command that measures published claims anew."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from serbench.ask.claims import measure_claims, named_claims
from serbench.ask.command_line.commands import AS_JSON, Choices, command, own, watched
from serbench.ask.command_line.printing import print_json, print_rich, print_rows
from serbench.claims.ledger import Ledger, ledger
from serbench.claims.outcome import summary
from serbench.measure.options import Fit

if TYPE_CHECKING:
    from serbench.claims.outcome import Outcome

LEGEND = """\
Each claim shows its first figure, a ratio as published and as measured; serbench claims ID shows all.
- then: measured with the versions of the claim's time; now: with today's
- larger, smaller: than published"""


@command(measure_claims)
def claims_command(
    choices: Choices,
    stored: bool = own(
        "Measure nothing: show what `--output` keeps, else what is published",
        "--stored",
        fits=(Fit(leaves=("ids", "output", "as_json"), why="measures nothing"),),
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Remeasure published claims, with a verdict for each."""
    if stored:
        kept = {outcome.id: outcome for outcome in ledger(choices.get("output")).outcomes}
        outcomes = Ledger(tuple(kept[name] for name in named_claims(choices.get("ids", ()), kept)))
    else:
        outcomes = watched(measure_claims, choices, on_outcome=_tell)
    if as_json:
        print_json(outcomes.to_data())
        return
    print(f"{summary(outcomes.outcomes)}.")
    if reversed_rows := outcomes.reversed_rows():
        print("Reversed:")
        print_rows(reversed_rows, nothing="none")
    print_rich(outcomes.table("\n"))
    print(LEGEND)
    if len(outcomes.outcomes) == 1:
        (outcome,) = outcomes.outcomes
        print_rows(outcomes.figure_rows(), nothing="no figure")
        for versions in outcome.verdicts():
            if rows := outcome.statistics_rows(versions):
                print_rows(rows, nothing="nothing was timed")
    for row in outcomes.rows():
        for text in (row["explanation"], *row["notes"]):
            print(f"- {row['id']}: {text}")


def _tell(outcome: Outcome) -> None:
    print(f"{outcome.id}: {outcome.verdict}", file=sys.stderr, flush=True)
