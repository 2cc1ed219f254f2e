"""Measures the rows of a claim and judges its figures by their times."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import mean, median, quantiles, stdev
from typing import Any

from msgspec import structs
from packaging.requirements import Requirement

from serbench.claims.outcome import Judged, MeasuredRow, Outcome, factor, judge, summary
from serbench.claims.reading import TIMED, Claim, ClaimRow, PublishedFigure, Versions, snippet
from serbench.display import style, words
from serbench.display.style import PALETTE, Dot, Figure, ThemeName, theme_of
from serbench.display.views import View
from serbench.display.words import factor_text, three_digits
from serbench.errors import installed_by
from serbench.judge import statistics
from serbench.judge.waves import cell_waves
from serbench.measure.comparing import Answer, FunctionBenchmark
from serbench.measure.plan import EFFORTS, Effort, maker
from serbench.measure.rounds import is_finished
from serbench.render.environments import MAIN, Recipe
from serbench.results import Cell, Sample, grouped
from serbench.store.recorder import RunListener

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
    return is_finished(filter(None, known), rules.wanted, statistics.fit_prior(known))


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
        if all(wave in log for log in logs)
    }


def _busy(cell: int, samples: Sequence[Sample]) -> dict[int, float]:
    """The logarithm of CPU time over wall time of a cell's process: the median over the rounds of each wave."""
    by_wave: dict[int, list[float]] = {}
    for sample in samples:
        if sample.cell == cell and sample.wall_ns:
            by_wave.setdefault(sample.wave, []).append(sample.process_ns / sample.wall_ns)
    return {wave: math.log(median(values)) for wave, values in by_wave.items()}


TINY = 1e-300
"""Stands for 0 in logarithms: an answer that is not the expected one."""


def judged(claim: Claim, versions: str, bench: Bench) -> list[Judged]:
    """The figures of a claim in a set of versions that has their rows; a correction takes a wrong printed row's place."""
    figures = [_corrected(claim, figure, bench) for figure in claim.figures]
    figures = [figure for figure in figures if claim.rows_in(versions).keys() >= set(figure.rows)]
    prior = statistics.fit_prior([list(logs_of(figure, bench.cells, bench.samples).values()) for figure in figures])
    return [_judged(figure, versions, bench, prior) for figure in figures]


def _corrected(claim: Claim, figure: PublishedFigure, bench: Bench) -> PublishedFigure:
    instead = {row.corrects: row.name for row in claim.rows if row.corrects in bench.wrong}
    of, to, *against = (instead.get(name, name) for name in (figure.of, figure.to, *figure.against))
    return structs.replace(figure, of=of, to=to, against=tuple(against))


def _judged(figure: PublishedFigure, versions: str, bench: Bench, prior: statistics.Prior) -> Judged:
    answer = bench.answers.get(figure.of)
    judged = Judged(
        f"{figure.of} / {figure.to}" if figure.against else figure.of,
        " / ".join(figure.against) or figure.to,
        versions,
        figure.quantity,
        figure.sense,
        figure.low,
        figure.high,
        "not measurable",
        share=figure.share,
        expected=figure.expected,
        answer=json.loads(answer.text) if answer and figure.expected is not None else None,
    )
    logs = logs_of(figure, bench.cells, bench.samples)
    if logs:
        estimate = statistics.estimate(list(logs.values()), prior)
        low, middle, high = (math.exp(end) for end in (estimate.low, estimate.mean, estimate.high))
    elif (value := exact(figure, bench.answers)) is not None:
        low = middle = high = value
    else:
        return replace(judged, reason=_reason(figure, bench))
    verdict = judge(figure, math.log(max(low, TINY)), math.log(max(high, TINY)))
    return replace(
        judged,
        verdict=verdict,
        measured=middle,
        low=low,
        high=high,
        factor=factor(figure, middle),
        waves=len(logs),
        reason="its interval is too wide to tell" if verdict == "not measurable" else None,
    )


def _reason(figure: PublishedFigure, bench: Bench) -> str:
    reasons = [
        f"{name}: {bench.cells[name].reason or bench.cells[name].status}"
        for name in figure.rows
        if name in bench.cells and bench.cells[name].status not in ("ok", "unresolved")
    ]
    if not reasons and figure.to and figure.quantity not in TIMED and set(figure.rows) <= bench.answers.keys():
        return f"the {figure.quantity} of {figure.to} is 0"
    return "; ".join(dict.fromkeys(reasons)) or bench.reason


