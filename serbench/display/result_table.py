"""The tables of a run, with their warnings: ties as ties, work classes apart, failures with reasons, means over all data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from typing import Any

from serbench.display import views, words
from serbench.display.board import Board, boards_of
from serbench.display.table import Column, Side, Table, Tables
from serbench.errors import and_more
from serbench.judge.compare import least_difference
from serbench.judge.control import LIMITS, Disturbance, cell_name, control, disturbed
from serbench.judge.leading import Overall, overall
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import (
    CaseFields,
    Row,
    by_case,
    case_of,
    decoding_classes,
    differing_facts,
    merged,
    six_digits,
    work_class_key,
)
from serbench.judge.waves import Samples
from serbench.results import Cell, Origin, grouped

NAMED = 3
"""The number of cells that a warning names, the worst first."""
TEXTS: dict[Disturbance, tuple[str, int, str]] = {
    "short of CPU": ("got less than 97% of the core (CPU time over wall time", 0, "%"),
    "interrupted": ("were interrupted more than once every two batches (switches per batch", 1, "f"),
    "unsteady": ("differ by more than 5% between repetitions (standard deviation", 0, "%"),
    "short": ("take under 50 ns, of which the loop is a good part (ns", 0, "f"),
    "single calls": ("are slow enough for one call a batch: single calls, not averages (ms", 1, "f"),
}
"""Disturbance → the beginning of its warning, and how many decimals its figures have, and their form."""


def warnings(
    cells: Sequence[Cell], samples: Samples, machine: Mapping[str, Any], *, gc: str | None = None
) -> list[str]:
    """Warnings about the run's conditions, one line for each kind, which names the worst cells.

    `gc` is the collector's policy while timing, "on" or "off".
    """
    timed, disturbances = disturbed(cells, samples)
    lines = [
        _line(beyond, len(timed), *TEXTS[name], LIMITS[name][2]) for name, beyond in disturbances.items() if beyond
    ]
    warm = [cell.warmup_ns for cell in timed if cell.warmup_ns]
    if warm:
        lines.append(f"a JIT was at work: {len(warm)} rows were warmed up for up to {max(warm) / 1e9:.1f} s a process")
    if timed and "usable_cores" not in machine:
        lines.append("processes were not pinned to a core: this platform cannot, so migrations add noise")
    if machine.get("governor") not in (None, "performance"):
        lines.append(f"the CPU's frequency may vary: governor {machine['governor']}")
    if machine.get("power") == "battery":
        lines.append("the machine ran on battery: its frequency may vary")
    if gc is not None:
        policy = {"on": "on, as users run it; what set-up made was frozen", "off": "off while timing"}
        lines.append(f"garbage collector: {policy.get(gc, gc)}")
    return lines


def _line(beyond: Sequence[tuple[float, Cell]], timed: int, text: str, digits: int, form: str, limit: float) -> str:
    named = [f"{cell_name(cell)} {_unlike(limit, value, digits, form)}" for value, cell in beyond]
    return f"{len(beyond)} of {timed} rows {text}: {and_more(named, NAMED)})"


def _unlike(limit: float, value: float, digits: int, form: str) -> str:
    """A figure with so many decimals, and more if it would be rounded to the limit that it is beyond."""
    texts = ((f"{value:.{more}{form}}", f"{limit:.{more}{form}}") for more in count(digits))
    return next(text for text, at_limit in texts if text != at_limit)


def machine_notes(cells: Sequence[Cell], samples: Samples, machines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for each machine, with its own noise floor, and one for each fact in which they disagree."""
    by_machine = grouped(cells, lambda cell: cell.machine)
    measured = {name: by_machine[name] for name in machines if name in by_machine}
    if len(measured) < 2:
        return []
    notes = []
    for name, of_machine in measured.items():
        points = dict.fromkeys(f"{c.point.workload} {c.point.records:,} (depth {c.point.depth})" for c in of_machine)
        error = control(of_machine, samples)["aa_error"]
        accuracy = "" if error is None else f", noise floor {error:.1%}"
        notes.append(f"machine {name} ({words.machine_line(machines[name])}{accuracy}) measured {', '.join(points)}")
    notes.append("ratios are of one machine each; times of blocks from different machines do not compare")
    return [*notes, *_disagreements({name: machines[name] for name in measured}, measured)]


def _disagreements(machines: Mapping[str, Mapping[str, Any]], measured: Mapping[str, Sequence[Cell]]) -> list[str]:
    facts: dict[str, dict[str, str]] = {}
    for name, machine in machines.items():
        for key, value in machine.items():
            facts.setdefault(key, {})[name] = str(value)
    for name, cells in measured.items():
        for cell in cells:
            if cell.version is not None:
                facts.setdefault(f"{cell.library} ({cell.environment})", {})[name] = cell.version
    return [
        f"machines disagree in {key}: " + ", ".join(f"{value} on {name}" for name, value in values.items())
        for key, values in facts.items()
        if len(set(values.values())) > 1
    ]


