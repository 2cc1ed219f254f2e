"""A candidate beside its baseline: slower beyond a threshold, proven not to be, or undecided."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from serbench import statistics
from serbench.analysis import display
from serbench.analysis.control import cell_name
from serbench.analysis.rows import MEASURED, run_priors
from serbench.analysis.waves import Samples, cell_waves, paired_ratios
from serbench.engine.results import Cell

if TYPE_CHECKING:
    from rich.console import Group

Verdict = Literal["slower", "fine", "undecided", "broken", "missing"]
WORST: tuple[Verdict, ...] = ("slower", "broken", "undecided", "fine")


@dataclass(frozen=True)
class Check:
    """One case and operation: the candidate's time over the baseline's, with its 95 % interval over waves.

    `verdict` is "slower" where a slowdown beyond the threshold is proven (with Holm's correction over all
    checks), "fine" where it is proven absent (the interval's upper end is below the threshold), "broken"
    where the candidate fails and the baseline does not, "missing" where one of them has no such case and never will,
    which is nobody's fault, and "undecided" otherwise.
    """

    name: str
    operation: str
    verdict: Verdict
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    waves: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Gate:
    """What a comparison in the same waves says of a candidate; it displays itself."""

    baseline: str
    candidate: str
    threshold: float
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all checks that are not missing; "undecided" where there is none."""
        return next((word for word in WORST if any(check.verdict == word for check in self.checks)), "undecided")

    def to_data(self) -> dict[str, Any]:
        """The verdicts as JSON data."""
        return {
            "baseline": self.baseline,
            "candidate": self.candidate,
            "threshold": self.threshold,
            "verdict": self.verdict,
            "checks": [asdict(check) for check in self.checks],
        }

    def table(self) -> Group:
        """The verdicts as a Rich renderable."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("case", "operation", "change", "verdict", box=box.SIMPLE_HEAD, pad_edge=False)
        for check in self.checks:
            table.add_row(check.name, check.operation, change_label(check), check.verdict)
        reasons = [Text(f"- {check.name} {check.operation}: {check.reason}") for check in self.checks if check.reason]
        line = f"{self.verdict}: {self.candidate} against {self.baseline}, threshold {self.threshold:.1%}"
        return Group(table, *reasons, Text(line, style="bold"))

    def __rich__(self) -> Group:
        return self.table()

    def to_markdown(self) -> str:
        """The verdicts as a Markdown table, for the summary of a CI job."""
        lines = ["| case | operation | change | verdict |", "| :-- | :-- | --: | :-- |"]
        lines += [f"| {c.name} | {c.operation} | {change_label(c)} | {c.verdict} |" for c in self.checks]
        head = f"**{self.verdict}**: {self.candidate} against {self.baseline}, threshold {self.threshold:.1%}"
        return "\n".join([head, "", *lines, ""])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, Markdown for notebooks."""
        from serbench.analysis.tables import as_text

        return {"text/plain": as_text(self.table()), "text/markdown": self.to_markdown()}


def change_label(check: Check) -> str:
    """The change with its interval's half-width: "1.05× ± 0.01"."""
    if check.change is None or check.change_low is None or check.change_high is None:
        return ""
    return display.with_half_width(check.change, check.change_low, check.change_high)


def gate(
    cells: Sequence[Cell], samples: Samples, baseline: Collection[int], candidate: Collection[int], threshold: float
) -> tuple[Check, ...]:
    """Hold the candidate's cells (ids) against the baseline's, matched by data, codec, variant and operation.

    Where each side has one variant only, the two variants may differ.

    `threshold` is the slowdown that matters: 0.05 is 5 %.
    """
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    by_id = {cell.id: cell for cell in cells}
    alone = all(len({by_id[number].variant for number in side}) == 1 for side in (baseline, candidate))
    keys = {number: _key(by_id[number], by_variant=not alone) for number in (*baseline, *candidate)}
    old = {keys[number]: number for number in baseline}
    found: list[tuple[Cell, statistics.Estimate | None, Cell]] = []
    bases = {number: old[keys[number]] for number in candidate if keys[number] in old}
    ratios = paired_ratios(cells, samples, bases, waves)
    for cell, other in ((by_id[number], by_id[base]) for number, base in bases.items()):
        if cell.status == other.status == "unsupported":  # as of a codec that only reads
            continue
        shared = ratios.get(cell.id, {}) if {cell.status, other.status} <= set(MEASURED) else {}
        found.append((cell, statistics.estimate(list(shared.values()), prior) if shared else None, other))
    chances = [statistics.p_above(e, math.log1p(threshold)) if e else 1.0 for _, e, _ in found]
    slower = list(statistics.holm(chances)) if chances else []
    return tuple(_check(cell, e, other, p, threshold) for (cell, e, other), p in zip(found, slower, strict=True))


def _check(cell: Cell, change: statistics.Estimate | None, other: Cell, p: float, threshold: float) -> Check:
    verdict: Verdict = "undecided"
    name = f"{cell.library} {display.codec_label(cell)}, {cell.point.workload} {cell.point.records:,}"
    if change is None:
        failed = cell if cell.status not in MEASURED else other
        if failed.status == "unsupported":
            verdict = "missing"
        elif other.status in MEASURED and cell.status not in (*MEASURED, "unavailable"):
            verdict = "broken"
        return Check(name, cell.operation, verdict, reason=f"{cell_name(failed)}: {failed.reason or failed.status}")
    if p < 0.05:
        verdict = "slower"
    elif change.high < math.log1p(threshold):
        verdict = "fine"
    low, high = math.exp(change.low), math.exp(change.high)
    return Check(name, cell.operation, verdict, math.exp(change.mean), low, high, change.waves)


def _key(cell: Cell, *, by_variant: bool) -> tuple[Any, ...]:
    return (cell.point, cell.codec, cell.format, cell.operation, cell.variant if by_variant else None)
