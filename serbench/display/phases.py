"""The steps of each case, stacked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.judge.budget import why_incomparable
from serbench.judge.relation import is_proven, quotient
from serbench.judge.rows import Row, by_case, case_of, differing_facts, phase_times
from serbench.results import Origin, grouped

PHASES = {
    "build": ("#CC79A7", "values → objects"),
    "dump": ("#0072B2", "objects → builtins"),
    "dumps": ("#56B4E9", "builtins → bytes"),
    "encode": ("#5A7D9A", "objects → bytes in one step"),
    "loads": ("#E69F00", "bytes → builtins"),
    "load": ("#D55E00", "builtins → objects"),
    "decode": ("#A8763E", "bytes → objects in one step"),
    "read": ("#009E73", "touch every field"),
}
"""The colour and meaning of each phase."""
DIRECTIONS = {"encode": {"encode", "dump", "dumps"}, "decode": {"decode", "loads", "load"}}
LINE_PX = 24
BESIDE = 0.08  # the part of the axis that the longest sum beside its bar takes


def phases(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """The phases of each case as one bar from zero, on a linear axis; cases of one direction come last and say so.

    Differences below `least` are noise.
    """
    timed = sorted(phase_times(rows), key=lambda one: bool(_missing(one[1])))
    several = differing_facts(row for row, _ in timed)
    labels = [style.case_label(row, several) + _missing(times) for row, times in timed]
    unit, unit_name = words.unit_of([sum(times.values()) for _, times in timed])
    foot = [
        (
            "Mean CPU time of each step; a case whose library goes between objects and bytes in one step has one piece. "
            "Steps are timed by themselves, so they need not add up to the whole exactly"
        ),
        *words.about_lines(info, None),
    ]
    drawn = style.layout(
        words.noisy(_finding(timed, by_case(rows), least), least),
        foot,
        max(len(timed), 2) * LINE_PX,
        theme,
        labels=labels,
    )
    layout = drawn["layout"]
    layout |= {"barmode": "stack", "bargap": 0.25}
    layout["legend"] = {"title": {"text": "step"}, "traceorder": "normal"}
    title = f"{unit_name} per document"
    sums = [sum(times.values()) / unit for _, times in timed]
    ends = [0, (1 + BESIDE) * max(sums, default=1)]
    layout["xaxis"] = style.axis(theme, title=title, range=ends, separatethousands=True)
    layout["yaxis"] = style.category_axis(theme, labels)
    for label, total in zip(labels, sums, strict=True):
        text = style.note(words.three_digits(total), total, 0, 11, THEMES[theme].faint)
        layout["annotations"].insert(-1, text | {"xref": "x", "yref": "y", "y": label, "xshift": 4})
    for name, (colour, meaning) in PHASES.items():
        parts = [(row, label, times[name]) for (row, times), label in zip(timed, labels, strict=True) if name in times]
        if parts:
            drawn["data"].append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": name,
                    "marker": {"color": colour},
                    "x": [time / unit for _, _, time in parts],
                    "y": [label for _, label, _ in parts],
                    "hovertext": [
                        f"<b>{label}</b><br>{name}: {meaning}<br>{words.three_digits(time / unit)} {unit_name}"
                        for _, label, time in parts
                    ],
                    "hoverinfo": "text",
                }
            )
    return drawn


def _missing(times: Mapping[str, float]) -> str:
    """What a case's label says of a direction that was not measured."""
    for name, operations in DIRECTIONS.items():
        if not operations & set(times):
            return f" · no {name}"
    return ""


