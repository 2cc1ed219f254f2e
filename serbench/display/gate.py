"""The verdict on a candidate, with its checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from serbench.display import words
from serbench.display.table import Column, Table, Tables, escaped
from serbench.display.values import Displayed
from serbench.judge.compare import Change
from serbench.judge.gate import Check, GateVerdict

WORST: tuple[GateVerdict, ...] = ("slower", "broken", "undecided", "fine")


@dataclass(frozen=True)
class Gate(Displayed):
    """A candidate against its baseline, measured in the same waves; it displays itself."""

    baseline: str
    candidate: str
    threshold: float
    checks: tuple[Check, ...]

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
            Column("change", [words.with_half_width(c.change, c.change_low, c.change_high) for c in self.checks]),
            Column("verdict", [check.verdict for check in self.checks], "left"),
        ]
        reasons = [f"{_name(one)} {one.cell.operation}: {one.reason}" for one in self.checks if one.reason]
        return Tables([Table(f"{self.verdict}: {self._compared}", columns, notes=reasons)])

    def to_markdown(self) -> str:
        """The verdicts as Markdown, for the summary of a CI job."""
        (table,) = self.table().tables
        return f"**{self.verdict}**: {escaped(self._compared)}\n\n{replace(table, title='').to_markdown()}\n"

    @property
    def _compared(self) -> str:
        return f"{self.candidate} against {self.baseline}, threshold {self.threshold:.1%}"


def _name(check: Check) -> str:
    cell = check.cell
    return f"{cell.library} {words.codec_label(cell)}, {cell.workload} {cell.records:,} {cell.conditions}"


def figures(one: Check | Change) -> dict[str, Any]:
    """All that a comparison says of a cell, as JSON data."""
    return {name: value for name, value in vars(one).items() if name != "cell"}
