"""Puts a claim's rows to the test in one set of versions: environments, answers, then waves by the engine's rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench import statistics, verbs
from serbench.analysis.waves import cell_waves
from serbench.claims.entry import TIMED, Claim, Row, Versions
from serbench.claims.quantities import logs_of
from serbench.claims.reading import snippet
from serbench.engine.arena import Answer, Arena, Entrant
from serbench.engine.listener import Progress
from serbench.engine.plan import EFFORTS, Effort
from serbench.engine.results import Cell, Sample
from serbench.engine.selection import selection
from serbench.environment_verbs import maker
from serbench.environments import Environment, Recipe
from serbench.measuring import measure

Told = Callable[[Progress], None] | None


@dataclass
class Bench:
    """What one set of versions has shown of a claim's rows, by the rows' names.

    Attributes:
        cells: status, environment and reason of each.
        samples: everything that was timed.
        answers: what each gave before it was timed.
        packages: the versions that each ran with.
        wrong: printed rows that gave another answer, or none → what it was.
        reason: why what has neither was not measured.
    """

    cells: dict[str, Cell] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    packages: dict[str, dict[str, str]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    reason: str = "it was not measured within the budget"


@dataclass(frozen=True)
class Terms:
    """How long to go on, and who hears of it. `deadline` is on the monotonic clock, in s."""

    effort: str = "normal"
    deadline: float | None = None
    store: str | Path | None = None
    on_progress: Told = None

    @property
    def rules(self) -> Effort:
        """Waves and precision."""
        return EFFORTS[self.effort]

    @property
    def is_over(self) -> bool:
        """Whether the budget is used up."""
        return self.deadline is not None and time.monotonic() > self.deadline


def measured(claim: Claim, versions: Versions, terms: Terms) -> Bench:
    """A claim's rows in one set of versions."""
    bench = Bench()
    rows = [row for row in claim.rows if row.is_in(versions.name)]
    snippets = [row for row in rows if row.snippet]
    cases = [row for row in rows if not row.snippet]
    if snippets:
        _contest(claim, versions, snippets, terms, bench)
    if cases:
        _run(claim, versions, cases, terms, bench)
    return bench


def _contest(claim: Claim, versions: Versions, rows: list[Row], terms: Terms, bench: Bench) -> None:
    recipes = {row.name: recipe(row, versions) for row in rows}
    made = maker(terms.on_progress)(set(recipes.values()))
    entrants = []
    for number, row in enumerate(rows):
        environment = made[recipes[row.name]]
        entrants.append(_entrant(f"row_{number:04}", row, claim, environment))
        bench.packages[row.name] = _packages(environment, recipes[row.name])
    names = {entrant.name: row.name for entrant, row in zip(entrants, rows, strict=True)}
    on_one_core = all(figure.quantity not in ("wall", "busy") for figure in claim.figures)
    with Arena(entrants, on_one_core=on_one_core) as arena:
        bench.answers = {names[name]: answer for name, answer in arena.try_out().items()}
        bench.cells = {names[name]: cell for name, cell in arena.cells.items()}
        _compare_answers(rows, bench)
        while not _enough(claim, bench, terms):
            wave = len({sample.wave for sample in bench.samples}) + 1
            if terms.on_progress:
                terms.on_progress(Progress(f"{claim.id} {versions.name}", wave, wave - 1, terms.rules.waves_max))
            bench.samples += arena.wave()


def recipe(row: Row, versions: Versions) -> Recipe:
    """The environment of a snippet's row; serbench's own where nothing is asked for."""
    needed = (*versions.requirements, *row.requires.get(versions.name, ()))
    own = row.requires.get(versions.name, versions.requirements)
    python = row.python.get(versions.name, versions.python)
    return Recipe(needed, python, own[0] if own else "", tools=versions.tools)


