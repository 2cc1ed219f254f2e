"""The verdict on a candidate, with its checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.display import words
from serbench.display.closing import Closing, Tone
from serbench.display.escapes import escaped
from serbench.display.next_command import again
from serbench.display.table import Column, Table, Tables
from serbench.display.values import Displayed
from serbench.judge.compare import Change
from serbench.judge.gate import Check, GateVerdict
from serbench.results import bracketed, grouped

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
        limit, candidate = _percent(self.threshold), _named(self.candidate)
        verdicts = [check.verdict for check in self.checks]
        fine = words.counted(verdicts.count("fine"), "check")
        share = f" in {verdicts.count(self.verdict)} of {len(verdicts)} checks" if len(verdicts) > 1 else ""
        answers: dict[str, tuple[str, Tone]] = {
            "fine": (f"{candidate}: no slowdown beyond {limit} in {fine}", "good"),
            "slower": (f"{_named(self.baseline)}: {candidate} is slower by more than {limit}{share}", "bad"),
            "broken": (f"{_named(self.baseline)}: {candidate} fails where it does not{share}", "bad"),
        }
        use, tone = answers.get(self.verdict, (f"no verdict: noise hides a slowdown of {limit}", "open"))
        cost = next((f"{_name(one)} {one.cell.operation}: {one.reason}" for one in self.checks if one.reason), "")
        once_more = tone == "open" or self.least or not self.run
        following = again(command, "", self.store) if once_more else f"serbench run --stored {self.run}{self.store}"
        changes = "; ".join(self._changes())
        told = words.noisy_part(changes, self.least)
        if " slower " in changes and " faster " not in changes:
            return Closing(use, "", "; ".join(filter(None, (told, cost))), following if command else "", tone)
        return Closing(use, told, cost, following if command else "", tone)

    def _changes(self) -> Iterator[str]:
        """What changes in each operation; of more than two checks the slowest and the fastest, and how many others prove nothing."""
        known = sorted((one for one in self.checks if one.change is not None), key=lambda one: -(one.change or 0.0))
        for operation, checks in grouped(known, lambda one: one.cell.operation).items():
            proven = [one for one in checks if _change(one, self.least) != words.NO_DIFFERENCE]
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
    def _compared(self) -> str:
        return f"{_named(self.candidate)} against {_named(self.baseline)}, threshold {_percent(self.threshold)}"


def _named(side: str) -> str:
    """A side as sentences name it; "." is the work tree of git."""
    return "the work tree" if side == "." else side


def _percent(part: float) -> str:
    return f"{part * 100:.3g}%"


def _change(check: Check, least: float) -> str:
    return words.difference_words(check.change, check.change_low, check.change_high, least)


def _where(check: Check, checks: Sequence[Check]) -> str:
    """What tells a check from the others of its operation: " via orjson", " (client · 10 records · depth 2)"."""
    cell = check.cell
    told: dict[str, set[Any]] = {
        bracketed(cell.variant): {one.cell.variant for one in checks},
        f"via {words.codec_label(cell)}": {(one.cell.codec, one.cell.format) for one in checks},
        f"({words.point_words(cell.point)})": {one.cell.point for one in checks},
    }
    return "".join(f" {text}" for text, several in told.items() if text and len(several) > 1)


def _name(check: Check) -> str:
    cell = check.cell
    return f"{words.case_words(cell.library, cell.library, cell.codec, cell.format)}, {cell.workload} {cell.records:,} {cell.conditions}"


def figures(one: Check | Change) -> dict[str, Any]:
    """All that a comparison says of a cell, as JSON data."""
    return {name: value for name, value in vars(one).items() if name != "cell"}