def step_findings(rows: Sequence[Row]) -> list[str]:
    """Sentences on whether the time goes to the bytes or to the models, and on reading every field, as far as measured."""
    timed = phase_times(rows)
    several = differing_facts(row for row, _ in timed)
    said = []
    stepped = [(row, _model_share(times)) for row, times in timed if {"dump", "load"} & set(times)]
    if stepped:
        models = sum(share > 0.5 for _, share in stepped)
        ends = [min(stepped, key=lambda one: one[1]), max(stepped, key=lambda one: one[1])]
        told = [f"{share:.0%} of the time of {words.case_name(row, several)}" for row, share in ends]
        one_step = len(timed) - len(stepped)
        said.append(
            f"the models take more time than the bytes in {models} of {words.counted(len(stepped), 'case')} with steps: "
            f"from {told[0]} to {told[1]}"
            + (
                f"; {words.counted(one_step, 'case')} convert{'s' if one_step == 1 else ''} in one step"
                if one_step
                else ""
            )
        )
    cases = by_case(rows)
    whole = [
        (row, _sum(cases[case_of(row)], times))
        for row, times in timed
        if "read" in times and {"decode", "load"} & set(times)
    ]
    kinds = grouped(whole, lambda one: why_incomparable(one[0]) or "your own objects")
    for kind, members in kinds.items() if len(kinds) > 1 else ():
        (row, time), *others = sorted(members, key=lambda one: one[1][0])
        alike = [other for other, its in others if not is_proven(*quotient(its, time))]
        case = f"{words.case_name(row, several)}{words.tied_words(alike, several)}{',' if alike else ''}"
        said.append(f"all steps with every field read, {kind}: {case} is fastest, {words.with_unit(time[0])}")
    return said


def _model_share(times: Mapping[str, float]) -> float:
    """The share of the steps between objects and builtins."""
    return (times.get("dump", 0) + times.get("load", 0)) / sum(times.values())


Timed = Sequence[tuple[Row, dict[str, float]]]


def _finding(timed: Timed, cases: Mapping[Any, Mapping[str, Row]], least: float) -> str:
    several = differing_facts(row for row, _ in timed)
    stepped = [(row, times) for row, times in timed if {"dump", "load"} & set(times)]
    if not timed:
        return "Nothing has been measured that has phases"
    if not stepped:
        return _whole_way(timed, cases, least)
    (low, fewest), (high, most) = (pick(stepped, key=lambda one: _model_share(one[1])) for pick in (min, max))
    shares = [
        f"{_model_share(times):.0%} ({words.case_name(row, several)})" for row, times in ((low, fewest), (high, most))
    ]
    if low is high:
        return f"{words.case_name(low, several)} spends {_model_share(fewest):.0%} of its time between objects and builtins"
    odds = [_odds(cases[case_of(row)], times) for row, times in ((high, most), (low, fewest))]
    text = f"Between objects and builtins goes {shares[0]} to {shares[1]} of the time"
    is_known = all(each is not None for each in odds) and is_proven(*quotient(*filter(None, odds)), least)
    return text if is_known or not all(odds) else f"{text}; {words.NO_DIFFERENCE} between the two"


def _odds(steps: Mapping[str, Row], times: Mapping[str, float]) -> list[float] | None:
    """The time between objects and builtins over that between builtins and bytes, with its interval; None if it has only one of the two."""
    models, texts = ([name for name in times if (name in ("dump", "load")) == is_model] for is_model in (True, False))
    return list(quotient(_sum(steps, models), _sum(steps, texts))) if models and texts else None


def _sum(steps: Mapping[str, Row], names: Iterable[str]) -> list[float]:
    """The time of several steps together, with the sums of their ends: on the safe side."""
    rows = [steps[name] for name in names]
    ends = [[value or row.time_ns or 0.0 for value in (row.time_ns, row.time_ns_low, row.time_ns_high)] for row in rows]
    return [sum(each) for each in zip(*ends, strict=True)]


def _whole_way(timed: Timed, cases: Mapping[Any, Mapping[str, Row]], least: float) -> str:
    """A sentence on the sum of the operations that most cases have."""
    names = max((tuple(times) for _, times in timed), key=len)
    whole = [row for row, times in timed if tuple(times) == names]
    if len(names) < 2 or len(whole) < 2:
        return "No step of its own has been measured: dump, dumps, loads and load"
    together = f"{', '.join(names[:-1])} and {names[-1]} together"
    several = differing_facts(row for row, _ in timed)
    slow, fast = (words.case_name(row, several) for row in (whole[-1], whole[0]))
    ratio = quotient(*(_sum(cases[case_of(row)], names) for row in (whole[-1], whole[0])))
    if not is_proven(*ratio, least):
        return f"For {together} there is {words.NO_DIFFERENCE} between {fast} and {slow}, the slowest"
    return f"For {together} {slow} needs {words.factor_text(ratio[0])} the time of {fast}"