def _entrant(name: str, row: Row, claim: Claim, environment: Environment) -> Entrant:
    """The snippet with what it shares, and the names that a worker asks for at its end."""
    source = snippet(claim.folder / row.snippet) + f"\n\nencode = {row.call}\n"
    if "\ndef prepare(" in source:
        source += "\n\ndef build(values):\n    return prepare(**values)\n"
    return Entrant(name, row.name, source, environment, dict(row.parameters), seat="" if row.apart else row.snippet)


def _packages(environment: Environment, made_of: Recipe) -> dict[str, str]:
    """The Python, and the versions of what was asked for."""
    from packaging.requirements import Requirement

    if environment.reason is not None:
        return {}
    return environment.versions({Requirement(text).name for text in made_of.requirements})


def _compare_answers(rows: Iterable[Row], bench: Bench) -> None:
    """Rows that must agree are held against the first of them that is no printed one; who differs is not used."""
    ordered = sorted(rows, key=lambda row: row.printed)
    truths: dict[str, Row] = {}
    for row in ordered:
        cell, answer = bench.cells[row.name], bench.answers.get(row.name)
        if row.printed and answer is None and cell.status == "failed":
            bench.wrong[row.name] = f"as printed, {row.name} fails: {cell.reason}"
        if answer is None or not row.agrees:
            continue
        truth = truths.setdefault(row.agrees, row)
        right = bench.answers[truth.name]
        if right.text == answer.text:
            continue
        text = f"{row.name} gives {_short(answer.text)} where {truth.name} gives {_short(right.text)}"
        if row.printed:
            bench.wrong[row.name] = f"as printed, {text}"
        else:
            cell.status, cell.reason = "failed", text


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:60]} … {text[-15:]}"


def _enough(claim: Claim, bench: Bench, terms: Terms) -> bool:
    """Whether every figure is known as well as the effort asks, or nothing more may be done."""
    waves = len({sample.wave for sample in bench.samples})
    if not any(figure.quantity in TIMED for figure in claim.figures):
        return True
    if not any(cell.status == "unresolved" for cell in bench.cells.values()):
        return True
    if waves >= terms.rules.waves_max or (waves >= 2 and terms.is_over):
        return True
    if waves < terms.rules.waves_min:
        return False
    known = [list(logs_of(figure, bench.cells, bench.samples).values()) for figure in claim.figures]
    prior = statistics.fit_prior(known)
    return all(
        statistics.converged(values, terms.rules.precision, prior, least=terms.rules.waves_min)
        for values in known
        if values
    )


def _run(claim: Claim, versions: Versions, rows: list[Row], terms: Terms, bench: Bench) -> None:
    """The rows that are cases, as one run that the store keeps."""
    python = versions.python or "main"
    chosen = {row.name: selection([row.library[versions.name]], [row.codec], [python])[0] for row in rows}
    left = None if terms.deadline is None else max(1.0, terms.deadline - time.monotonic())
    plan = verbs.make_plan(
        claim.workload,
        records=claim.records,
        depth=claim.depth,
        libraries=dict.fromkeys(row.library[versions.name] for row in rows),
        formats=dict.fromkeys(row.codec for row in rows),
        python=[python],
        operations=dict.fromkeys(row.operation for row in rows),
        effort=terms.effort,
        budget=left,
    )
    run = measure(plan, store=terms.store, command=f"serbench claims {claim.id}", on_progress=terms.on_progress)
    for row in rows:
        library, variant, codec, made_of = chosen[row.name]
        wanted = (library.name, variant, made_of.name, codec.name, codec.format, row.operation)
        found = [c for c in run.cells if (*c.case, c.operation) == wanted and not c.control]
        for cell in found:
            bench.cells[row.name] = cell
            name = next(iter(library.distributions), "python")
            bench.packages[row.name] = {"python": str(cell.python), name: str(cell.version)}
    bench.samples = [Sample(*sample) for sample in run.samples.tolist()]


def timed_rows(bench: Bench) -> Mapping[str, Any]:
    """What `cell_waves` makes of each row that was timed, by its name."""
    waves = cell_waves(list(bench.cells.values()), bench.samples)
    return {name: waves[cell.id] for name, cell in bench.cells.items() if cell.id in waves}
