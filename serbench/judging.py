"""The public verbs that judge versions: a library over its versions, and a candidate against its baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from serbench import analysis
from serbench.engine.listener import Progress
from serbench.engine.plan import datasets
from serbench.engine.results import Point
from serbench.engine.selection import Choice, brings, chosen_codecs, gate_text, selection
from serbench.environments import MAIN
from serbench.names import PlanError
from serbench.own_model import OWN, locate, own_cases
from serbench.result import History
from serbench.revisions import SIDES, duel
from serbench.verbs import Names, make_plan, names_of, run


def history(library: str, versions: Names = None, workload: Names = "client", **choices: Any) -> History:
    """One library over its versions, measured side by side in the same waves.

    Args:
        library: its name, or that of its distribution.
        versions: such as "1.10.2, 1.10.27, 2.5, installed"; "2.5" is the newest 2.5.x, "installed" that
            of serbench's own installation. Without, what is installed and what was added.
        workload: as for `run`.
        **choices: those of `run`, but for `libraries`.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    found = [one.name for one in brings(library)]
    texts = [library if name == "installed" else f"{library}@{name}" for name in names_of(versions) or ("*",)]
    return History(run(workload, libraries=texts, **choices), tuple(found))


def gate(
    baseline: str,
    candidate: str,
    workload: Names = "client",
    *,
    module: str | Path | None = None,
    library: str = "dataclasses",
    threshold: float = 0.05,
    **choices: Any,
) -> analysis.Gate:
    """Whether a candidate is slower than its baseline, both measured side by side in the same waves.

    Args:
        baseline, candidate: versions of a library or of a codec, such as "orjson==3.10" and "orjson==3.13",
            names of libraries as `run` takes them, or "yours" for the class that `model` names; with `module`,
            git revisions ("." is the work tree).
        workload: as for `run`.
        module: a Python file in a git repository, with functions `encode` and `decode`.
        library: what the models are written with where codecs are compared.
        threshold: the slowdown that matters; 0.05 is 5 %.
        **choices: those of `run`, but for `libraries` and `paired`; with `module`, those that choose the data, and `effort`.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    if module is not None:
        return _gate_revisions(Path(module), (baseline, candidate), workload, threshold, **choices)
    if OWN in (baseline, candidate) and choices.get("model") is None:
        raise PlanError(f"{OWN} is a class of your own; name it with --model")
    sides = [gate_text(name, library) for name in (baseline, candidate) if name != OWN]
    codecs = {text.partition("+")[2].partition("==")[0] for text in sides} - {""}
    choices["formats"] = choices.get("formats") or tuple(codecs)
    formats = names_of(choices["formats"])
    named = iter(sides)
    meant = [
        _own_side(choices["model"], formats) if name == OWN else _side(selection([next(named)], formats))
        for name in (baseline, candidate)
    ]
    if meant[0] & meant[1]:
        raise PlanError(f"{baseline} and {candidate} are the same here; name two versions")
    measured = run(workload, libraries=sides, paired=True, **choices)
    first, second = (
        [c for c in measured.cells if not c.control and (c.library, c.variant, c.environment) in side] for side in meant
    )
    for name, side in ((baseline, first), (candidate, second)):
        if all(cell.status in ("unsupported", "unavailable") for cell in side):
            raise PlanError(f"{name} cannot be measured here: {next((cell.reason for cell in side), 'no case has it')}")
    ids = [[cell.id for cell in side] for side in (first, second)]
    checks = analysis.gate(measured.cells, measured.samples, ids[0], ids[1], threshold)
    if all(check.verdict == "missing" for check in checks):
        raise PlanError(f"{baseline} and {candidate} have no case in common; name a --format that both have")
    return analysis.Gate(baseline, candidate, threshold, checks)


def _gate_revisions(
    module: Path,
    revisions: tuple[str, str],
    workload: Names,
    threshold: float,
    *,
    effort: str = "normal",
    on_progress: Callable[[Progress], None] | None = None,
    **data: Any,
) -> analysis.Gate:
    """A module of one's own at two revisions; texts of its data are texts."""
    for name, option in (("formats", "--format"), ("model", "--model")):
        if data.get(name):
            raise PlanError(f"{module.name} decides itself on its classes and format; leave {option} out")
    given = {name: value for name, value in data.items() if value and name in ("records", "depth", "seed", "payload")}
    plan = make_plan(workload, literal_strings=True, effort=effort, **given)
    dataset = next(datasets(plan))
    point = Point(dataset.name, dataset.records, dataset.depth, dataset.seed)
    tell = on_progress or (lambda _: None)
    done = duel(module, revisions, dataset.value, point, plan.rules, tell)
    first, second = ([cell.id for (side, _), cell in done.cells.items() if side == name] for name in SIDES)
    checks = analysis.gate(list(done.cells.values()), done.samples, first, second, threshold)
    return analysis.Gate(*revisions, threshold, checks)


def _side(chosen: Iterable[Choice]) -> set[tuple[str, str, str]]:
    """What a cell says of its side."""
    return {(choice.library.name, choice.variant, choice.recipe.name) for choice in chosen}


def _own_side(model: str, formats: Sequence[str]) -> set[tuple[str, str, str]]:
    """The same for a class of the user's."""
    own = own_cases(locate(model), chosen_codecs(formats))
    return _side(Choice(library, variant, codec, MAIN) for library, variant, codec in own)
