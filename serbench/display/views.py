"""Contents of a board's figures (trade-off, budget, growth, phases, conditions), as values that every surface draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import nan
from typing import Any, Generic, TypeVar

from serbench.display import words
from serbench.judge.compare import is_proven, is_slower, quotient, relation
from serbench.judge.figures import (
    Budget,
    Choice,
    along,
    best,
    budgets,
    choices,
    depth_limits,
    is_fewer,
    pareto_front,
    series,
    threshold,
    weighed,
    why_incomparable,
)
from serbench.judge.leading import kind_key
from serbench.judge.rows import CaseFields, Row, by_case, case_of, differing_facts, phase_times
from serbench.results import FLOOR, grouped

Line = TypeVar("Line")
Pair = tuple[Row, Row]
BITS = ((1.0, "bit/s"), (1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s"))
BANDWIDTHS, CORES = (1e8, 1e9, 1e10), (1, 4, 16)
"""The bits per second and the cores that the page and the app offer."""
TRADEOFF = (
    "Further left is faster, further down smaller; circles validate, diamonds coerce, crosses do not validate. "
    "Nothing else is as fast, as small and as strict as one that is named"
)
NOT_COMPARED = "Lossy rows, and a format's own objects, are shown but not compared with the others"
BUDGET = (
    "Upper limits in messages per second: the lesser of what the cores and the line allow, without headers or any other work; "
    "with the compression that gives most"
)
GROWTH = "CPU time per record with 95% intervals over fresh processes; a level line is time in proportion to the data"
STEPS = (
    "Mean CPU time of each step; a library that converts between objects and bytes in one step has one piece. "
    "Steps are timed by themselves, so they need not add up to the whole exactly"
)
CONDITIONS = (
    "Small dots: one document again and again. Large dots: other documents, new objects, the last results in use. "
    "The two were measured one after the other, so each factor includes any change of the machine between them, the same for all rows"
)
MORE_SIZES = "several, such as 1, 10, 100 and 1,000 records, show how time grows"
BEFORE, AFTER = "hot", "varied"
PROPORTION = 1.05
"""Time that is proven to grow by 5% more than the data grows faster than in proportion."""
PER = {"records": "record", "depth": "byte"}
DATA = {"records": "number of records", "depth": "bytes"}
DIRECTIONS = {"encode": {"encode", "dump", "dumps"}, "decode": {"decode", "loads", "load"}}


@dataclass(frozen=True)
class View(Generic[Line]):
    """The contents of a figure: a title with its meaning, its lines in order, and how to read them."""

    title: str
    lines: Sequence[Line]
    notes: Sequence[str] = ()


def ranking_notes(rows: Sequence[Row]) -> list[str]:
    """How to read a ranking, and which cases it lacks."""
    reading = (
        "Dots are mean CPU time per operation over fresh processes, lines their 95% intervals; further left is faster"
    )
    if any(row.clock == "wall" for row in rows):
        reading += f"; {words.STARRED}"
    return [reading + _hollow(rows), *unranked_notes(rows), *_without_time(rows)]


def unranked_notes(rows: Sequence[Row]) -> list[str]:
    """Why rows beside ranked ones have no rank, if there are such."""
    is_ranked = any(row.rank is not None for row in rows)
    return [line for line in words.footnotes(rows) if is_ranked and line.startswith(words.NO_PART)]


def _without_time(rows: Iterable[Row]) -> list[str]:
    """Name the cases that have no time, if there are any, those that have the same reason together."""
    causes = grouped((row for row in rows if not row.measured), lambda row: (row.status, row.reason))
    names = [
        f"{words.together([(words.library_name(row), words.codec_label(row)) for row in alike])} ({status})"
        for (status, _), alike in causes.items()
    ]
    return [f"Not measured: {'; '.join(names)}"] if names else []


def _hollow(rows: Iterable[Row]) -> str:
    is_open = any(row.status == "unresolved" for row in rows)
    return "; hollow: interval wider than the requested precision" if is_open else ""


def tradeoff(rows: Sequence[Row], least: float = 0.0) -> View[Row]:
    """The rows that none beats in speed, size and strictness, the fastest first; differences below `least` are noise."""
    able = [row for row in rows if row.time_ns is not None and row.size_bytes]
    front = pareto_front(able)
    compared = weighed(able)
    notes = [TRADEOFF, *([NOT_COMPARED] if len(compared) < len(able) else [])]
    title = _tradeoff_title(compared, front, least, " compared" if len(compared) < len(able) else "")
    return View(words.noisy(title, least if front else 0.0), front, notes)


def _tradeoff_title(rows: Sequence[Row], front: Sequence[Row], least: float, compared: str) -> str:
    if not front:
        return "No measured result has both a time and a size"
    count = f"{len(front)} are not beaten in speed, size and strictness together"
    several = differing_facts(rows)
    first, smallest = front[0], min(front, key=lambda row: row.size_bytes or 0)
    alike = [row for row in rows if row is not first and row is not smallest and not is_slower(row, first, least)]
    fastest = f"{words.case_name(first, several)} ({words.class_words(first.work_class)}){words.tied_words(alike, several)}{',' if alike else ''} is"
    among = (
        f"of all {words.counted(len(rows), 'combination')}{compared}, whatever they validate"
        if len(rows) > 1
        else "as the only one"
    )
    if smallest is first:
        return f"{fastest} fastest and smallest {among}" + (f"; {count}" if len(front) > 1 else "")
    if is_slower(smallest, first, least):
        slower = f"at {words.factor_text(relation(smallest, first).ratio)} its time"
    else:
        slower = f"with {words.NO_DIFFERENCE} in time"
    return f"{fastest} fastest {among}, {words.case_name(smallest, several)} smallest {slower}; {count}"


def budget(rows: Sequence[Row], bits_per_s: float, cores: int, least: float = 0.0) -> View[Budget]:
    """The messages a second of each row with its best compression, the most first; those that are not compared come last."""
    every = best(budgets(rows, bits_per_s, cores)) if rows else []
    unit, name = words.unit_of([bits_per_s], BITS)
    line = f"{bits_per_s / unit:,.4g} {name} and {words.counted(cores, 'core')}"
    return View(_budget_title(every, line, least), every, [BUDGET])


def _budget_title(every: Sequence[Budget], line: str, least: float) -> str:
    """A sentence on the budgets, leaving out rows that are not compared."""
    comparable = [one for one in every if why_incomparable(one.row) == why_incomparable(every[0].row)]
    several = differing_facts(one.row for one in comparable)
    if not comparable:
        return "No measured result has both a time and a size"
    most, last = comparable[0], comparable[-1]
    tied, row = _tied(comparable, least, several), most.row
    text = (
        f"With {line}, {words.case_name(row, several)}{tied}{',' if tied else ''} {words.VERBS.get(row.operation, row.operation)} "
        f"{words.three_digits(most.per_s)} messages per second{packed(most)}, limited by the {most.bottleneck}"
    )
    if is_fewer(last, most, least):
        text += f"; {words.case_name(last.row, several)} {words.three_digits(last.per_s)}"
    return words.noisy(text, least)


def _tied(shown: Sequence[Budget], least: float, several: Mapping[str, AbstractSet[str]]) -> str:
    """What follows the name of the first: those that are not proven to have fewer messages a second."""
    first, *rest = shown
    return words.tied_words([one.row for one in rest if not is_fewer(one, first, least)], several)


def budget_sentence(shown: Sequence[Budget], least: float = 0.0) -> str:
    """A sentence on the first budget: its messages a second, the bottleneck, and what ties with it but for noise."""
    if not shown:
        return "no measured result has both a time and a size"
    first, several = shown[0], differing_facts(budget.row for budget in shown)
    row = first.row
    if first.bottleneck == "line":
        why = f"line is full at {first.size_bytes:,} bytes a message; the cores could do {first.cpu_per_s:,.0f}"
    else:
        why = f"cores are busy for {first.cpu_ns / 1e3:,.1f} µs a message; the line could carry {first.line_per_s:,.0f}"
    case = f"{words.case_name(row, several)}{packed(first)}{_tied(shown, least, several)}"
    return words.noisy(f"{row.operation}: {case}, {first.per_s:,.0f} messages per second; the {why}", least)


def packed(budget: Budget) -> str:
    """The compression of a budget, as what follows a number of messages."""
    return "" if budget.compression == "none" else f" with {budget.compression}"


def growth_of(first: Row, last: Row, *, by_size: bool = False) -> tuple[float, float, float]:
    """The time per record, or by size per byte, of the last over that of the first, with the ends of its interval."""
    sized = by_size and first.size_bytes and last.size_bytes
    one, other = (
        [
            (time or 1.0) / ((row.size_bytes if sized else row.records) or 1)
            for time in (row.time_ns, row.time_ns_low, row.time_ns_high)
        ]
        for row in (last, first)
    )
    return quotient(one, other)


def scaling(rows: Sequence[Row], records: int, depth: int, least: float = 0.0) -> View[list[Row]]:
    """The rows of each case at all sizes, the fastest case first; the title is on growth through this point."""
    shown = series(rows, records, depth)
    lines = list(shown.values())
    reading = GROWTH + _hollow(row for members in lines for row in members)
    drawn = {row.library for members in lines for row in members}
    absent = _without_time(row for row in rows if row.library not in drawn and row.codec != FLOOR)
    return View(_scaling_title(shown, records, depth, least), lines, [reading, *absent])


def _scaling_title(shown: Mapping[CaseFields, list[Row]], records: int, depth: int, least: float) -> str:
    """How the time per record changes with records, and then with depth: of the leader of those known at several sizes."""
    leaders = sorted(shown.values(), key=lambda members: kind_key(members[0]))  # which keeps the fastest first

    def grown(axis: str, other: int) -> list[list[Row]]:
        return [here for members in leaders if len(here := along(members, axis, other)) > 1]

    if not shown:
        return "Nothing has been measured"
    several, sized, deep = (
        differing_facts(row for members in shown.values() for row in members),
        grown("records", depth),
        grown("depth", records),
    )
    if not sized:
        at_depth = "" if deep else f" at depth {depth:,}"
        parts = [f"Only one size is measured, {words.counted(records, 'record')}{at_depth}; {MORE_SIZES}"]
    else:
        first, last = sized[0][0], sized[0][-1]
        sizes = (f"{last.records:,} records", f"{first.records:,}")
        parts = [f"{words.case_name(first, several)} {_change(first, last, least, 'with', *sizes)}"]
        deep = [here for here in deep if case_of(here[0]) == case_of(first)]
    for here in deep[:1]:
        name = "it" if sized else words.case_name(here[0], several)
        depths = (f"depth {here[-1].depth:,}", f"depth {here[0].depth:,}")
        parts.append(f"{name} {_change(here[0], here[-1], least, 'at', *depths)}")
    return words.noisy("; ".join(parts), least if sized or deep else 0.0)


def _change(first: Row, last: Row, least: float, where: str, there: str, here: str) -> str:
    told = words.difference_words(*growth_of(first, last), least)
    if told == words.NO_DIFFERENCE:
        return f"shows {told} per record between {here} and {there}"
    return f"is {told} per record {where} {there} than {where} {here}"


def growth(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Sentences on the growth of each library's fastest case along both axes, and on the depth that it has reached."""
    if not any(row.measured for row in rows):
        return {"growth": ["nothing could be measured"]}
    known = [row for row in rows if row.measured]
    shown = series(rows, max(row.records for row in known), min(row.depth for row in known))
    several = differing_facts(row for members in shown.values() for row in members)
    of_all = differing_facts(rows)
    fastest: dict[CaseFields, list[Row]] = {}
    for key, members in shown.items():
        fastest.setdefault(key[:1] + key[2:4], members)
    answers: dict[str, list[str]] = {}
    sentences: dict[str, list[str]] = {}
    for axis in ("records", "depth"):
        of = DATA[axis]
        hows = (f"faster than the {of}", f"in proportion to the {of}, as far as is proven", f"slower than the {of}")
        verdicts: dict[str, list[str]] = {how: [] for how in hows}
        for members in fastest.values():
            other = min(row.depth for row in members) if axis == "records" else max(row.records for row in members)
            here = along(members, axis, other)
            first, last = (getattr(row, axis) for row in (here[0], here[-1]))
            if first < last:
                name = words.case_name(here[0], several)
                middle, low, high = growth_of(here[0], here[-1], by_size=axis == "depth")
                verdict = 0 if low > PROPORTION else 2 if high < 1 / PROPORTION else 1
                verdicts[list(verdicts)[verdict]].append(name)
                heading = f"time per {PER[axis]} from {axis} {first:,} to {last:,}, {words.held_text(axis, other)}"
                sentences.setdefault(heading, []).append(f"{name}: {words.with_half_width(middle, low, high)}")
        if any(verdicts.values()):
            answers[f"how time grows with {axis}"] = [
                f"{how}: {', '.join(names) or 'none'}" for how, names in verdicts.items()
            ]
    sentences["deepest level reached"] = [
        f"{words.library_name(limit.row, of_all)}: {limit.deepest or 'none'}"
        + (f"; depth {limit.failed_at:,} {limit.reason}" if limit.failed_at else "")
        for limit in depth_limits(rows)
    ]
    return answers | sentences


