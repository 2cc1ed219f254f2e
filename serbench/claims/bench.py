"""Measures a claim's rows in one set of versions: environments, answers, then waves by the engine's rules."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

from packaging.requirements import Requirement

from serbench.claims.reading import TIMED, Claim, ClaimRow, PublishedFigure, Versions, snippet
from serbench.errors import installed_by
from serbench.judge import statistics
from serbench.judge.waves import cell_waves
from serbench.keep.recorder import RunListener
from serbench.measure.functions import Answer, FunctionBenchmark
from serbench.measure.plan import EFFORTS, Effort, maker
from serbench.measure.rounds import is_finished
from serbench.render.environments.environment import MAIN, Recipe
from serbench.results import Cell, Sample

ROUNDS = 32
"""Whoever else uses the machine slows a core for moments that last longer than eight rounds."""

OUT_OF_TIME = "it was not measured within the budget"
SIGNS = (1, -1, -1, 1)
"""A figure's rows in its logarithm: `of`, `to`, and the two of `against`."""


@dataclass
class Bench:
    """The measurement of a claim's rows in one set of versions, by the rows' names."""

    cells: dict[str, Cell] = field(default_factory=dict)  # status, environment and reason of each
    samples: list[Sample] = field(default_factory=list)  # everything that was timed
    answers: dict[str, Answer] = field(default_factory=dict)  # that of each before it was timed
    packages: dict[str, dict[str, str]] = field(default_factory=dict)  # the versions that each ran with
    wrong: dict[str, str] = field(default_factory=dict)  # printed row → its other answer, or how it fails, in words
    reason: str = OUT_OF_TIME  # why rows without a cell were not measured


@dataclass(frozen=True)
class Terms:
    """The effort, the listener and the end of a measurement, after which nothing begins, on the monotonic clock."""

    effort: str = "normal"
    end: float | None = None
    listener: RunListener = field(default_factory=RunListener)

    @property
    def left(self) -> float:
        """The time before the end, in s."""
        return math.inf if self.end is None else self.end - time.monotonic()


def measured(claim: Claim, versions: str, terms: Terms, parts: int) -> Bench:
    """A claim's rows in one set of versions, which is the first of so many equal parts of the time left."""
    bench, effort = Bench(), EFFORTS[terms.effort]
    deadline = None if terms.end is None else time.monotonic() + max(0.0, terms.left) / parts
    rows = {f"row_{number:04}": row for number, row in enumerate(claim.rows_in(versions).values())}
    recipes = {name: recipe(row, versions, claim.versions[versions]) for name, row in rows.items()}
    made = maker(terms.listener, terms.end)(set(recipes.values()))
    if terms.left <= 0:
        return bench
    on_one_core = all(figure.quantity not in ("wall", "busy") for figure in claim.figures)
    with FunctionBenchmark(on_one_core=on_one_core, rounds=ROUNDS) as benchmark:
        for name, row in rows.items():
            environment = made[recipes[name]]
            process = "" if row.apart else row.snippet
            benchmark.add(name, row.name, _module(row, claim), environment, row.parameters, process)
            if environment.reason is None:
                packages = {Requirement(text).name for text in recipes[name].requirements}
                bench.packages[row.name] = environment.versions(packages)
        bench.answers = {rows[name].name: answer for name, answer in benchmark.try_out().items()}
        bench.cells = {rows[name].name: _told(cell) for name, cell in benchmark.cells.items()}
        _compare_answers(rows.values(), bench)
        if claim.is_timed:
            is_known = partial(_is_known, claim, bench.cells, effort)
            benchmark.run(effort, is_known, f"{claim.id} {versions}", terms.listener.progress, deadline)
        bench.samples = benchmark.samples
    return bench


def recipe(row: ClaimRow, name: str, versions: Versions) -> Recipe:
    """The environment of a row in a set of versions; serbench's own if nothing is required."""
    own = row.requires.get(name, ())
    label = next(iter(own or versions.requirements), "")
    python = row.python.get(name, versions.python)
    return Recipe((*versions.requirements, *own), python, label, tools=versions.tools)


def _told(cell: Cell) -> Cell:
    """A row's cell; if a module of serbench's own installation is missing, or what a snippet needs beside it, its reason says so."""
    if cell.reason and cell.reason.startswith("Unavailable: "):
        cell.status, cell.reason = "unavailable", cell.reason.removeprefix("Unavailable: ")
    missing = re.match(r"ModuleNotFoundError: No module named '([^']+)'", cell.reason or "")
    if missing and cell.environment == MAIN.name:
        cell.status = "unavailable"
        cell.reason = f"{missing[1]} is not installed: {installed_by('all')}"
    return cell


def _module(row: ClaimRow, claim: Claim) -> str:
    """The text of the snippet with what it shares, and the names that a worker asks for at its end."""
    source = snippet(claim.folder / row.snippet) + f"\n\ncall = {row.call}\n"
    if "\ndef prepare(" in source:
        source += "\n\ndef build(values):\n    return prepare(**values)\n"
    return source


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


def logs_of(figure: PublishedFigure, cells: Mapping[str, Cell], samples: Any) -> dict[int, float]:
    """Return the logarithm of the figure's quantity by wave; empty if it is not timed."""
    if figure.quantity not in TIMED or not len(samples):
        return {}
    names = figure.rows
    if any(name not in cells or cells[name].status not in ("ok", "unresolved") for name in names):
        return {}
    if figure.quantity == "busy":
        logs = [_busy(cells[name].id, samples) for name in names]
    else:
        wall = figure.quantity == "wall"
        waves = cell_waves(list(cells.values()), [s._replace(cpu_ns=s.wall_ns) for s in samples] if wall else samples)
        measured = [waves[cells[name].id] for name in names if cells[name].id in waves]
        if len(measured) < len(names):
            return {}
        paired = all(one.log_ratios for one in measured) and figure.to
        logs = [one.log_ratios if paired else one.log_times for one in measured]
    return {
        wave: sum(sign * one[wave] for sign, one in zip(SIGNS, logs, strict=False))
        for wave in logs[0]
        if all(wave in one for one in logs)
    }


def _busy(cell: int, samples: Sequence[Sample]) -> dict[int, float]:
    """The logarithm of CPU time over wall time of a cell's process: the median over the rounds of each wave."""
    by_wave: dict[int, list[float]] = {}
    for sample in samples:
        if sample.cell == cell and sample.wall_ns:
            by_wave.setdefault(sample.wave, []).append(sample.process_ns / sample.wall_ns)
    return {wave: math.log(median(values)) for wave, values in by_wave.items()}