def mean_data(one: Overall) -> dict[str, Any]:
    """A mean as JSON data, its points in words and its floats to six digits."""
    facts = {name: six_digits(value) for name, value in asdict(one).items()}
    return facts | {"points": list(map(words.point_words, one.points))}


def overall_tables(rows: Sequence[Row]) -> dict[tuple[str, str], Table]:
    """Operation and conditions → a table of geometric means with a section for each work class; none if there is one point."""
    several, tables = differing_facts(rows), {}
    for (operation, conditions), every in grouped(
        overall(rows), lambda mean: (mean.operation, mean.conditions)
    ).items():
        cases = _whole_copies([row for row in rows if (row.operation, row.conditions) == (operation, conditions)])
        members = [member for member in every if case_of(member) in cases]
        classes = Counter(member.work_class for member in members)
        points = {member.work_class: "; ".join(map(words.point_words, member.points)) for member in members}
        columns = [
            Column("library", [words.library_label(cases[case_of(member)], several) for member in members], "left"),
            Column("codec", [words.codec_label(member) for member in members], "left"),
            Column("mean ratio", [_label(member, classes[member.work_class]) for member in members]),
        ]
        sections = [
            (f"{words.class_words(name)}, over {points[name]}, the data that all combinations support", count)
            for name, count in classes.items()
        ]
        title = f"{operation}, geometric mean over all data"
        tables[operation, conditions] = Table(title, columns, sections)
    return tables


def _whole_copies(rows: Sequence[Row]) -> dict[CaseFields, Row]:
    """Case → a row that names it and the cases whose code is its own at all data; those have no entry."""
    cases = grouped(rows, case_of)
    named = {members[0].identity[2:]: case for case, members in cases.items()}
    found = {case: replace(members[0], also=()) for case, members in cases.items()}
    for case, members in cases.items():
        original, *others = {named.get(row.measured_as[2:]) for row in members}
        if original not in (None, case) and not others and len(members) == len(cases[original]):
            found[original] = replace(found[original], also=(*found[original].also, found.pop(case)))
    return found


def overall_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """`overall_tables` as JSON data: operation, title, and the cells of each section's lines."""
    return [
        {
            "operation": operation,
            "conditions": conditions,
            "title": table.title,
            "sections": [
                [name, [list(line) for line in zip(*(column.cells for column in columns), strict=True)]]
                for name, columns in table.parts()
            ],
        }
        for (operation, conditions), table in overall_tables(rows).items()
    ]


def _label(one: Overall, of: int) -> str:
    if one.ratio_high <= one.ratio_low:
        return "1×" + (" (fastest)" if of > 1 else "")
    return words.with_half_width(one.ratio, one.ratio_low, one.ratio_high)


def table(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    warnings: Sequence[str],
    info: Origin,
    *,
    across_classes: bool = False,
) -> Tables:
    """A run's tables with footnotes, origin, accuracy and warnings.

    There is a board for each operation, all operations side by side if there are several formats, means over
    all data, and sentences on the choice of endpoint. `across_classes` must be what the rows were ranked with.
    """
    boards = map(board_table, boards_of(rows, across_classes=across_classes))
    chosen = views.choice_sentences(rows, least_difference(control))
    tables = [*boards, *side_by_side(rows), *overall_tables(rows).values()]
    tables += [Table(views.CHOICE.capitalize(), [], notes=chosen)] if chosen else []
    return Tables(tables, words.footnotes(rows), words.about_lines(info, control), warnings)


def leaders(rows: Sequence[Row], count: int) -> Tables:
    """The fastest few of each point and operation, each in its work class."""
    fastest = sorted((row for row in merged(rows) if row.rank is not None), key=lambda row: row.time_ns or 0)
    groups = grouped(fastest, lambda row: (row.point, row.operation))
    leading = [
        row
        for ranking in groups.values()
        for row in sorted(ranking[:count], key=lambda r: work_class_key(r.work_class))
    ]
    # Without ranks: too little is measured for them, and a tie would stand beside a ratio that looks proven.
    return Tables([board_table(board, ranked=False) for board in boards_of(leading)])


def board_table(board: Board, *, ranked: bool = True) -> Table:
    """A board with one section for each work class, and the cases that could not be measured."""
    sections = [(name, len(rows)) for name, rows in board.sections]
    title = board.title + _reference(board)
    return Table(
        title,
        _columns(board, ranked=ranked) if board.measured else [],
        sections,
        failures=list(map(": ".join, board.failures)),
    )


def _reference(board: Board) -> str:
    """The reference with its time, if it does not stand in the first section, where it would be seen."""
    for number, (_, rows) in enumerate(board.sections):
        for row in rows:
            if row.reference:
                time = words.with_unit(row.time_ns or 0.0)
                return f" · baseline {words.case_name(row, board.several)}, {time}" if number else ""
    return ""


