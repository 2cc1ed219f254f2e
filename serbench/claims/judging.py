"""Judges each measured figure by the rule, and sums the claim up in a sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import mean, quantiles, stdev
from typing import Any

from msgspec import structs

from serbench.claims.bench import Bench, logs_of
from serbench.claims.outcome import Judged, MeasuredRow
from serbench.claims.reading import TIMED, Claim, PublishedFigure
from serbench.claims.verdict import factor, judge
from serbench.display.words import factor_text, three_digits
from serbench.judge import statistics
from serbench.measure.functions import Answer
from serbench.results import Cell, grouped

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
    """The published figure in its unit: "10.0×", "1.50 to 2.00×", "162 bytes", "86.0 %", "yes"; "more" if there was none."""
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
    return f"{value:,.0f}" if is_count else three_digits(100 * value if unit == " %" else value)


def _unit(figure: Judged) -> str:
    """The unit of a figure: a ratio is a factor; a share, and how busy a CPU is, are percentages."""
    if figure.share or (figure.quantity == "busy" and not figure.to):
        return " %"
    if figure.to:
        return "×"
    return " bytes" if figure.quantity == "size" else ""