def missing(times: Mapping[str, float]) -> str:
    """What a case's label says of a direction that was not measured."""
    for name, operations in DIRECTIONS.items():
        if not operations & set(times):
            return f" · no {name}"
    return ""


def model_share(times: Mapping[str, float]) -> float:
    """The share of the steps between objects and builtins."""
    return (times.get("dump", 0) + times.get("load", 0)) / sum(times.values())


Timed = Sequence[tuple[Row, dict[str, float]]]


def phases(rows: Sequence[Row], least: float = 0.0) -> View[tuple[Row, dict[str, float]]]:
    """The ns of each phase of each case of one point, the fastest first; cases of one direction come last."""
    timed = sorted(phase_times(rows), key=lambda time: bool(missing(time[1])))
    return View(words.noisy(_phases_title(timed, by_case(rows), least), least if timed else 0.0), timed, [STEPS])


def _phases_title(timed: Timed, cases: Mapping[Any, Mapping[str, Row]], least: float) -> str:
    several = differing_facts(row for row, _ in timed)
    stepped = [(row, times) for row, times in timed if {"dump", "load"} & set(times)]
    if not timed:
        return "No measured result has phases"
    if not stepped:
        return _whole_way(timed, cases, least)
    (low, fewest), (high, most) = (pick(stepped, key=lambda one: model_share(one[1])) for pick in (min, max))
    shares = [
        f"{model_share(times):.0%} ({words.case_name(row, several)})" for row, times in ((low, fewest), (high, most))
    ]
    if low is high:
        return (
            f"{words.case_name(low, several)} spends {model_share(fewest):.0%} of its time between objects and builtins"
        )
    odds = [_odds(cases[case_of(row)], times) for row, times in ((high, most), (low, fewest))]
    text = f"Converting between objects and builtins takes {shares[0]} to {shares[1]} of the time"
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
    if len(names) < 2:
        return "No single step has been measured: dump, dumps, loads and load"
    together = f"{', '.join(names[:-1])} and {names[-1]} together"
    several = differing_facts(row for row, _ in timed)
    slow, fast = (words.case_name(row, several) for row in (whole[-1], whole[0]))
    slowest, fastest = (_sum(cases[case_of(row)], names) for row in (whole[-1], whole[0]))
    if len(whole) < 2:
        return f"For {together} {fast} needs {words.with_unit(fastest[0])}"
    ratio = quotient(slowest, fastest)
    if not is_proven(*ratio, least):
        return f"For {together} there is {words.NO_DIFFERENCE} between {fast} and {slow}, the slowest"
    return f"For {together} {slow} needs {words.factor_text(ratio[0])} the time of {fast}"


