"""Comparisons in words: two runs, a candidate and its baseline, a library over its versions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from serbench.display import style, words
from serbench.display.closing import Closing, Tone
from serbench.display.style import Dot, Figure
from serbench.display.table import Column, Table, Tables, escaped
from serbench.display.values import Displayed
from serbench.display.views import View
from serbench.display.words import again
from serbench.errors import PlanError
from serbench.judge.compare import Change, Check, GateVerdict, Series, Step, changes, is_proven, least_difference
from serbench.judge.control import control
from serbench.results import Cell, MeasuredRun, Origin, bracketed, grouped

_TOLD = 2
"""As many checks of an operation are all told."""
WORST: tuple[GateVerdict, ...] = ("slower", "broken", "undecided", "fine")


@dataclass(frozen=True)
class Gate(Displayed):
    """A candidate against its baseline, measured in the same waves; it displays itself.

    A change below `least` is noise. `run` is the id of its run, if it is stored, and `store` the option that names the store.
    """

    baseline: str
    candidate: str
    threshold: float
    checks: tuple[Check, ...]
    least: float = 0.0
    run: str = ""
    store: str = ""

    @property
    def verdict(self) -> GateVerdict:
        """The worst of all checks that are not missing; "undecided" if there is none."""
        return next((word for word in WORST if any(check.verdict == word for check in self.checks)), "undecided")

    def to_data(self) -> dict[str, Any]:
        """The verdicts as JSON data."""
        facts = {"baseline": self.baseline, "candidate": self.candidate, "threshold": self.threshold}
        checks = [{"name": _name(check), "operation": check.cell.operation} | figures(check) for check in self.checks]
        return {**facts, "verdict": self.verdict, "checks": checks}

    def table(self) -> Tables:
        """The verdicts, the gate's own first."""
        columns = [
            Column(words.COMBINATION, list(map(_name, self.checks)), "left"),
            Column("operation", [check.cell.operation for check in self.checks], "left"),
            Column("change", [_change(check, self.least) for check in self.checks]),
            Column("verdict", [check.verdict for check in self.checks], "left"),
        ]
        return Tables([Table(f"{self.verdict}: {self._compared}", columns, notes=self._reasons)])

    def closing(self, command: str = "") -> Closing:
        """The last lines in a terminal: whether to take the candidate, and what changes."""
        limit, candidate = _percent(self.threshold), self.candidate
        verdicts = [check.verdict for check in self.checks]
        fine = words.counted(verdicts.count("fine"), "check")
        share = f" in {verdicts.count(self.verdict)} of {len(verdicts)} checks" if len(verdicts) > 1 else ""
        answers: dict[str, tuple[str, Tone]] = {
            "fine": (f"{candidate}: no slowdown beyond {limit} in {fine}", "good"),
            "slower": (f"{self.baseline}: {candidate} is slower by more than {limit}{share}", "bad"),
            "broken": (f"{self.baseline}: {candidate} fails{share}, where {self.baseline} works", "bad"),
        }
        compared = any(check.verdict == "undecided" and check.change is not None for check in self.checks)
        why = f"noise hides a slowdown of {limit}" if compared else "a check was not measured"
        use, tone = answers.get(self.verdict, (f"no verdict: {why}", "open"))
        cost = next(iter(self._reasons), "")
        once_more = tone == "open" or self.least or not self.run
        following = again(command, "", self.store) if once_more else f"serbench run --stored {self.run}{self.store}"
        changes = "; ".join(self._changes())
        told = words.noisy(changes, self.least)
        if " slower " in changes and " faster " not in changes:
            return Closing(use, "", "; ".join(filter(None, (told, cost))), following if command else "", tone)
        return Closing(use, told, cost, following if command else "", tone)

    def _changes(self) -> Iterator[str]:
        """What changes in each operation; of more than two checks the slowest and the fastest, and how many others prove nothing."""
        known = sorted(
            (check for check in self.checks if check.change is not None), key=lambda one: -(one.change or 0.0)
        )
        for operation, checks in grouped(known, lambda one: one.cell.operation).items():
            proven = [check for check in checks if _change(check, self.least) != words.NO_DIFFERENCE]
            unproven, between = len(checks) - len(proven), len(proven) - _TOLD
            told = checks if len(checks) <= _TOLD and (proven or len(checks) == 1) else [*proven[:1], *proven[1:][-1:]]
            parts = [f"{_change(one, self.least)}{_where(one, checks)}" for one in told]
            if unproven and told is not checks:
                parts.append(f"{words.NO_DIFFERENCE} in {unproven} of {len(checks)} checks")
            if between > 0:
                parts.append(f"{between} more between these")
            yield f"{operation} {', '.join(parts)}"

    def to_markdown(self) -> str:
        """The verdicts as Markdown, for the summary of a CI job."""
        (table,) = self.table().tables
        return f"**{self.verdict}**: {escaped(self._compared)}\n\n{replace(table, title='').to_markdown()}\n"

    @property
    def _reasons(self) -> list[str]:
        return [f"{_name(check)} {check.cell.operation}: {check.reason}" for check in self.checks if check.reason]

    @property
    def _compared(self) -> str:
        return f"{self.candidate} against {self.baseline}, threshold {_percent(self.threshold)}"


