"""The command that turns times and sizes into messages a second."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from serbench.ask.command_line.commands import AsJson, Given, command, read_text
from serbench.ask.command_line.printing import fail, print_json, print_rows, rounded, split
from serbench.ask.options import bits_per_second
from serbench.ask.running import load
from serbench.display.budget_figure import budget_sentence
from serbench.display.words import board_title, codec_label, library_label
from serbench.errors import check
from serbench.judge.budget import COMPRESSIONS, Budget, best, budgets, why_apart
from serbench.results import bracketed

_FIGURES = ("compression", "per_s", "bottleneck", "cpu_per_s", "line_per_s", "size_bytes")


@command(load)
def budget_command(
    given: Given,
    bandwidth: Annotated[
        float,
        typer.Option(
            "--bandwidth",
            metavar="RATE",
            parser=lambda text: read_text(bits_per_second, str(text), "--bandwidth"),
            help="Bandwidth of the connection, such as `56kbit/s` or `10Mbit/s` (default: `1Gbit/s`)",
            show_default=False,
        ),
    ] = 1e9,
    cores: Annotated[
        float,
        typer.Option(
            "--cores", metavar="N", help="Number of cores that do this work (default: `1`)", show_default=False
        ),
    ] = 1,
    compression: Annotated[
        list[str] | None,
        typer.Option(
            "--compression", metavar="NAME", help="`none`, `gzip` or `zstd` (default: the best for each case)"
        ),
    ] = None,
    operation: Annotated[
        list[str] | None,
        typer.Option(
            "--operation", "-o", metavar="NAME", help="Only these operations (default: all that were measured)"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute how many messages per second each case of a run can handle, and whether bandwidth or CPU is the limit."""
    for name in split(compression):
        check("compression", name, COMPRESSIONS)
    if not 0 < cores < float("inf"):
        fail(f"--cores takes a number above 0, not {cores:g}")
    chosen = [name for name in COMPRESSIONS if name in (split(compression) or COMPRESSIONS)]
    measured = [row for row in load(**given).rows if row.measured]
    boards: dict[tuple[Any, ...], list[Any]] = {}
    for row in measured:
        if not operation or row.operation in split(operation):
            boards.setdefault((row.point, row.operation, why_apart(row)), []).append(row)
    found = list(filter(None, (best(budgets(rows, bandwidth, cores, chosen)) for rows in boards.values())))
    rows = [_budget_row(one) for board in found for one in board]
    sentences = [budget_sentence(board) for board in found]
    if as_json:
        print_json({"bits_per_s": bandwidth, "cores": cores, "findings": sentences, "rows": rows})
        return
    if not rows:
        print("nothing has been measured that has a time and a size")
    for board, sentence in zip(found, sentences, strict=True):
        print(", ".join(filter(None, (board_title(board[0].row), why_apart(board[0].row)))))
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
    work_class, _, _ = (row.work_class or "").partition(" (")
    return rounded(
        {
            "case": f"{library_label(row)} {codec_label(row)}",
            "work class": work_class,
            "per s": one.per_s,
            "bottleneck": one.bottleneck,
            "compression": one.compression,
            "cpu per s": one.cpu_per_s,
            "line per s": one.line_per_s,
            "bytes": f"{one.size_bytes:,}",
        }
    )
