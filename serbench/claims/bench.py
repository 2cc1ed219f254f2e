"""Measures a claim's rows in one set of versions: environments, answers, then waves by the engine's rules."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from serbench.claims.entry import Claim, ClaimRow, Versions
from serbench.claims.quantities import logs_of
from serbench.claims.reading import snippet
from serbench.errors import installed_by
from serbench.judge import statistics
from serbench.judge.waves import cell_waves
from serbench.keep.active_run import measure
from serbench.keep.recorder import RunListener
from serbench.measure.functions import Answer, FunctionBenchmark
from serbench.measure.plan import EFFORTS, Effort, Plan, maker
from serbench.measure.rounds import is_finished
from serbench.render.environments.environment import MAIN, Environment, Recipe
from serbench.render.selection import selection
from serbench.results import Cell, Sample

ROUNDS = 32
"""Whoever else uses the machine slows a core for moments that last longer than eight rounds."""

OUT_OF_TIME = "it was not measured within the budget"


@dataclass
class Bench:
    """The measurement of a claim's rows in one set of versions, by the rows' names.

    Attributes:
        cells: status, environment and reason of each.
        samples: everything that was timed.
        answers: the answer of each before it was timed.
        packages: the versions that each ran with.
        wrong: printed row that gave another answer, or none → that answer or the failure.
        reason: why the other rows were not measured.
    """

    cells: dict[str, Cell] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    packages: dict[str, dict[str, str]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    reason: str = OUT_OF_TIME


@dataclass(frozen=True)
class Terms:
    """The effort, the deadline, the store and the listener of a measurement.

    `deadline` and `end` are on the monotonic clock, in s: when this part of the measurement should end, and after which
    no part begins.
    """

    effort: str = "normal"
    deadline: float | None = None
    store: str | Path | None = None
    listener: RunListener = field(default_factory=RunListener)
    end: float | None = None

    @property
    def rules(self) -> Effort:
        """Waves and precision."""
        return EFFORTS[self.effort]

    def leaves(self, seconds: float) -> bool:
        """Whether that much time is left before the end of all."""
        return self.end is None or time.monotonic() + seconds < self.end

    def share(self, parts: int) -> Terms:
        """The terms of the next of so many equal parts of the time left."""
        now = time.monotonic()
        return self if self.deadline is None else replace(self, deadline=now + max(0.0, self.deadline - now) / parts)


def measured(claim: Claim, versions: Versions, terms: Terms) -> Bench:
    """A claim's rows in one set of versions."""
    bench = Bench()
    rows = [row for row in claim.rows if row.is_in(versions.name)]
    snippets = [row for row in rows if row.snippet]
    cases = [row for row in rows if not row.snippet]
    if snippets:
        _time_snippets(claim, versions, snippets, terms, bench)
    if cases:
        _run(claim, versions, cases, terms, bench)
    return bench


def _time_snippets(claim: Claim, versions: Versions, rows: list[ClaimRow], terms: Terms, bench: Bench) -> None:
    recipes = {row.name: recipe(row, versions) for row in rows}
    made = maker(terms.listener, terms.end)(set(recipes.values()))
    if not terms.leaves(0):
        return
    on_one_core = all(figure.quantity not in ("wall", "busy") for figure in claim.figures)
    with FunctionBenchmark(on_one_core=on_one_core, rounds=ROUNDS) as benchmark:
        names = {f"row_{number:04}": row.name for number, row in enumerate(rows)}
        for name, row in zip(names, rows, strict=True):
            environment = made[recipes[row.name]]
            process = "" if row.separate else row.snippet
            benchmark.add(name, row.name, _module(row, claim), environment, dict(row.parameters), process)
            bench.packages[row.name] = _packages(environment, recipes[row.name])
        bench.answers = {names[name]: answer for name, answer in benchmark.try_out().items()}
        bench.cells = {names[name]: _told(cell) for name, cell in benchmark.cells.items()}
        _compare_answers(rows, bench)
        if claim.is_timed:
            benchmark.run(
                terms.rules,
                partial(_is_known, claim, bench.cells, terms.rules),
                f"{claim.id} {versions.name}",
                terms.listener.progress,
                terms.deadline,
            )
        bench.samples = benchmark.samples


def _told(cell: Cell) -> Cell:
    """A row's cell; if a module of serbench's own installation is missing, or what a snippet needs beside it, its reason says so."""
    if cell.reason and cell.reason.startswith("Unavailable: "):
        cell.status, cell.reason = "unavailable", cell.reason.removeprefix("Unavailable: ")
    missing = re.match(r"ModuleNotFoundError: No module named '([^']+)'", cell.reason or "")
    if missing and cell.environment == MAIN.name:
        cell.status = "unavailable"
        cell.reason = f"{missing[1]} is not installed: {installed_by('all')}"
    return cell


