"""Prints times and sizes as messages a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from serbench.ask.command_line.printing import print_json, print_rows, rounded
from serbench.display.budget_figure import budget_sentence
from serbench.display.words import board_title, case_name, class_words
from serbench.judge.budget import COMPRESSIONS, Budget, best, budgets, why_incomparable
from serbench.results import bracketed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serbench.keep.run import Run

_FIGURES = ("compression", "per_s", "bottleneck", "cpu_per_s", "line_per_s", "size_bytes")


def print_budgets(
    run: Run,
    bandwidth: float,
    cores: float,
    compressions: Sequence[str],
    operations: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Print the messages a second of each case of a run, and which limits them: the line or the cores.

    The bandwidth is in bits a second. All compressions, or all operations, are taken if none is named.
    """
    chosen = [name for name in COMPRESSIONS if name in (compressions or COMPRESSIONS)]
    boards: dict[tuple[Any, ...], list[Any]] = {}
    for row in run.rows:
        if row.measured and (not operations or row.operation in operations):
            boards.setdefault((row.point, row.operation, why_incomparable(row)), []).append(row)
    computed = list(filter(None, (best(budgets(rows, bandwidth, cores, chosen)) for rows in boards.values())))
    rows = [_budget_row(one) for board in computed for one in board]
    sentences = [budget_sentence(board, run.least) for board in computed]
    if as_json:
        print_json({"bits_per_s": bandwidth, "cores": cores, "findings": sentences, "rows": rows})
        return
    if not rows:
        print("nothing has been measured that has a time and a size")
    for board, sentence in zip(computed, sentences, strict=True):
        print(", ".join(filter(None, (board_title(board[0].row), why_incomparable(board[0].row)))))
        print_rows([_budget_line(one) for one in board], nothing="")
        print(f"{sentence}\n")


def _budget_row(one: Budget) -> dict[str, Any]:
    row = one.row
    return {
        "data": f"{row.workload} {row.records} {row.conditions}",
        "operation": row.operation,
        "library": f"{row.library}{bracketed(row.variant)}",
        "codec": f"{row.codec}/{row.format}",
        "work_class": row.work_class,
        **{name: getattr(one, name) for name in _FIGURES},
    }


def _budget_line(one: Budget) -> dict[str, Any]:
    """Return a line for people: the case, its messages a second, and what limits them."""
    row = one.row
    return rounded(
        {
            "case": case_name(row),
            "work class": class_words(row.work_class).partition(" (")[0],
            "per s": one.per_s,
            "bottleneck": one.bottleneck,
            "compression": one.compression,
            "cpu per s": one.cpu_per_s,
            "line per s": one.line_per_s,
            "bytes": f"{one.size_bytes:,}",
        }
    )
