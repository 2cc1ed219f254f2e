"""The comparison of two runs: the proven changes first, and warnings about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from serbench.display import words
from serbench.display.closing import Closing, Tone
from serbench.display.gate import figures
from serbench.display.table import Column, Table, Tables
from serbench.display.values import Displayed
from serbench.errors import PlanError
from serbench.judge.compare import Change, changes
from serbench.judge.control import control
from serbench.judge.relation import least_difference
from serbench.results import Cell, MeasuredRun, bracketed

STYLES = {"slower": "red", "faster": "green", "undecided": "yellow"}
IDENTITY = ("operation", "library", "variant", "environment", "codec", "format")
SAME_MACHINE = ("cpu", "cores", "architecture", "system")


@dataclass(frozen=True)
class Comparison(Displayed):
    """The changes from one run to another, and warnings about them; it displays itself.

    A change below `least` is noise. `store` is the option that names the store of both.
    """

    run_a: str
    run_b: str
    changes: list[Change]
    warnings: list[str]
    least: float = 0.0
    store: str = ""

    def to_data(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        facts = {name: value for name, value in vars(self).items() if name != "store"}
        return facts | {"changes": list(map(_data_of, self.changes))}

    def finding(self) -> str:
        """What has changed, in a sentence: the largest proven change, and the versions that differ."""
        moved = dict.fromkeys(
            f"{one.cell.library} {one.version_a} → {one.version_b}"
            for one in self.changes
            if one.version_a and one.version_b and one.version_a != one.version_b
        )
        versions = f"versions: {', '.join(moved)}" if moved else "no version differs"
        proven = [one for one in self.changes if one.verdict in ("slower", "faster")]
        if proven:
            most = max(proven, key=lambda one: abs(math.log(one.change or 1)))
            others = f", and {len(proven) - 1} more" if len(proven) > 1 else ""
            case = words.case_words(most.cell.library, most.cell.library, most.cell.codec, most.cell.format)
            return f"{case} {most.cell.operation} has become {change_words(most)}{others}; {versions}"
        known = sum(one.verdict == "same" for one in self.changes)
        return f"no case is proven faster or slower, {known} are proven the same within 5 %; {versions}"

    def closing(self) -> Closing:
        """The last lines in a terminal: which run's versions to use, what changed most, and what is not known."""
        worse, better, open_ = (
            [one for one in self.changes if one.verdict == verdict] for verdict in ("slower", "faster", "undecided")
        )
        tone: Tone = "bad" if len(worse) > len(better) else "good" if better else "open"
        alike = not any(one.version_a != one.version_b or one.source_changed for one in self.changes)
        tone = "open" if alike else tone
        use = {"bad": f"what run {self.run_a} has", "good": f"what run {self.run_b} has"}.get(
            tone, "either: both runs measured the same versions and code" if alike else "either of the two"
        )
        told = [max(some, key=lambda one: abs(math.log(one.change or 1))) for some in (worse, better) if some]
        gains = [f"{_case(one)} {one.cell.operation} {_difference(one)}" for one in told] or ["no proven difference"]
        compared = sum(one.change is not None and one.verdict != "reference" for one in self.changes)
        cost = f"{len(worse)} slower, {len(better)} faster, {len(open_)} undecided of {compared}"
        noise = words.noisy_part("; ".join(gains), self.least)
        return Closing(use, noise, cost, f"serbench report --html page --run {self.run_b}{self.store}", tone)

    def table(self) -> Tables:
        """A line for each case, by verdict, below the warnings."""
        verdicts = [change.verdict for change in self.changes]
        total = ", ".join(f"{verdicts.count(name)} {name}" for name in ("slower", "faster", "same", "undecided"))
        columns = [
            Column("", [_case(change) for change in self.changes], "left"),
            Column("", [_data(change.cell) for change in self.changes], "left"),
            Column("", [_notes(one) for one in self.changes], "left", styles=[STYLES.get(v, "") for v in verdicts]),
        ]
        total = f"run {self.run_b} against {self.run_a}: {total}"
        bases = dict.fromkeys(change.base for change in self.changes if change.base)
        title = words.noisy(self.finding(), self.least)
        table = Table(title, columns, [(total, len(self.changes))], self.warnings)
        return Tables([table], about=[f"ratios are to {base}" for base in bases])


def compare_runs(run_a: MeasuredRun, run_b: MeasuredRun, store: str = "") -> Comparison:
    """The changes from run A to run B, with warnings.

    Raises:
        PlanError: the runs have no measured case in common.
    """
    least = least_difference(*(control(run.cells, run.samples) for run in (run_a, run_b)))
    compared = changes(run_a, run_b, least)
    if all(change.verdict == "missing" for change in compared):
        again = (
            f"measure again with `{run_a.info.command}`" if run_a.info.command else "measure both with the same options"
        )
        raise PlanError(
            f"runs {run_a.id} and {run_b.id} have no measured case in common; {again}, and compare that run"
        )
    return Comparison(run_a.id, run_b.id, compared, _warnings(run_a, run_b, compared), least, store)


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


def _difference(change: Change) -> str:
    return words.difference_words(change.change, change.change_low, change.change_high)


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
    return f"{cell.operation} {cell.workload} · {cell.records:,} · depth {cell.depth} · {cell.conditions}"


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
        f"the common reference has two versions ({name}): if it changed, every ratio changes with it" for name in names
    ]
    return warnings
