"""The steps of each case, stacked, and its operations side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from serbench.display import style, words
from serbench.display.style import Figure, ThemeName
from serbench.display.table import Column, Table
from serbench.judge.compare import is_proven, quotient
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import Row, by_case, case_of, decoding_classes, differing_facts, phase_times, work_class_key
from serbench.judge.tradeoff import why_incomparable
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
    timed = sorted(phase_times(rows), key=lambda time: bool(_missing(time[1])))
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
        layout["annotations"].insert(-1, style.beside(words.three_digits(total), total, label, theme, shift=4))
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
        (row, time), *others = sorted(members, key=lambda member: member[1][0])
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


WHOLE = ("encode", "decode", "read")
"""The operations that follow each other when data is sent; lines are sorted by their sum."""
_PACKED = {"gzip": "gunzip", "zstd": "unzstd"}
_UNSURE, _BEYOND = "?", 0.05
"""A time is marked if its 95 % interval reaches farther than this part of it."""


def side_by_side(rows: Sequence[Row]) -> list[Table]:
    """A table for each workload point that has several formats and more than two operations; boards say the rest.

    Sections separate kinds of result, and lossy cases. Within a section the least sum of encode, decode and read
    comes first; cases that lack one of these come last.
    """
    classes = dict(zip(map(id, rows), decoding_classes(rows), strict=True))
    points = grouped((row for row in rows if row.measured), lambda row: row.point)
    return [
        _table(members, [classes[id(row)] for row in members])
        for members in points.values()
        if len({row.format for row in members}) > 1 and len({row.operation for row in members}) > 2
    ]


def _table(rows: list[Row], classes: list[str]) -> Table:
    cases = by_case(rows)
    checks = {case_of(row): work_class for row, work_class in zip(rows, classes, strict=True)}
    operations = list(dict.fromkeys(row.operation for row in rows))
    wanted = [name for name in WHOLE if name in operations] or operations
    ordered = sorted(cases, key=lambda key: (work_class_key(_holder(checks[key])), _whole(cases[key], wanted)))
    sections = grouped(ordered, lambda key: _holder(checks[key]))
    order = [key for keys in sections.values() for key in keys]
    title = f"{words.point_words(rows[0].point)}: all operations, the least of {' + '.join(wanted)} first"
    columns = _columns([cases[key] for key in order], [_checked(checks[key]) for key in order], operations)
    marked = any(cell.endswith(_UNSURE) for column in columns for cell in column.cells)
    notes = [f"{_UNSURE} the 95 % interval is wider than ± {_BEYOND * 100:.0f} %"] if marked else []
    return Table(title, columns, [(words.class_words(name), len(keys)) for name, keys in sections.items()], notes=notes)


def _holder(work_class: str) -> str:
    """The work class without how input is checked: "objects, lossy (at: offset)"."""
    holder, _, left_out, lossy = WorkClass.parse(work_class)
    return ", ".join(filter(None, (holder, left_out, lossy)))


def _checked(work_class: str) -> str:
    checks = WorkClass.parse(work_class).checks.partition(" (")[0]
    return words.CHECKS.get(checks, checks)


def _whole(case: dict[str, Row], wanted: Sequence[str]) -> tuple[int, float]:
    """The number of wanted operations that a case lacks, and the sum of the others in ns."""
    times = [case[name].time_ns or 0.0 for name in wanted if name in case]
    return len(wanted) - len(times), sum(times)


def _columns(cases: list[dict[str, Row]], checks: list[str], operations: Sequence[str]) -> list[Column]:
    firsts = [next(iter(case.values())) for case in cases]
    several = differing_facts(firsts)
    unit, name = words.unit_of(row.time_ns for case in cases for row in case.values() if row.time_ns is not None)
    sizes = [row.size_bytes for row in firsts if row.size_bytes is not None]
    size_unit, size_name = words.unit_of([min(sizes, default=1)], words.BYTES)

    def packed(key: str, unit: float) -> list[str]:
        return [words.number(getattr(row, key), unit) for row in firsts]

    columns = [
        Column("case", [words.case_name(row, several) for row in firsts], side="left"),
        Column("checks", checks, spare=5),
        *(
            Column(f"{operation} {name}", [_time(case.get(operation), unit) for case in cases])
            for operation in operations
        ),
        Column(size_name, [words.size_label(row, size_unit) for row in firsts]),
        *(Column(one, packed(f"size_{one}_bytes", size_unit)) for one in _PACKED),
        *(Column(f"{way} {name}", packed(f"{way}_ns", unit), spare=6) for pair in _PACKED.items() for way in pair),
    ]
    return [column for column in columns if any(column.cells)]


def _time(row: Row | None, unit: float) -> str:
    if row is None:
        return "–"
    ends = (row.time_ns_low, row.time_ns, row.time_ns_high)
    low, time, high = (value or 0.0 for value in ends)
    return words.time_label(row, unit) + (_UNSURE if high - low > 2 * _BEYOND * time else "")
