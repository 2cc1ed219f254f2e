"""Expressions held against each other, as a value: times with intervals, ranks with ties, and how far to trust them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from serbench import analysis
from serbench.analysis import display
from serbench.engine.contest import contest
from serbench.names import PlanError

if TYPE_CHECKING:
    from rich.console import Group

WAVES = 6
FRESH = "each expression in a fresh process for every one of {waves} waves: the intervals hold what varies between processes"
HERE = "all in this process, because {reason}: what varies between processes is not in the intervals"
HEADINGS = ("#", "expression", "time", "interval", "ratio")


@dataclass(frozen=True)
class Timings:
    """What expressions took.

    Attributes:
        rows: a row per expression, fastest first; `library` is its label, `ratio` its time over the first given.
        fresh: whether each wave had processes of its own.
        note: the same in words, with the reason.
    """

    rows: Sequence[analysis.Row]
    fresh: bool
    note: str

    def to_data(self) -> dict[str, Any]:
        """The timings as JSON data, times in ns."""
        names = (
            "time_ns",
            "time_ns_low",
            "time_ns_high",
            "ratio",
            "ratio_low",
            "ratio_high",
            "rank",
            "waves",
            "samples",
        )
        facts = [
            {
                "expression": r.library,
                "status": r.status,
                "reason": r.reason,
                **{name: getattr(r, name) for name in names},
            }
            for r in self.rows
        ]
        return {"fresh": self.fresh, "note": self.note, "rows": facts}

    def __rich__(self) -> Group:
        """Rich's protocol: a table."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in HEADINGS:
            table.add_column(heading, justify="left" if heading == "expression" else "right", overflow="fold")
        for cells in self._cells():
            table.add_row(*map(Text, cells))
        return Group(table, Text(self.note, style="dim"))

    def __str__(self) -> str:
        return analysis.as_text(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, HTML for notebooks."""
        lines = [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>" for cells in self._cells()]
        heading = "".join(f"<th>{name}</th>" for name in HEADINGS)
        html = f"<table><tr>{heading}</tr>{''.join(lines)}</table><p><small>{escape(self.note)}</small></p>"
        return {"text/plain": str(self), "text/html": html}

    def _cells(self) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for row in self.rows:
            if row.time_ns is None:
                found.append(("", row.library, row.status, row.reason or "", ""))
                continue
            unit, name = display.unit_of([row.time_ns])
            low, time, high = (
                display.three_digits((value or 0) / unit) for value in (row.time_ns_low, row.time_ns, row.time_ns_high)
            )
            rank = display.rank_label(row, self.rows)
            found.append((rank, row.library, f"{time} {name}", f"{low} to {high}", display.ratio_label(row)))
        return found


def time_expressions(
    expressions: Mapping[str, str | Callable[[], Any]],
    namespace: Mapping[str, Any] | None = None,
    *,
    waves: int = WAVES,
) -> Timings:
    """Time expressions, or functions without arguments, against each other.

    Args:
        expressions: a label for each; text is evaluated in `namespace`.
        namespace: where the names in texts are looked up.
        waves: how often everything is repeated, at least twice.

    Raises:
        PlanError: fewer than one expression, a text that is none, or fewer than two waves.
    """
    if not expressions or waves < 2:
        raise PlanError("there must be an expression to time, and at least two waves")
    names = dict(namespace or {})
    texts = {}
    for number, (label, given) in enumerate(expressions.items()):
        if not isinstance(given, str) and not builtins.callable(given):
            raise PlanError(f"{label} must be a function or the text of an expression, not {type(given).__name__}")
        if isinstance(given, str):
            texts[f"expression_{number}"] = given
        else:
            names[f"call_{number}"] = given
            texts[f"expression_{number}"] = f"call_{number}()"
    done = contest(texts, names, waves=waves)
    for cell, label in zip(done.cells, expressions, strict=True):
        cell.library, cell.status = label, "ok" if cell.status == "unresolved" else cell.status
    rows = analysis.rows(done.cells, done.samples)
    note = HERE.format(reason=done.here) if done.here else FRESH.format(waves=waves)
    return Timings(rows, not done.here, note)