def _percent(part: float) -> str:
    return f"{part * 100:.3g}%"


def _change(change: Check | Change | Step, least: float = 0.0) -> str:
    return words.difference_words(change.change, change.change_low, change.change_high, least)


def _where(check: Check, checks: Sequence[Check]) -> str:
    """The label of a check among those of its operation: " via orjson", " (client · 10 records · depth 2)"."""
    cell = check.cell
    told: dict[str, set[Any]] = {
        bracketed(cell.variant): {check.cell.variant for check in checks},
        f"via {words.codec_label(cell)}": {(check.cell.codec, check.cell.format) for check in checks},
        f"({words.point_words(cell.point)})": {check.cell.point for check in checks},
    }
    return "".join(f" {text}" for text, several in told.items() if text and len(several) > 1)


def _name(check: Check) -> str:
    return f"{words.plain_name(check.cell)}, {_data(check.cell)}"


def figures(one: Check | Change) -> dict[str, Any]:
    """A cell's comparison as JSON data."""
    return {name: value for name, value in vars(one).items() if name != "cell"}


STYLES = {"slower": "red", "faster": "green", "undecided": "yellow"}
IDENTITY = ("operation", "library", "variant", "environment", "codec", "format")
SAME_MACHINE = ("cpu", "cores", "architecture", "system")


