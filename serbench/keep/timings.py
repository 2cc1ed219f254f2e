"""Expressions compared with each other, as a value: times with intervals, ranks with ties, and how far to trust them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.display import words
from serbench.display.table import Displayed, Side, Table, Tables
from serbench.errors import PlanError
from serbench.judge.rows import Row
from serbench.judge.rows import rows as rows_of
from serbench.measure import functions

WAVES = 6
FRESH = "each expression in a fresh process for every one of {waves} waves: the intervals hold what varies between processes"
LOCAL = "all in this process, because {reason}: what varies between processes is not in the intervals"
HEADINGS: dict[str, Side] = {"#": "right", "expression": "left", "time": "right", "interval": "right", "ratio": "right"}
TIMES = ("time_ns", "time_ns_low", "time_ns_high", "ratio", "ratio_low", "ratio_high", "rank", "waves", "samples")


@dataclass(frozen=True)
class Timings(Displayed):
    """The times of expressions.

    Attributes:
        rows: a row per expression, fastest first; `library` is its label, `ratio` its time over the first given.
        fresh: True if each wave had processes of its own.
        note: the same in words, with the reason.
    """

    rows: Sequence[Row]
    fresh: bool
    note: str

    def to_data(self) -> dict[str, Any]:
        """The timings as JSON data, times in ns."""
        facts = [
            {"expression": row.library, **{name: getattr(row, name) for name in ("status", "reason", *TIMES)}}
            for row in self.rows
        ]
        return {"fresh": self.fresh, "note": self.note, "rows": facts}

    def table(self) -> Tables:
        """A line for each expression."""
        table = Table.of_lines(HEADINGS, list(map(self._cells, self.rows)))
        return Tables([replace(table, sections=[("", len(self.rows))])], [self.note])

    def _cells(self, row: Row) -> tuple[str, ...]:
        if row.time_ns is None:
            return ("", row.library, row.status, row.reason or "", "")
        unit, name = words.unit_of([row.time_ns])
        low, time, high = (
            words.three_digits((value or 0) / unit) for value in (row.time_ns_low, row.time_ns, row.time_ns_high)
        )
        rank = words.rank_label(row, self.rows)
        return (rank, row.library, f"{time} {name}", f"{low} to {high}", words.ratio_label(row))


def time_expressions(
    expressions: Mapping[str, str | Callable[[], Any]],
    namespace: Mapping[str, Any] | None = None,
    *,
    waves: int = WAVES,
) -> Timings:
    """Time expressions, or functions without arguments, against each other.

    Args:
        expressions: a label for each; text is evaluated in `namespace`.
        namespace: the values of the names in texts.
        waves: the number of repetitions of everything, at least 2.

    Raises:
        PlanError: no expression, a text that is not an expression, or fewer than two waves.
    """
    if not expressions or waves < 2:
        raise PlanError("give at least one expression and at least two waves")
    names = dict(namespace or {})
    texts = {}
    for number, (label, expression) in enumerate(expressions.items()):
        if not isinstance(expression, str) and not builtins.callable(expression):
            raise PlanError(f"{label} must be a function or the text of an expression, not {type(expression).__name__}")
        if isinstance(expression, str):
            texts[f"expression_{number}"] = expression
        else:
            names[f"call_{number}"] = expression
            texts[f"expression_{number}"] = f"call_{number}()"
    benchmark, local = functions.benchmark_expressions(texts, names, waves=waves)
    cells = list(benchmark.cells.values())
    for cell, label in zip(cells, expressions, strict=True):
        cell.library, cell.status = label, "ok" if cell.status == "unresolved" else cell.status
    rows = rows_of(cells, benchmark.samples)
    note = LOCAL.format(reason=local) if local else FRESH.format(waves=waves)
    return Timings(rows, not local, note)
