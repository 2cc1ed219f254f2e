"""The costs besides time: memory, start-up and threads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from serbench.display import words
from serbench.display.table import Column, Table
from serbench.judge.outcomes import Weight
from serbench.measure.weighing import ALL_METRICS, SERVED
from serbench.results import bracketed, grouped

START_MEMORY = "start memory"
TITLES = {name: f"{name}: {metric.title}" for name, metric in ALL_METRICS.items()}
TITLES[START_MEMORY] = "start: by how much a fresh process is larger afterwards, in resident memory"
UNITS = {"bytes": words.BYTES, "ns": words.UNITS}
GAIN = 1.1
"""Two threads that do no more than that in place of one may do so by chance."""
_CASE = attrgetter("library", "variant", "environment", "codec", "format")


def weight_tables(weights: Iterable[Weight]) -> list[Table]:
    """A table for each workload point and metric, its cases ordered by their first quantity; `start` has one of memory too."""
    return [
        _table(kind, group)
        for (_, kind), group in grouped(weights, lambda weight: (weight.point, _kind(weight))).items()
    ]


def _kind(weight: Weight) -> str:
    return START_MEMORY if weight.metric == "start" and weight.unit == "bytes" else weight.metric


def _table(kind: str, weights: Sequence[Weight]) -> Table:
    cases = [{weight.quantity: weight for weight in members} for members in grouped(weights, _CASE).values()]
    units = {weight.quantity: weight.unit for weight in weights if weight.value is not None}

    def sort_key(case: Mapping[str, Weight]) -> float:
        first = next(iter(units))
        value = case[first].value if first in case else None
        return math.inf if value is None else -value if first == "requests" else value

    shown = sorted((case for case in cases if any(weight.value is not None for weight in case.values())), key=sort_key)
    firsts = [next(iter(case.values())) for case in shown]
    title = f"{TITLES.get(kind, kind)} — {words.data_words(weights[0].point)}"
    columns = [
        Column("endpoint" if kind in SERVED else "library", list(map(_library, firsts)), "left"),
        Column("codec", list(map(words.codec_label, firsts)), "left"),
    ]
    for name, unit in units.items():
        values = [weight.value for weight in weights if weight.quantity == name and weight.value is not None]
        scale, scaled = words.unit_of(values, UNITS[unit]) if unit in UNITS else (1.0, unit)
        heading = " ".join(filter(None, (name.replace("_", " "), scaled)))
        columns.append(Column(heading, [_figure(case.get(name), scale) for case in shown]))
        if name == "decode_retained":
            each = [case[name].per_record if name in case else None for case in shown]
            scale, scaled = words.unit_of([value for value in each if value is not None], words.BYTES)
            columns.append(Column(f"{scaled}/record", [words.number(value, scale) for value in each]))
    return Table(title, columns, notes=[*_leaks(weights), *_reasons(weights)])


def _library(weight: Weight) -> str:
    where = "" if weight.environment == "main" else f"({weight.environment})"
    return " ".join(filter(None, (weight.library, bracketed(weight.variant), where)))


def _figure(weight: Weight | None, scale: float = 1.0) -> str:
    """A median with the interval behind it, or with the extremes of what a server does: "1.32 (1.30–1.35)"."""
    if weight is None or weight.value is None:
        return ""
    if weight.unit == "":
        return f"{weight.value:,.0f}"
    text = words.three_digits(weight.value / scale)
    extremes = (min(weight.readings), max(weight.readings)) if weight.metric in SERVED else weight.interval
    ends = [words.three_digits(end / scale) for end in extremes or ()]
    return text if set(ends) <= {text} else f"{text} ({ends[0]}–{ends[1]})"


def _leaks(weights: Sequence[Weight]) -> list[str]:
    """Say which operations are proven to leak."""
    judged = [weight for weight in weights if weight.leaks is not None]
    if not judged:
        measured = weights[0].metric == "leak" and any(weight.value is not None for weight in weights)
        return ["whether this is a leak is judged by an interval, which needs at least 6 processes"] if measured else []

    def operation_of(weight: Weight) -> tuple[str, str]:
        return _case_name(weight), weight.quantity.rpartition("_")[0]

    lines = []
    for (name, operation), members in grouped(filter(attrgetter("leaks"), judged), operation_of).items():
        much = ", ".join(f"{_figure(weight)} {weight.quantity.rpartition('_')[2]}" for weight in members)
        lines.append(f"{name} leaks in {operation}: {much} per call")
    return lines or [f"no leak is proven in {words.counted(len(set(map(operation_of, judged))), 'operation')}"]


def _case_name(weight: Weight) -> str:
    return words.case_words(_library(weight), weight.library, weight.codec, weight.format)


def _reasons(weights: Sequence[Weight]) -> list[str]:
    failed = grouped(
        (weight for weight in weights if weight.reason),
        lambda weight: (weight.quantity.replace("_", " "), " ".join(str(weight.reason).split())),
    )
    named = {about: ", ".join(dict.fromkeys(map(_case_name, members))) for about, members in failed.items()}
    return [": ".join(filter(None, (names, *about))) for about, names in named.items()]


def thread_sentences(weights: Iterable[Weight]) -> list[str]:
    """Say for each environment which operations do more in two threads than in one."""
    measured = [weight for weight in weights if weight.quantity.endswith("_2_threads") and weight.value is not None]
    return [_threads(members) for members in grouped(measured, attrgetter("environment")).values()]


def _threads(weights: Sequence[Weight]) -> str:
    more = [weight for weight in weights if (weight.interval or (weight.value or 0.0,))[0] > GAIN]
    cases = grouped(more, words.plain_name)
    gains = {
        case: ", ".join(f"{weight.quantity.partition('_')[0]} {weight.value:.2f}×" for weight in members)
        for case, members in cases.items()
    }
    where = f"{weights[0].environment}: " if weights[0].environment != "main" else ""
    head = f"{where}operations that do more than {GAIN} times as much in two threads: {len(more)} of {len(weights)}"
    return _listed(head, [f"{case} ({gain})" for case, gain in gains.items()], "; ")


def _listed(head: str, names: Sequence[str], between: str) -> str:
    return f"{head}: {between.join(names)}" if names else head