@dataclass(frozen=True)
class Comparison(Displayed):
    """The changes from one run to another, and warnings about them; it displays itself.

    A change below `least` is noise. `store` is the option that names the store of both; `other_data` says that the same
    versions made documents of other sizes, which only other data does.
    """

    run_a: str
    run_b: str
    changes: list[Change]
    warnings: list[str]
    other_data: bool = False
    least: float = 0.0
    store: str = ""

    def to_data(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        facts = {name: value for name, value in vars(self).items() if name != "store"}
        return facts | {"changes": list(map(_data_of, self.changes))}

    def _where(self, change: Change) -> str:
        """The operation of a change, and its data if several are compared."""
        several = len({one.cell.point for one in self.changes}) > 1
        return f"{change.cell.operation} {_data(change.cell)}" if several else change.cell.operation

    def finding(self) -> str:
        """A sentence on the largest proven change, and on the versions that differ."""
        moved = dict.fromkeys(
            f"{change.cell.library} {change.version_a} → {change.version_b}"
            for change in self.changes
            if change.version_a and change.version_b and change.version_a != change.version_b
        )
        versions = f"versions: {', '.join(moved)}" if moved else "no version differs"
        proven = [change for change in self.changes if change.verdict in ("slower", "faster")]
        if proven:
            most = max(proven, key=lambda one: abs(math.log(one.change or 1)))
            others = f", and {len(proven) - 1} more" if len(proven) > 1 else ""
            return (
                f"{words.plain_name(most.cell)} {self._where(most)} has become {change_words(most)}{others}; {versions}"
            )
        known = sum(change.verdict == "same" for change in self.changes)
        return f"nothing is proven faster or slower, {known} are proven the same within 5%; {versions}"

    def closing(self) -> Closing:
        """The last lines in a terminal: which run's versions to use, what changed most, and what is not known."""
        worse, better, open_ = (
            [change for change in self.changes if change.verdict == verdict]
            for verdict in ("slower", "faster", "undecided")
        )
        tone: Tone = "bad" if len(worse) > len(better) else "good" if len(better) > len(worse) else "open"
        alike = not any(change.version_a != change.version_b or change.source_changed for change in self.changes)
        tone = "open" if alike or self.other_data else tone
        open_use = "either: both runs measured the same versions and code" if alike else "either of the two"
        use = {"bad": f"what run {self.run_a} has", "good": f"what run {self.run_b} has"}.get(
            tone, "neither: the runs measured different data" if self.other_data else open_use
        )
        told = [max(some, key=lambda one: abs(math.log(one.change or 1))) for some in (worse, better) if some]
        gains = [f"{_case(one)} {self._where(one)} {_change(one)}" for one in told] or ["no proven difference"]
        compared = sum(change.change is not None and change.verdict != "reference" for change in self.changes)
        cost = f"{len(worse)} slower, {len(better)} faster, {len(open_)} undecided of {compared}"
        noise = words.noisy("; ".join(gains), self.least)
        return Closing(use, noise, cost, f"serbench report --html page --run {self.run_b}{self.store}", tone)

    def table(self) -> Tables:
        """A line for each case, by verdict, below the warnings."""
        verdicts = [change.verdict for change in self.changes]
        total = ", ".join(f"{verdicts.count(name)} {name}" for name in ("slower", "faster", "same", "undecided"))
        columns = [
            Column("", [_case(change) for change in self.changes], "left"),
            Column("", [f"{one.cell.operation} {_data(one.cell)}" for one in self.changes], "left"),
            Column(
                "", [_notes(change) for change in self.changes], "left", styles=[STYLES.get(v, "") for v in verdicts]
            ),
        ]
        total = f"run {self.run_b} against {self.run_a}: {total}"
        bases = dict.fromkeys(change.base for change in self.changes if change.base)
        title = words.noisy(self.finding(), self.least)
        table = Table(title, columns, [(total, len(self.changes))], self.warnings)
        return Tables([table], about=[f"ratios are to {base}" for base in bases])


def compare_runs(run_a: MeasuredRun, run_b: MeasuredRun, store: str = "") -> Comparison:
    """The changes from run A to run B, with warnings.

    Raises:
        PlanError: the runs have no measured library + format in common.
    """
    least = least_difference(*(control(run.cells, run.samples) for run in (run_a, run_b)))
    compared = changes(run_a, run_b, least)
    if all(change.verdict == "missing" for change in compared):
        again = (
            f"measure again with `{run_a.info.command}`" if run_a.info.command else "measure both with the same options"
        )
        raise PlanError(
            f"runs {run_a.id} and {run_b.id} have no measured library + format in common; {again}, and compare that run"
        )
    sizes = [(one.size_a, one.size_b) for one in compared if None not in (one.size_a, one.size_b)]
    other_data = bool(sizes) and run_a.info.versions == run_b.info.versions and all(a != b for a, b in sizes)
    warnings = _warnings(run_a, run_b, compared)
    if other_data:
        (a, b), one = sizes[0], next(one for one in compared if None not in (one.size_a, one.size_b))
        made = f"{_case(one)} made {a:,} bytes in run {run_a.id} and {b:,} in run {run_b.id}"
        warnings.insert(0, f"the runs measured different data, so no change is that of the code: {made}")
    return Comparison(run_a.id, run_b.id, compared, warnings, other_data, least, store)


def change_words(change: Change) -> str:
    """The verdict with its figures: "slower: time +8.0% (+7.1% to +8.9%)"."""
    fixed = {"reference": "what both runs are divided by", "missing": "not compared"}
    if change.change is None or change.change_low is None or change.change_high is None:
        return fixed[change.verdict]
    middle, low, high = (value - 1 for value in (change.change, change.change_low, change.change_high))
    if change.verdict == "undecided":
        return f"undecided: between {low:+.1%} and {high:+.1%}"
    if change.verdict == "same":
        return f"same within ±{math.ceil(max(high, -low) * 1000) / 10:.1f}%"
    return f"{change.verdict}: time {middle:+.1%} ({low:+.1%} to {high:+.1%})"


def _data_of(change: Change) -> dict[str, Any]:
    cell = {name: getattr(change.cell, name) for name in IDENTITY}
    return {"point": asdict(change.cell.point), **cell, **figures(change), "words": change_words(change)}


def _notes(change: Change) -> str:
    reason = f": {' '.join(change.reason.split())}" if change.reason else ""
    return change_words(change) + reason + (" (source changed)" if change.source_changed else "")


def _case(change: Change) -> str:
    cell = change.cell
    environment = "" if cell.environment == "main" else f"@{cell.environment}"
    versions = " → ".join(dict.fromkeys(version for version in (change.version_a, change.version_b) if version))
    label = " ".join(filter(None, (cell.library, bracketed(cell.variant), environment, versions)))
    return words.case_words(label, cell.library, cell.codec, cell.format)


def _data(cell: Cell) -> str:
    return f"{cell.workload} · {cell.records:,} · depth {cell.depth} · {cell.conditions}"


def _warnings(run_a: MeasuredRun, run_b: MeasuredRun, compared: Sequence[Change]) -> list[str]:
    warnings = []
    differing = [key for key in SAME_MACHINE if run_a.machine.get(key) != run_b.machine.get(key)]
    if differing:
        told = ", ".join(f"{key} {run_a.machine.get(key)} and {run_b.machine.get(key)}" for key in differing)
        warnings.append(f"the runs are from different machines ({told}), which alone may change ratios")
    if run_a.machine.get("python") != run_b.machine.get("python"):
        warnings.append(f"the runs used {run_a.machine.get('python')} and {run_b.machine.get('python')}")
    bases = [change for change in compared if change.verdict == "reference"]
    moved = [change for change in bases if change.version_a != change.version_b]
    names = dict.fromkeys(f"{one.cell.library} {one.version_a} and {one.version_b}" for one in moved)
    warnings += [
        f"the common baseline has two versions ({name}): if it changed, every ratio changes with it" for name in names
    ]
    return warnings


HISTORY = "Dots are mean CPU time, lines their 95% intervals over fresh processes"


def change_label(step: Step, least: float = 0.0) -> str:
    """The change in words and figures: "1.3× faster (1.2 to 1.4)"."""
    if step.change is not None and step.change_low == step.change_high:
        return "the first"
    return _change(step, least)


def history_tables(every: Sequence[Series], least: float = 0.0) -> Tables:
    """A table for each series: version, time, change and work class, or the reason why there is none."""
    return Tables([_table(series, least) for series in every])


def _table(series: Series, least: float) -> Table:
    rows = [step.row for step in series.steps]
    unit, name = words.unit_of([row.time_ns for row in rows if row.time_ns is not None])
    times = [f"{words.three_digits(row.time_ns / unit)} {name}" if row.time_ns else row.status for row in rows]
    columns = [
        Column("version", _labels(series), "left"),
        Column("time", times),
        Column("against the first", [change_label(step, least) for step in series.steps]),
        Column(
            words.VALIDATION,
            [words.class_words(row.work_class) if row.measured else row.reason or "" for row in rows],
            "left",
        ),
    ]
    return Table(f"{words.board_title(rows[0])} · {_legend(series)}", columns)


def history_closing(
    every: Sequence[Series], least: float, of: str, *, options: str = "", again: str = "", store: str = ""
) -> Closing:
    """Which version to use of a distribution, and how much faster or slower it is than the first that was measured.

    `options` choose the same data and formats for a gate, and `again` is the command that measures more precisely.
    """
    ends = [(series, step) for series in every if (step := _last(series)) is not None]
    newest = max((series.steps.index(step) for series, step in ends), default=0)  # which one codec may not have
    moved = [(series, _change(step, least)) for series, step in ends if series.steps.index(step) == newest]
    if (
        not moved
        and len(measured := {step.row.version for one in every for step in one.steps if step.row.measured}) == 1
    ):
        return Closing(
            f"only {of} {measured.pop()} was measured; name a second version to compare it with", tone="open"
        )
    if not moved:
        return Closing(
            "no two versions could be compared; -v has the reasons", tone="open", next=f"serbench show runs{store}"
        )
    worse = [text for _, text in moved if " slower " in text]
    better = [text for _, text in moved if " faster " in text]
    known = [step for step in moved[0][0].steps if step.change is not None]
    first, last = known[0].row, known[-1].row
    old, new = (f"{of} {row.version}" for row in (first, last))
    use = f"{old if worse and not better else new}, of {len(known)} versions"
    order = [" slower ", " faster ", words.NO_DIFFERENCE]
    told = [f"{_operation(one, of)} {text}" for kind in order for one, text in moved if kind in text]
    proven = [text for text in told if words.NO_DIFFERENCE not in text]
    unproven = len(moved) - len(proven)
    gains = told if unproven < 2 else [*proven, f"{words.NO_DIFFERENCE} in {unproven} of {len(moved)} comparisons"]
    gate = f"serbench gate --baseline {of}=={first.version} --candidate {of}=={last.version}{options}{store}"
    changes = words.noisy(f"{new} against {old}: {'; '.join(gains)}", least)
    many = f"{len(worse)} of {len(moved)} operations and codecs are slower" if worse else ""
    return Closing(
        use,
        "" if worse and not better else changes,
        changes if worse and not better else many,
        again if least else gate,
        "bad" if worse and not better else "good" if better else "open",
    )


def _last(series: Series) -> Step | None:
    """The last version that is compared with the first, which may not be the newest; None if there is none."""
    able = (step for step in reversed(series.steps) if step.change is not None and step.change_low != step.change_high)
    return next(able, None)


def _operation(series: Series, of: str) -> str:
    row = series.steps[0].row
    verb = words.VERBS.get(row.operation, row.operation)
    return verb if row.codec in (row.library, of) else f"{verb} via {words.codec_label(row)}"


def history_finding(every: Sequence[Series]) -> str:
    """A sentence on the largest change between versions."""
    changes = [(series, step) for series in every if (step := _last(series)) is not None]
    if not changes:
        return "No version could be measured twice"
    series, step = max(changes, key=lambda pair: abs(math.log(pair[1].change or 1)))
    if not is_proven(step.change, step.change_low, step.change_high):
        return f"No version from {series.steps[0].row.version} to {step.row.version} is proven faster or slower"
    factor, word = (step.change or 1, "slower") if (step.change or 1) > 1 else (1 / (step.change or 1), "faster")
    first = next(step.row.version for step in series.steps if step.change is not None)
    operation = words.VERBS.get(step.row.operation, step.row.operation)
    return f"{step.row.library} {step.row.version} {operation} {factor:.2g}× {word} than {first} ({step.row.codec})"


def history_figure(every: Sequence[Series], info: Origin) -> Figure:
    """Time over version: a panel for each operation and point, a line with 95% intervals for each codec."""
    able = [series for series in every if any(step.row.measured for step in series.steps)]
    codecs = list(dict.fromkeys(_legend(series) for series in every))
    ages: dict[str, int] = {}  # label → its place in the longest series that has it
    for series in sorted(every, key=lambda one: -len(one.steps)):
        ages = {label: age for age, label in enumerate(_labels(series))} | ages
    x = {"type": "category", "categoryorder": "array", "categoryarray": sorted(ages, key=ages.__getitem__)}
    panels: list[list[style.Panel]] = []
    for heading, members in grouped(able, lambda series: words.board_title(series.steps[0].row)).items():
        times = [step.row.time_ns for member in members for step in member.steps if step.row.time_ns]
        unit, unit_name = words.unit_of(times)
        dots = [dot for series in members for dot in _dots(series, codecs.index(_legend(series)), unit)]
        y = style.log_axis([end for dot in dots for end in dot.ends or ()], f"{unit_name} per operation")
        panels.append([style.lines(dots, x, y, style.markup(heading), is_named=not panels)])
    return style.draw(View(history_finding(every), every, [HISTORY]), info, panels, "light", legend="codec")


def _labels(series: Series) -> list[str]:
    """The version of each step, with its Python if that tells steps apart."""
    rows = [step.row for step in series.steps]
    several = len({row.python for row in rows if row.python}) > 1
    return [
        f"{row.version or row.environment}" + (f" ({row.python})" if several and row.python else "") for row in rows
    ]


def _legend(series: Series) -> str:
    row = series.steps[0].row
    return f"{words.codec_label(row)} {bracketed(row.variant)}".rstrip()


def _dots(series: Series, codec: int, unit: float) -> Iterator[Dot]:
    colour, symbol = (kinds[codec % len(kinds)] for kinds in (style.PALETTE, style.SYMBOLS))
    for label, step in zip(_labels(series), series.steps, strict=True):
        if step.row.time_ns is not None:
            time, ends = style.times(step.row, unit)
            told = f"{style.hover(step.row)}<br>{style.markup(change_label(step))}, against the first"
            yield Dot(label, time, told, ends, colour, symbol, of=style.markup(_legend(series)))
