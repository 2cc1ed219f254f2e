"""The public function that measures published claims."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from serbench.api import choices
from serbench.api.calling import public, several
from serbench.api.running import Known, heard, recalled
from serbench.claims.judging import OUT_OF_TIME, Terms
from serbench.claims.ledger import Ledger, ledger, measure_claim
from serbench.claims.reading import claims
from serbench.errors import PlanError, check, if_interrupted
from serbench.machine.files import check_folder
from serbench.measure.plan import EFFORTS

LEAST_PART = 3
"""The two waves that a claim is measured in at least are a third of the six of a published outcome."""


@public
def measure_claims(
    ids: choices.Claims = (),
    *,
    effort: str = "quick",
    budget: float | None = None,
    versions: choices.ClaimVersions = (),
    sources: choices.ClaimSources = None,
    output: choices.ClaimOutput = None,
    progress: choices.Progress = False,
    listener: choices.Listener = None,
    on_outcome: choices.OnOutcome = None,
) -> Ledger:
    """Measure published claims again, each with an equal share of the remaining budget.

    A claim without time left is not started, and its outcome says so; `output` keeps only measured ones.

    Raises:
        PlanError: an unknown id, effort or set of versions.
    """
    from serbench.store.progress import Watcher

    check("effort", effort, EFFORTS)
    if output is not None:
        check_folder(output)
    if (stored := recalled(lambda: _known(ids, several(versions), sources, output))) is not None:
        return stored
    listener = heard(listener)
    known = claims() if sources is None else claims(Path(sources))
    asked = [known[name] for name in named_claims(several(ids), known)]
    wanted = several(versions)
    for name in wanted:
        check("set of versions", name, dict.fromkeys(chain(*(claim.versions for claim in asked))))
    asked = [claim for claim in asked if any(map(claim.has_figures_in, wanted or claim.versions))]
    if not asked:
        raise PlanError(f"these claims have no figure for the versions {', '.join(wanted)}; omit --versions")
    least = {} if budget is None else least_times()
    end = None if budget is None else time.monotonic() + budget
    outcomes = []
    with Watcher(quiet=not progress) as watcher:
        terms = Terms(effort, end, listener or watcher)
        for number, claim in enumerate(asked):
            left = len(asked) - number
            kept = f"the outcomes of {number} claims are" if number and output is not None else "nothing is"
            with if_interrupted(f"{kept} kept; {left} claims are left, from {claim.id} on"):
                outcome = measure_claim(claim, terms, wanted, least.get(claim.id, 0.0), left)
                outcomes.append(outcome)
                if output is not None and all(figure.reason != OUT_OF_TIME for figure in outcome.figures):
                    Ledger((outcome,)).write(output, tables=False)
            if on_outcome is not None:
                on_outcome(outcome)
    return Ledger(tuple(outcomes))


def _known(
    ids: choices.Claims, versions: Sequence[str], sources: choices.ClaimSources, output: choices.ClaimOutput
) -> Known[Ledger]:
    """The outcomes of the claims that are kept or else published, in these sets of versions; none of the user's sources is."""
    published = ledger().outcomes if sources is None else ()
    known = {}
    for outcome in (*published, *(Ledger.read(Path(output)).outcomes if output is not None else ())):
        figures = tuple(figure for figure in outcome.figures if not versions or figure.versions in versions)
        if figures:
            known[outcome.id] = replace(outcome, figures=figures)
    every = claims() if sources is None else claims(Path(sources))
    names = [
        name
        for name in named_claims(several(ids), every)
        if not versions or any(map(every[name].has_figures_in, versions))
    ]
    outcomes = tuple(known[name] for name in names if name in known)
    return (Ledger(outcomes), [name for name in names if name not in known]) if outcomes else None


def least_times() -> dict[str, float]:
    """The time that a set of versions of each published claim takes at least, in s, as it was published."""
    return {outcome.id: outcome.seconds / (LEAST_PART * len(outcome.verdicts())) for outcome in ledger().outcomes}


def named_claims(names: Iterable[str], ids: Iterable[str]) -> list[str]:
    """Of the ids of claims those that are named, each by itself or by its source, as "003"; all if no names are given.

    Raises:
        PlanError: a name is not one of them.
    """
    wanted, known = tuple(names), list(ids)
    of = {name: {one for one in known if one == name or one.startswith(f"{name}-")} for name in wanted}
    for name, matches in of.items():
        if not matches:
            check("claim", name, known)
    return [one for one in known if not wanted or any(one in matches for matches in of.values())]