def measured_rows(claim: Claim, versions: str, bench: Bench) -> list[MeasuredRow]:
    """Every row of a claim in one set of versions, in the claim's order."""
    rows = []
    for row in (row for row in claim.rows if row.name in bench.cells):
        cell, answer = bench.cells[row.name], bench.answers.get(row.name)
        timed = spread(cell, bench.samples)
        rows.append(
            MeasuredRow(
                row=row.name,
                versions=versions,
                environment=cell.environment,
                packages=bench.packages.get(row.name, {}),
                status="ok" if cell.status == "unresolved" and (timed or not claim.is_timed) else cell.status,
                reason=cell.reason,
                size_bytes=answer.size_bytes if answer else None,
                answer=answer.text[:200] if answer else None,
                statistics=timed,
            )
        )
    return rows


def exact(figure: PublishedFigure, answers: Mapping[str, Answer]) -> float | None:
    """A size or an answer, or the ratio of two; None if it is not known, or if the second is 0.

    An answer that must be `expected` is 1 or 0.
    """
    if figure.quantity in TIMED or any(name not in answers for name in figure.rows):
        return None
    values = [_value(figure, answers[name]) for name in figure.rows]
    numbers = [float(value) for value in values if value is not None]
    if len(numbers) < len(values) or 0 in numbers[1:]:
        return None
    return numbers[0] / numbers[1] if numbers[1:] else numbers[0]


def _value(figure: PublishedFigure, answer: Answer) -> float | None:
    if figure.quantity == "size":
        return answer.size_bytes
    told = json.loads(answer.text)
    if figure.expected is not None:  # of which True is not 1
        return float(type(told) is type(figure.expected) and told == figure.expected)
    return told if isinstance(told, int | float) else None


def spread(cell: Cell, samples: Any) -> dict[str, float] | None:
    """The statistics of pytest-benchmark's table over all batches of a cell, in ns of wall time per call.

    Outliers lie beyond one standard deviation of the mean, or beyond 1.5 interquartile ranges of the quartiles (Tukey).
    """
    times = [float(s.wall_ns) / cell.loops for s in samples if s.cell == cell.id]
    if len(times) < 4:
        return None
    low, middle, high = quantiles(times, n=4, method="inclusive")
    average, deviation, width = mean(times), stdev(times), high - low
    return {
        "min": min(times),
        "max": max(times),
        "mean": average,
        "stddev": deviation,
        "median": middle,
        "iqr": width,
        "outliers_sd": sum(abs(t - average) > deviation for t in times),
        "outliers_iqr": sum(not low - 1.5 * width <= t <= high + 1.5 * width for t in times),
        "rounds": len(times),
    }


def explanation(claim: Claim, figures: list[Judged]) -> str:
    """One sentence: the leading figure in each set of versions, with its factor; then why."""
    by_set = grouped(figures, lambda figure: figure.versions)
    parts = [f"{name} {interval_words(leading)}" for name, (leading, *_) in by_set.items()]
    told = f"Published {published_words(figures[0])}; measured {'; '.join(parts)}."
    return f"{told} {claim.why}".strip()


def published_words(figure: Judged) -> str:
    """The published figure in its unit: "10.0×", "1.50 to 2.00×", "162 bytes", "86.0%", "yes"; "more" if there was none."""
    if figure.sense == "more":
        return "more"
    if figure.expected is not None:
        return answer_words(figure.expected)
    low, high = _number(figure, figure.published_low), _number(figure, figure.published_high)
    return (low if low == high else f"{low} to {high}") + _unit(figure)


def interval_words(figure: Judged) -> str:
    """The measured figure, and its factor unless it holds: "2.71× (2.66 to 2.77), 0.27× the published"."""
    if figure.measured is None or figure.low is None or figure.high is None:
        return figure.reason or ""
    if figure.expected is not None:
        return answer_words(figure.answer)
    text = _number(figure, figure.measured) + _unit(figure)
    if figure.low != figure.high:
        text += f" ({_number(figure, figure.low)} to {_number(figure, figure.high)})"
    if figure.factor is None or figure.verdict == "holds":
        return text
    return f"{text}, {factor_text(figure.factor)} the published"