def _columns(board: Board, *, ranked: bool) -> list[Column]:
    """All columns that the board's measured rows fill; in a terminal the time has a bar, and its ends are coloured."""
    rows, several = board.measured, board.several
    times = [row.time_ns or 0.0 for row in rows]
    marks = [words.BY_WALL if row.clock == "wall" else "" for row in rows]
    sizes = [words.NAMED_IN_BYTES if row.format in words.OBJECT_GRAPHS else "" for row in rows]
    columns = [
        Column("#", [words.rank_label(row, section) for _, section in board.sections for row in section]),
        Column(words.COMBINATION, [words.case_name(row, several) for row in rows], side="left"),
        _fitting("{}/op", "time/op", times, words.UNITS, marks, styles=_ends(board), bars=times),
        _fitting("{}/record", "time/record", [row.time_per_record_ns for row in rows], words.UNITS, spare=2),
        Column("ratio", [words.ratio_label(row) for row in rows]),
        Column("share", [words.share_label(row) for row in rows]),
        Column("first", [words.first_label(row) for row in rows], spare=4),
        Column("MB/s", [words.number(row.mb_per_s, 1.0) for row in rows], spare=3),
        _fitting("{}", "size", [row.size_bytes for row in rows], words.BYTES, sizes, spare=1),
    ]
    useless = {"time/record", *(f"{name}/record" for _, name in words.UNITS)} if rows[0].records == 1 else set()
    useless |= {"first"} if all(len(section) < 2 for _, section in board.sections) else set()
    useless |= set() if ranked else {"#", "first"}
    return [column for column in columns if any(column.cells) and column.heading not in useless]


def _fitting(
    common: str,
    several: str,
    values: Sequence[float | None],
    units: Sequence[tuple[float, str]],
    marks: Sequence[str] = (),
    **look: Any,
) -> Column:
    """A column of figures, each with a mark behind it: in one unit, which the heading names, or each with its own if none fits."""
    known = [value for value in values if value is not None]
    unit, name = words.unit_of(known, units)
    fits = all(unit / 10 <= value < unit * 10_000 for value in known)
    cells = [
        "" if value is None else (words.amount(value, unit, units) if fits else words.with_unit(value, units)) + mark
        for value, mark in zip(values, marks or [""] * len(values), strict=True)
    ]
    return Column(common.format(name) if fits else several, cells, **look)


def _ends(board: Board) -> list[str]:
    """The style of each row's time: the fastest of a section, and the slowest of several."""
    styles = []
    for _, rows in board.sections:
        times = [row.time_ns or 0.0 for row in rows]
        best, worst = min(times), max(times)
        styles += ["green" if time == best else "red" if time == worst else "" for time in times]
    return styles


def conditions_table(rows: Sequence[Row]) -> Table:
    """Time and rank of each case under both conditions, and how many times as long it takes under `varied`."""
    pairs = views.conditions(rows).lines
    several = differing_facts(row for _, row in pairs)
    unit, name = words.unit_of([row.time_ns or 0.0 for row, _ in pairs])
    headings: dict[str, Side] = {
        words.COMBINATION: "left",
        **{f"{words.CONDITIONS[one]}, {name}": "right" for one in (views.BEFORE, views.AFTER)},
        "factor": "right",
        "rank, same validation": "left",
    }
    lines = [
        (
            words.case_name(after, several),
            words.time_label(before, unit),
            words.time_label(after, unit),
            views.factor_words(before, after),
            views.ranks(before, after),
        )
        for before, after in pairs
    ]
    return Table.of_lines(headings, lines)


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
WHOLE = ("encode", "decode", "read")
"""The operations that follow each other when data is sent; lines are sorted by their sum."""
_PACKED = {"gzip": "gunzip", "zstd": "unzstd"}
_UNSURE, _BEYOND = "?", 0.05
"""A time is marked if its 95% interval reaches farther than this part of it."""


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
    columns = _side_columns([cases[key] for key in order], [_checked(checks[key]) for key in order], operations)
    marked = any(cell.endswith(_UNSURE) for column in columns for cell in column.cells)
    notes = [f"{_UNSURE} the 95% interval is wider than ± {_BEYOND * 100:.0f}%"] if marked else []
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


def _side_columns(cases: list[dict[str, Row]], checks: list[str], operations: Sequence[str]) -> list[Column]:
    firsts = [next(iter(case.values())) for case in cases]
    several = differing_facts(firsts)
    unit, name = words.unit_of(row.time_ns for case in cases for row in case.values() if row.time_ns is not None)
    sizes = [row.size_bytes for row in firsts if row.size_bytes is not None]
    size_unit, size_name = words.unit_of([min(sizes, default=1)], words.BYTES)

    def packed(key: str, unit: float) -> list[str]:
        return [words.number(getattr(row, key), unit) for row in firsts]

    columns = [
        Column(words.COMBINATION, [words.case_name(row, several) for row in firsts], side="left"),
        Column(words.VALIDATION, checks, spare=5),
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
