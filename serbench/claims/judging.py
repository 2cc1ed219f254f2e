"""Judges each measured figure by the rule, and sums the claim up in a sentence."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

from serbench.claims.bench import Bench, timed_rows
from serbench.claims.entry import TIMED, Claim, PublishedFigure
from serbench.claims.outcome import Judged, MeasuredRow
from serbench.claims.quantities import exact, logs_of, spread, states_of
from serbench.claims.verdict import factor, judge, possible_verdicts
from serbench.display.words import factor_text, three_digits
from serbench.judge import statistics
from serbench.measure.functions import Answer

TINY = 1e-300
"""Stands for 0 in logarithms: an answer that is not the expected one."""


def judged(claim: Claim, versions: str, bench: Bench) -> list[Judged]:
    """The figures of a claim in a set of versions that has their rows; a correction takes a wrong printed row's place."""
    figures = [_corrected(claim, figure, bench) for figure in claim.figures]
    figures = [figure for figure in figures if all(claim.row(name).is_in(versions) for name in figure.rows)]
    prior = statistics.fit_prior([list(logs_of(figure, bench.cells, bench.samples).values()) for figure in figures])
    return [_judged(figure, versions, bench, prior) for figure in figures]


def _corrected(claim: Claim, figure: PublishedFigure, bench: Bench) -> PublishedFigure:
    instead = {row.corrects: row.name for row in claim.rows if row.corrects in bench.wrong}
    of, to, *against = (instead.get(name, name) for name in (figure.of, figure.to, *figure.against))
    return replace(figure, of=of, to=to, against=tuple(against))


def _judged(figure: PublishedFigure, versions: str, bench: Bench, prior: statistics.Prior) -> Judged:
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
        answer=None if figure.expected is None else _answer(bench.answers.get(figure.of)),
    )
    logs = logs_of(figure, bench.cells, bench.samples)
    if logs:
        estimate = statistics.estimate(list(logs.values()), prior)
        measured = (math.exp(estimate.low), math.exp(estimate.mean), math.exp(estimate.high))
    else:
        value = exact(figure, bench.cells, bench.answers)
        if value is None:
            return replace(judged, reason=_reason(figure, bench))
        measured = (value, value, value)
    low, high = (math.log(max(measured[end], TINY)) for end in (0, 2))
    verdict = judge(figure, low, high)
    states = states_of(figure, bench.cells, bench.samples) if logs else None
    return replace(
        judged,
        verdict=verdict,
        possible=tuple(sorted(possible_verdicts(figure, low, high, states))),
        states=None if states is None else (math.exp(states[0]), math.exp(states[1])),
        measured=measured[1],
        low=measured[0],
        high=measured[2],
        factor=factor(figure, measured[1]),
        waves=len(logs),
        reason="its interval is too wide to tell" if verdict == "not measurable" else None,
    )


def _answer(answer: Answer | None) -> Any:
    return None if answer is None else json.loads(answer.text)


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
    waves = timed_rows(bench)
    prior = statistics.fit_prior([list(one.log_times.values()) for one in waves.values()])
    rows = []
    for row in claim.rows:
        cell = bench.cells.get(row.name)
        if cell is None:
            continue
        facts: dict[str, float] = {}
        if row.name in waves and waves[row.name].log_times:
            estimate = statistics.estimate(list(waves[row.name].log_times.values()), prior)
            facts["time_ns"] = math.exp(estimate.mean)
            facts["time_ns_low"], facts["time_ns_high"] = math.exp(estimate.low), math.exp(estimate.high)
            facts["busy"] = waves[row.name].cpu_over_wall
        answer = bench.answers.get(row.name)
        rows.append(
            MeasuredRow(
                row=row.name,
                versions=versions,
                environment=cell.environment,
                packages=bench.packages.get(row.name, {}),
                status="ok" if cell.status == "unresolved" and (facts or not claim.is_timed) else cell.status,
                reason=cell.reason,
                size_bytes=answer.size_bytes if answer else cell.size_bytes,
                answer=answer.text[:200] if answer else None,
                statistics=spread(cell, bench.samples) if facts else None,
                **facts,
            )
        )
    return rows


def explanation(claim: Claim, figures: list[Judged]) -> str:
    """One sentence: the leading figure in each set of versions, with its factor; then why."""
    leading: dict[str, Judged] = {}
    for figure in figures:
        leading.setdefault(figure.versions, figure)
    parts = [f"{name} {interval_words(first)}" for name, first in leading.items()]
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