def answer_words(answer: Any) -> str:
    """An answer that is no number: "yes", "no", a text, or several of them."""
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, list):
        return ", ".join(map(answer_words, answer)) or "none"
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def _number(figure: Judged, value: float) -> str:
    unit = _unit(figure)
    is_count = not figure.to and figure.quantity in ("size", "answer") and value == int(value)
    return f"{value:,.0f}" if is_count else three_digits(100 * value if unit == "%" else value)


def _unit(figure: Judged) -> str:
    """The unit of a figure: a ratio is a factor; a share, and how busy a CPU is, are percentages."""
    if figure.share or (figure.quantity == "busy" and not figure.to):
        return "%"
    if figure.to:
        return "×"
    return " bytes" if figure.quantity == "size" else ""


RATIOS = ("time", "wall", "size")


def against_published(outcomes: Iterable[Outcome], *, theme: ThemeName = "light") -> Figure:
    """Each claim's leading ratio: as published (a bar over its range), and with its interval in each set of versions.

    Of a single claim all ratios are drawn. Claims without a published ratio are left out, and the footer names them.
    """
    known = list(outcomes)
    drawn_ones = [outcome for outcome in known if outcome.figures and is_ratio(outcome.figures[0])]
    left_out = [outcome.id for outcome in known if outcome not in drawn_ones]
    lines = _ratios(known[0]) if len(known) == 1 else [_leading(outcome) for outcome in drawn_ones]
    foot = [
        "A dot is the measured ratio with its 95% interval, a bar what was published",
        *([f"Without a ratio to draw: {', '.join(left_out)}"] if left_out and len(known) > 1 else []),
        *sorted({f"{outcome.date[:10]}, {words.machine_line(outcome.machine)}" for outcome in known}),
    ]
    names = [style.markup(name) for name, _ in lines]
    dots = [_published(line, figures[0], theme_of(theme).text) for line, (_, figures) in enumerate(lines)]
    measured_ones = [(line, one) for line, (_, figures) in enumerate(lines) for one in figures if one.measured]
    for number, versions in enumerate(dict.fromkeys(["then", "now", *(one.versions for _, one in measured_ones)])):
        here = [(line, one) for line, one in measured_ones if one.versions == versions]
        dots += [_measured(line - 0.12 + 0.24 * number, one, number, names[line]) for line, one in here]
    panel = style.dots(names, dots, "ratio")
    return style.draw(View(summary(known), lines, foot), None, [[panel]], theme, legend="ratio")


def _leading(outcome: Outcome) -> tuple[str, list[Judged]]:
    """A claim's line: its leading ratio in each set of versions, and how many of its figures hold."""
    holds = sum(figure.verdict == "holds" for figure in outcome.figures)
    told = f"{holds} of {len(outcome.figures)} hold" if outcome.verdict == "mixed" else outcome.verdict
    return f"{outcome.id}  {told}", list(outcome.leading().values())


def _ratios(outcome: Outcome) -> list[tuple[str, list[Judged]]]:
    """A line for each ratio of a claim."""
    ratios = [figure for figure in outcome.figures if is_ratio(figure)]
    return list(grouped(ratios, lambda figure: f"{figure.of} / {figure.to}").items())


def is_ratio(figure: Judged) -> bool:
    """Return whether a figure can stand on an axis of ratios."""
    return bool(figure.to) and figure.quantity in RATIOS and figure.sense != "more"


def _published(line: int, figure: Judged, colour: str) -> Dot:
    """An upright bar, and a line to the other end if a range was published."""
    ends = (figure.published_low, figure.published_high)
    told = f"published {published_words(figure)}"
    return Dot(ends[0], line, told, ends, colour, "line-ns-open", 13, of="published")


def _measured(y: float, figure: Judged, number: int, name: str) -> Dot:
    """A measured ratio; each set of versions has its colour, and is a little below the one before."""
    colour, symbol = (kinds[number % len(kinds)] for kinds in (PALETTE, style.SYMBOLS))
    versions = style.markup(figure.versions)
    told = (
        f"<b>{name}</b><br>{style.markup(figure.of)} over {style.markup(figure.to)}<br>"
        f"published {published_words(figure)}, {versions} {interval_words(figure)}<br>{figure.verdict}"
    )
    ends = (figure.low or 0, figure.high or 0)
    return Dot(figure.measured, y, told, ends, colour, symbol, of=f"measured, {versions}")