def recipe(row: ClaimRow, versions: Versions) -> Recipe:
    """The environment of a snippet's row; serbench's own if it requires nothing."""
    needed = (*versions.requirements, *row.requires.get(versions.name, ()))
    requirements = row.requires.get(versions.name, versions.requirements)
    python = row.python.get(versions.name, versions.python)
    return Recipe(needed, python, requirements[0] if requirements else "", tools=versions.tools)


def _module(row: ClaimRow, claim: Claim) -> str:
    """The text of the snippet with what it shares, and the names that a worker asks for at its end."""
    source = snippet(claim.folder / row.snippet) + f"\n\ncall = {row.call}\n"
    if "\ndef prepare(" in source:
        source += "\n\ndef build(values):\n    return prepare(**values)\n"
    return source


def _packages(environment: Environment, made_of: Recipe) -> dict[str, str]:
    from packaging.requirements import Requirement

    if environment.reason is not None:
        return {}
    return environment.versions({Requirement(text).name for text in made_of.requirements})


def _compare_answers(rows: Iterable[ClaimRow], bench: Bench) -> None:
    """Compare rows that must agree with the first of them that is not a printed one; those that differ are not timed."""
    truths: dict[str, ClaimRow] = {}
    for row in sorted(rows, key=lambda row: row.printed):
        cell, answer = bench.cells[row.name], bench.answers.get(row.name)
        if row.printed and answer is None and cell.status == "failed":
            bench.wrong[row.name] = f"as printed, {row.name} fails: {cell.reason}"
        if answer is None or not row.agrees:
            continue
        truth = truths.setdefault(row.agrees, row)
        right = bench.answers[truth.name]
        if right.text == answer.text:
            continue
        text = f"{row.name} gives {_short(answer.text)}, but {truth.name} gives {_short(right.text)}"
        if row.printed:
            bench.wrong[row.name] = f"as printed, {text}"
        else:
            cell.status, cell.reason = "failed", text


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:60]} … {text[-15:]}"


def _is_known(claim: Claim, cells: Mapping[str, Cell], rules: Effort, samples: Sequence[Sample]) -> bool:
    """Decide if every figure is known as well as the effort asks."""
    known = [list(logs_of(figure, cells, samples).values()) for figure in claim.figures]
    return is_finished(filter(None, known), rules, statistics.fit_prior(known))


def _run(claim: Claim, versions: Versions, rows: list[ClaimRow], terms: Terms, bench: Bench) -> None:
    """The rows that are cases, as one run that the store keeps."""
    python = versions.python or "main"
    chosen = {row.name: selection([row.library[versions.name]], [row.codec], [python])[0] for row in rows}
    maker(terms.listener, terms.end)({one.recipe for one in chosen.values()})
    if not terms.leaves(0):
        return
    left = None if terms.deadline is None else max(1.0, terms.deadline - time.monotonic())
    plan = Plan(
        workloads=(claim.workload,),
        records=() if claim.records is None else (claim.records,),
        depth=() if claim.depth is None else (claim.depth,),
        libraries=tuple(dict.fromkeys(row.library[versions.name] for row in rows)),
        formats=tuple(dict.fromkeys(row.codec for row in rows)),
        python=(python,),
        operations=tuple(dict.fromkeys(row.operation for row in rows)),
        conditions=("hot",),  # as what is published was measured
        effort=terms.effort,
        budget_s=left,
    )
    run = measure(
        plan,
        store=terms.store,
        resume=False,
        command=f"serbench claims {claim.id}",
        listener=terms.listener,
        cancel=None,
        where=None,
    )
    for row in rows:
        library, variant, codec, made_of = chosen[row.name]
        wanted = (library.name, variant, made_of.name, codec.name, codec.format, row.operation)
        for cell in (c for c in run.cells if (*c.case.key, c.operation) == wanted and not c.control):
            bench.cells[row.name] = cell
            name = next(iter(library.distributions), "python")
            bench.packages[row.name] = {"python": str(cell.python), name: str(cell.version)}
    bench.samples = [Sample(*sample) for sample in run.samples.tolist()]


def timed_rows(bench: Bench) -> Mapping[str, Any]:
    """The waves of each row that was timed, by its name."""
    waves = cell_waves(list(bench.cells.values()), bench.samples)
    return {name: waves[cell.id] for name, cell in bench.cells.items() if cell.id in waves}
