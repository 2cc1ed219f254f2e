"""The verdict on a candidate, with its checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from serbench.display import words
from serbench.display.closing import Closing, Tone, again
from serbench.display.escapes import escaped
from serbench.display.table import Column, Table, Tables
from serbench.display.values import Displayed
from serbench.judge.compare import Change
from serbench.judge.gate import Check, GateVerdict
from serbench.results import grouped

WORST: tuple[GateVerdict, ...] = ("slower", "broken", "undecided", "fine")


@dataclass(frozen=True)
class Gate(Displayed):
    """A candidate against its baseline, measured in the same waves; it displays itself.

    A change below `least` is noise. `store` is the option that names the store of its run.
    """

    baseline: str
    candidate: str
    threshold: float
    checks: tuple[Check, ...]
    least: float = 0.0
    store: str = ""

    @property
    def verdict(self) -> GateVerdict:
        """The worst of all checks that are not missing; "undecided" if there is none."""
        return next((word for word in WORST if any(check.verdict == word for check in self.checks)), "undecided")

    def to_data(self) -> dict[str, Any]:
        """The verdicts as JSON data."""
        facts = {"baseline": self.baseline, "candidate": self.candidate, "threshold": self.threshold}
        checks = [{"name": _name(one), "operation": one.cell.operation} | figures(one) for one in self.checks]
        return {**facts, "verdict": self.verdict, "checks": checks}

    def table(self) -> Tables:
        """The verdicts, the gate's own first."""
        columns = [
            Column("case", list(map(_name, self.checks)), "left"),
            Column("operation", [check.cell.operation for check in self.checks], "left"),
            Column("change", [_change(check, self.least) for check in self.checks]),
            Column("verdict", [check.verdict for check in self.checks], "left"),
        ]
        reasons = [f"{_name(one)} {one.cell.operation}: {one.reason}" for one in self.checks if one.reason]
        return Tables([Table(f"{self.verdict}: {self._compared}", columns, notes=reasons)])

    def closing(self, command: str = "") -> Closing:
        """The last lines in a terminal: whether to take the candidate, and what changes."""
        limit = f"{self.threshold:.1%}"
        count = words.counted(len(self.checks), "check")
        answers: dict[str, tuple[str, Tone]] = {
            "fine": (f"{self.candidate}: no slowdown beyond {limit} in {count}", "good"),
            "slower": (f"{self.baseline}: {self.candidate} is slower by more than {limit}", "bad"),
            "broken": (f"{self.baseline}: {self.candidate} fails where it does not", "bad"),
        }
        use, tone = answers.get(self.verdict, (f"no verdict: noise hides a slowdown of {limit}", "open"))
        changes = [f"{one.cell.operation} {change}" for one in self._told if (change := _change(one, self.least))]
        cost = next((f"{_name(one)} {one.cell.operation}: {one.reason}" for one in self.checks if one.reason), "")
        once_more = tone == "open" or self.least
        following = again(command, "", self.store) if once_more else f"serbench run --stored latest{self.store}"
        return Closing(use, words.noisy("; ".join(changes), self.least), cost, following if command else "", tone)

    @property
    def _told(self) -> list[Check]:
        """The worst check of each operation."""
        known = [one for one in self.checks if one.change is not None]
        by_operation = grouped(known, lambda one: one.cell.operation)
        return [max(members, key=lambda one: one.change or 0.0) for members in by_operation.values()]

    def to_markdown(self) -> str:
        """The verdicts as Markdown, for the summary of a CI job."""
        (table,) = self.table().tables
        return f"**{self.verdict}**: {escaped(self._compared)}\n\n{replace(table, title='').to_markdown()}\n"

    @property
    def _compared(self) -> str:
        return f"{self.candidate} against {self.baseline}, threshold {self.threshold:.1%}"


def _change(check: Check, least: float) -> str:
    return words.difference_words(check.change, check.change_low, check.change_high, least)


def _name(check: Check) -> str:
    cell = check.cell
    return f"{words.case_words(cell.library, cell.library, cell.codec, cell.format)}, {cell.workload} {cell.records:,} {cell.conditions}"


def figures(one: Check | Change) -> dict[str, Any]:
    """All that a comparison says of a cell, as JSON data."""
    return {name: value for name, value in vars(one).items() if name != "cell"}