def step_findings(rows: Sequence[Row]) -> list[str]:
    """Sentences on whether the time goes to the bytes or to the models, and on reading every field, as far as measured."""
    timed = phase_times(rows)
    several = differing_facts(row for row, _ in timed)
    said = []
    stepped = [(row, model_share(times)) for row, times in timed if {"dump", "load"} & set(times)]
    if stepped:
        models = sum(share > 0.5 for _, share in stepped)
        ends = [min(stepped, key=lambda one: one[1]), max(stepped, key=lambda one: one[1])]
        told = [f"{share:.0%} of the time of {words.case_name(row, several)}" for row, share in ends]
        one_step = len(timed) - len(stepped)
        said.append(
            f"the models take more time than the bytes in {models} of {words.counted(len(stepped), 'combination')} with steps: "
            f"from {told[0]} to {told[1]}"
            + (
                f"; {words.counted(one_step, 'combination')} convert{'s' if one_step == 1 else ''} in one step"
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
        (row, time), *others = sorted(members, key=lambda member: member[1][0])
        alike = [other for other, its in others if not is_proven(*quotient(its, time))]
        case = f"{words.case_name(row, several)}{words.tied_words(alike, several)}{',' if alike else ''}"
        said.append(f"all steps with every field read, {kind}: {case} is fastest, {words.with_unit(time[0])}")
    return said


def conditions(rows: Sequence[Row], least: float = 0.0) -> View[Pair]:
    """The measured rows of each case under `hot` and under `varied`, with the same data and operation, fastest first.

    The title has the least and the greatest factor, and how many cases are proven to change their order with another.
    Differences below `least` are noise.
    """
    able = [row for row in rows if row.time_ns is not None]
    known = {_key(row): row for row in able if row.conditions == BEFORE}
    pairs = [(known[_key(row)], row) for row in able if row.conditions == AFTER and _key(row) in known]
    pairs.sort(key=lambda pair: pair[1].time_ns or 0.0)
    return View(_conditions_title(pairs, least), pairs, [CONDITIONS])


def _conditions_title(pairs: Sequence[Pair], least: float) -> str:
    if not pairs:
        return "Nothing was measured under both conditions"
    several = differing_facts(row for _, row in pairs)
    ranked = sorted(pairs, key=lambda pair: _factor(*pair)[0])
    low, high = ranked[0], ranked[-1]
    told = [f"{words.case_name(row, several)} {_needs(before, row, least)}" for before, row in (high, low)]
    if (
        _differs(*high, least)
        and _differs(*low, least)
        and not is_proven(*quotient(_factor(*high), _factor(*low)), least)
    ):
        told.append(f"with {words.NO_DIFFERENCE} between the two")
    moved = sum(any(_changes(pair, other, least) for other in pairs) for pair in pairs)
    return words.noisy(
        f"{pairs[0][1].operation}: with the documents of a service instead of one repeated, {', '.join(told)}; {moved} of "
        f"{words.counted(len(pairs), 'combination')} {'is' if moved == 1 else 'are'} proven to change order with another of the same validation",
        least,
    )


def _differs(before: Row, after: Row, least: float) -> bool:
    return is_proven(*_factor(before, after), least)


def _needs(before: Row, after: Row, least: float) -> str:
    factor = words.factor_text(_factor(before, after)[0])
    return f"needs {factor} the time" if _differs(before, after, least) else f"shows {words.NO_DIFFERENCE}"


def _changes(pair: Pair, other: Pair, least: float) -> bool:
    """Whether one of two cases of a work class is proven slower under one of the conditions, and the other under the other."""
    (before, after), (others, afterwards) = pair, other
    if (before.work_class, after.work_class) != (others.work_class, afterwards.work_class):
        return False
    falls = is_slower(others, before, least) and is_slower(after, afterwards, least)
    return falls or (is_slower(before, others, least) and is_slower(afterwards, after, least))


def _key(row: Row) -> tuple[object, ...]:
    point = row.point
    return (case_of(row), row.operation, point.workload, point.records, point.depth, point.seed)


def _factor(before: Row, after: Row) -> tuple[float, float, float]:
    """The second's time over the first's, with its 95% interval."""
    ends = [(row.time_ns, row.time_ns_low, row.time_ns_high) for row in (after, before)]
    return quotient(*([value or middle or nan for value in (middle, low, high)] for middle, low, high in ends))


def factor_words(before: Row, after: Row) -> str:
    """The second's time over the first's: "1.5× ± 0.1"."""
    return words.with_half_width(*_factor(before, after))


def ranks(before: Row, after: Row) -> str:
    """The ranks of both: "2 → 1", or one if they are the same."""
    return " → ".join(dict.fromkeys(str(row.rank or "–") for row in (before, after)))


CHOICE = "body size from which on the choice of serializer changes requests per second by more than 10%"
"""The heading of `choice_sentences`."""


def choice_sentences(rows: Sequence[Row], least: float = 0.0) -> list[str]:
    """For each framework and kind of work the size that `CHOICE` asks for, with the endpoints that differ most there."""
    several = differing_facts(rows)
    return [_choice_sentence(sizes, several) for sizes in choices(rows, least)]


def _choice_sentence(sizes: Sequence[Choice], several: Mapping[str, AbstractSet[str]]) -> str:
    first, largest, found = sizes[0].fastest, sizes[-1], threshold(sizes)
    who = f"{words.library_name(first, several)} ({words.class_words(first.work_class)})"
    if found is None:
        some = [_at(choice) for choice in sizes if choice.matters]
        where = f"only at {words.listed(some)}" if some else "at none of the sizes measured"
        return f"{who}: {where}; at {_at(largest)} {_compared(largest, several)}"
    if found is sizes[0]:
        return f"{who}: at every size measured, from {_at(found)} on, where {_compared(found, several)}"
    before = sizes[sizes.index(found) - 1]
    below = f"; at {_at(before)} it is {_times(before)}"
    return f"{who}: from {_at(found)} on, where {_compared(found, several)}{below}"


def _at(choice: Choice) -> str:
    row = choice.fastest
    return f"{words.with_unit(row.size_bytes or 0, words.BYTES)} ({words.counted(row.records, 'record')})"


def _times(choice: Choice) -> str:
    low, high = choice.factor.low or 0.0, choice.factor.high or 0.0
    return f"{words.factor_text(choice.factor.ratio, high - low)} ({words.ends_words(low, high)})"


def _compared(choice: Choice, several: Mapping[str, AbstractSet[str]]) -> str:
    names = [words.case_name(row, several) for row in (choice.fastest, choice.slowest)]
    return f"{names[0]} answers {_times(choice)} as many requests as {names[1]}"
