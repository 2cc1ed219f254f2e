"""The commands that judge: compare, history, gate and recommend."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from serbench.api.calling import arguments, passed
from serbench.api.command_line.commands import AS_JSON, VERBOSE, Choices, command, command_text, own, saying, watched
from serbench.api.command_line.printing import (
    UNDECIDED,
    end_run,
    end_unmeasured,
    fail,
    print_answer,
    print_code,
    print_json,
    print_rows,
    rounded,
    showing,
    writing,
)
from serbench.api.comparing import Timings, compare
from serbench.api.judging import gate, history, recommend
from serbench.api.running import load, run
from serbench.api.showing import describe
from serbench.display.views import budget_sentence
from serbench.display.words import COMBINATION, VALIDATION, board_title, case_name, class_words
from serbench.errors import check
from serbench.judge.figures import COMPRESSIONS, Budget, best, budgets, why_incomparable
from serbench.judge.rows import differing_facts
from serbench.machine.files import append_to_file
from serbench.measure.options import Fit, decimal
from serbench.render.user_class.conversion import left, limited, within
from serbench.results import bracketed, grouped

_FOR_EVERY_CASE = (Fit(replaces=("demands", "present", "verbose"), why="is computed for every case"),)
_FIGURES = ("compression", "per_s", "bottleneck", "cpu_per_s", "line_per_s", "size_bytes")


@command(compare)
def compare_command(choices: Choices, as_json: bool = AS_JSON, verbose: bool = VERBOSE) -> None:
    """Compare your own functions, or two stored runs.

    Exit with 1 if a function fails.
    """
    names = choices.pop("compared")
    compared = watched(lambda **more: compare(*names, **more), choices)
    if not isinstance(compared, Timings):
        print_answer(compared, as_json=as_json, verbose=verbose)
        return
    tables = replace(compared.table(), notes=compared.notes)  # the closing lines say what follows from it
    closing = compared.closing(command_text(), choices.get("effort", ""))
    print_answer(compared, tables, closing, as_json=as_json, verbose=verbose)
    if compared.failed:
        raise click.exceptions.Exit(1)


@command(history)
def history_command(
    choices: Choices,
    output: Path | None = own(
        "Folder for the run's tables, `history.md`, and the figure as a page, `history.html`",
        "--output DIR",
        writes=True,
    ),
    as_json: bool = AS_JSON,
    verbose: bool = VERBOSE,
) -> None:
    """Measure several versions of one library side by side."""
    versions = watched(history, choices)
    end_unmeasured(versions.run)
    with showing(versions.run):
        if output is not None:
            with writing():
                for path in versions.write(output):
                    print(path, file=sys.stderr)
        print_answer(versions, as_json=as_json, verbose=verbose)
        end_run(versions.run)


@command(gate)
def gate_command(
    choices: Choices,
    output: Path | None = own(
        "File to which the verdicts are appended as Markdown, such as the job summary in CI",
        "--output FILE",
        writes=True,
    ),
    as_json: bool = AS_JSON,
    verbose: bool = VERBOSE,
) -> None:
    """Decide whether a candidate is slower than a baseline, for CI.

    Exit with 1 if it is proven slower, 0 if it is proven not to be, 3 if neither is proven.
    """
    decision = watched(gate, choices)
    if output is not None:
        with writing():
            append_to_file(output, decision.to_markdown())
    print_answer(decision, closing=decision.closing(command_text()), as_json=as_json, verbose=verbose)
    if decision.verdict != "fine":
        raise click.exceptions.Exit(UNDECIDED if decision.verdict == "undecided" else 1)


@command(recommend)
def recommend_command(
    choices: Choices,
    file: str | None = own(
        "Your own file, measured instead of a workload; its types are shown first",
        "FILE",
        fits=(Fit(replaces=("payload", "workload", "model", "measured"), why="is the data to measure"),),
    ),
    bandwidth: float | None = own(
        "Compute messages per second for this bandwidth instead, such as `56kbit/s` or `10Mbit/s` (default: `1Gbit/s`)",
        "--bandwidth RATE",
        fits=_FOR_EVERY_CASE,
    ),
    cores: float | None = own(
        "Compute the same for this number of cores (default: `1`)",
        "--cores N",
        fits=_FOR_EVERY_CASE,
        read=decimal,
    ),
    compression: list[str] | None = own(
        "Compute the same for `none`, `gzip` or `zstd` (default: the best for each)",
        "--compression NAME",
        fits=_FOR_EVERY_CASE,
    ),
    as_json: bool = AS_JSON,
    verbose: bool = VERBOSE,
) -> None:
    """Measure your data, and recommend a library and format.

    With --bandwidth, compute messages per second instead.
    """
    with within(choices.get("budget")):  # what shows the file takes of it too
        if file is not None:
            choices["payload"] = file
            if not as_json:
                _show_file(file, choices)
        if (bandwidth, cores, compression) != (None, None, None):
            _recommend_for_a_line(
                choices, bandwidth or 1e9, 1.0 if cores is None else cores, compression or COMPRESSIONS, as_json
            )
            return
        advice = watched(recommend, choices)
        end_unmeasured(advice.run)
        with showing(advice.run):
            if file is not None and not as_json:
                print_code(advice.code, whole=verbose)
            print_answer(advice, advice.evidence(), as_json=as_json, verbose=verbose)
            end_run(advice.run)


def _show_file(file: str, choices: Choices) -> None:
    step, budget = f"reading {Path(file).name}", choices.get("budget")
    with saying(step), nullcontext() if budget is None else limited(left(budget), step):
        text = describe(**{name: value for name, value in choices.items() if name in arguments(describe)})
    print(text, flush=True)


def _recommend_for_a_line(
    choices: Choices, bandwidth: float, cores: float, compressions: Sequence[str], as_json: bool
) -> None:
    """Print the messages a second of each case of a stored run, or of one that is measured now, and what limits them."""
    for name in compressions:
        check("compression", name, COMPRESSIONS)
    if not 0 < cores < float("inf"):
        fail(f"--cores takes a number above 0, not {cores:g}")
    if "measured" in choices:
        measured = load(choices["measured"], store=choices.get("store"))
    else:
        measured = watched(run, passed(run, {"effort": "quick", **choices}))
        end_unmeasured(measured)
    wanted = choices.get("operations")
    shown = [row for row in measured.rows if row.measured and (wanted is None or row.operation in wanted)]
    boards = grouped(shown, lambda row: (row.point, row.operation, why_incomparable(row)))
    chosen = [name for name in COMPRESSIONS if name in compressions]
    computed = list(filter(None, (best(budgets(rows, bandwidth, cores, chosen)) for rows in boards.values())))
    sentences = [budget_sentence(board, measured.least) for board in computed]
    if as_json:
        rows = [_budget_row(budget) for board in computed for budget in board]
        print_json({"bits_per_s": bandwidth, "cores": cores, "findings": sentences, "rows": rows})
    elif not computed:
        print("no measured result has both a time and a size")
    else:
        for board, sentence in zip(computed, sentences, strict=True):
            print(", ".join(filter(None, (board_title(board[0].row), why_incomparable(board[0].row)))))
            several = differing_facts(budget.row for budget in board)
            print_rows([_budget_line(budget, several) for budget in board], nothing="")
            print(f"{sentence}\n")
    if "measured" not in choices:
        end_run(measured)


def _budget_row(budget: Budget) -> dict[str, Any]:
    row = budget.row
    return {
        "data": f"{row.workload} {row.records} {row.conditions}",
        **{name: getattr(row, name) for name in ("workload", "records", "depth", "conditions", "operation")},
        "library": f"{row.library}{bracketed(row.variant)}",
        "environment": row.environment,
        "version": row.version,
        "codec": f"{row.codec}/{row.format}",
        "work_class": row.work_class,
        **{name: getattr(budget, name) for name in _FIGURES},
    }


def _budget_line(budget: Budget, several: Mapping[str, AbstractSet[str]]) -> dict[str, Any]:
    return rounded(
        {
            COMBINATION: case_name(budget.row, several),
            VALIDATION: class_words(budget.row.work_class).partition(" (")[0],
            "per s": budget.per_s,
            "bottleneck": budget.bottleneck,
            "compression": budget.compression,
            "cpu per s": budget.cpu_per_s,
            "line per s": budget.line_per_s,
            "bytes": f"{budget.size_bytes:,}",
        }
    )
