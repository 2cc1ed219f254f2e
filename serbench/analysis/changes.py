"""The comparison of two runs in a terminal: what is proven first, and nothing left unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.sheet import hanging

if TYPE_CHECKING:
    from rich.console import Group

    from serbench.analysis.compare import Change, Comparison

STYLES = {"slower": "red", "faster": "green", "undecided": "yellow"}


def comparison_table(comparison: Comparison) -> Group:
    """A line for each case, by verdict, with the warnings above: they decide whether the rest means anything."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    for name in ("case", "data", "verdict"):
        grid.add_column(overflow="fold", ratio=3 if name == "verdict" else 2)
    for change in comparison.changes:
        style = STYLES.get(change.verdict, "")
        words = change.words + (f": {' '.join(change.reason.split())}" if change.reason else "")
        notes = f"{words} (source changed)" if change.source_changed else words
        grid.add_row(Text(_case(change)), Text(_data(change)), Text(notes, style=style))
    counts = {v: sum(c.verdict == v for c in comparison.changes) for v in ("slower", "faster", "same", "undecided")}
    total = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    bases = dict.fromkeys(change.base for change in comparison.changes if change.base)
    return Group(
        Text(f"run {comparison.run_b} against {comparison.run_a}: {total}", style="bold"),
        *(hanging("!", warning, style="yellow") for warning in comparison.warnings),
        grid,
        *(Text(f"ratios are to {base}", style="dim") for base in bases),
    )


def _case(change: Change) -> str:
    variant = "" if change.variant == "default" else f" [{change.variant}]"
    place = "" if change.environment == "main" else f" @{change.environment}"
    versions = dict.fromkeys(version for version in (change.version_a, change.version_b) if version)
    return f"{change.library}{variant}{place} {' → '.join(versions)} {display.codec_label(change)}"


def _data(change: Change) -> str:
    return f"{change.operation} {change.point.workload} · {change.point.records:,} · depth {change.point.depth}"
