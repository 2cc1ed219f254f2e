"""The commands that prove without timing: verify and selfcheck."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from serbench.api.calling import arguments, passed, plan_of
from serbench.api.command_line.commands import AS_JSON, Choices, command, command_text, own, watched
from serbench.api.command_line.printing import (
    end_measured,
    fail,
    print_json,
    print_named_rows,
    print_result,
    print_rows,
    rounded,
    tell_what_differs,
    tell_what_is_lost,
    write,
)
from serbench.api.selfcheck import selfcheck
from serbench.api.showing import has_records
from serbench.api.verifying import EVERY_FORMAT, FACTS, probe, probed, stream, sweep, verify
from serbench.display.matrices import (
    behaviours_data,
    one_for_each_case,
    outcomes_markdown,
    swept_lines,
    swept_rows,
    tally,
)
from serbench.display.words import with_models_named
from serbench.measure.options import Fit
from serbench.results import Cell

_SHOWN = [name for name in FACTS if name not in ("operation", "reason")]


def _question(function: Callable[..., Any], *outputs: str) -> tuple[Fit]:
    """With what an option that asks another question goes: what the function that answers it takes."""
    return (Fit(leaves=(*arguments(function), *outputs, "as_json"), why="is a separate question"),)


@command(verify)
def verify_command(
    choices: Choices,
    everything: bool = own(
        "Try every probe with every installed or chosen library and codec", "--all", fits=_question(probe, "output")
    ),
    values: int | None = own(
        "Draw N random values of each type, and find those that a library + format changes",
        "--sweep N",
        fits=_question(sweep),
    ),
    file_size: int | None = own(
        "Write records one by one into a file of at least this size, such as `64M`, and read them back with little memory",
        "--stream SIZE",
        fits=_question(stream),
    ),
    output: Path | None = own(
        "File for the outcomes as Markdown: libraries by workloads, with reasons; with `--all`, what happens to each value and wrong input",
        "--output FILE",
        writes=True,
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Prove that no data is lost, and try wrong input, without timing.

    Exit with 1 if a row fails.

    With --all and --sweep a request may take 10 s.
    """
    if file_size is not None:
        _stream({**choices, "size": file_size}, as_json=as_json)
    elif values is not None:
        _sweep({**choices, "values": values}, as_json=as_json)
    elif everything:
        _probe({"libraries": "installed", "formats": EVERY_FORMAT, **choices}, output, as_json=as_json)
    else:
        _verify(choices, output, as_json=as_json)


def _verify(choices: Choices, output: Path | None, *, as_json: bool) -> None:
    """Print what was proven of each case; exit with 1 if one fails, or a named library was not verified."""
    cells = watched(verify, choices)
    known = probed(**passed(probed, choices)) if has_records(plan_of(choices)) else []
    unknown = {one.case: one for one in known if one.unknown_keys}

    def fate(cell: Cell) -> str | None:
        """The fate of an unknown key, and of which version it is known if that is another."""
        one = unknown.get((cell.library, cell.variant, cell.environment, cell.format, cell.codec))
        if one is None or cell.status != "ok":
            return None
        return one.unknown_keys if one.version == cell.version else f"{one.unknown_keys} in {one.version}"

    rows = [
        {
            **{name: getattr(cell, name) for name in _SHOWN},
            "unknown_keys": fate(cell),
            "reason": reason,
        }
        for cell, reason in one_for_each_case(cells)
    ]
    write(output, lambda: outcomes_markdown(cells, command_text()))
    print_named_rows("rows", rows if as_json else with_models_named(rows), as_json=as_json, nothing="nothing is chosen")
    if any(cell.status not in ("ok", "unsupported", "unavailable") for cell in cells):
        raise click.exceptions.Exit(1)
    lacking = {(cell.library, cell.environment) for cell in cells if cell.status == "unavailable"}
    end_measured(
        ((cell, (cell.library, cell.environment) not in lacking or cell.status == "ok") for cell in cells),
        choices,
        "verified",
    )


def _probe(choices: Choices, output: Path | None, *, as_json: bool) -> None:
    """Print what each case does with every probe; each outcome is an answer, never a failure."""
    outcomes = watched(probe, choices)
    write(output, lambda: outcomes.to_markdown(command_text()))
    if as_json:
        print_json({"cases": behaviours_data(outcomes)})
    else:
        print_rows(list(map(tally, outcomes)), nothing="nothing is chosen")
    end_measured(((outcome, outcome.reason is None) for outcome in outcomes), choices, "probed")


def _sweep(choices: Choices, *, as_json: bool) -> None:
    """Print how many values each case keeps, and each difference in a line; exit with 1 if there is one."""
    swept = watched(sweep, choices)
    if as_json:
        print_json({"rows": [asdict(one) for one in swept]})
    else:
        print_rows(swept_rows(swept), nothing="nothing is chosen")
        for line in swept_lines(swept):
            print(line)
    if any(one.differences for one in swept):
        raise click.exceptions.Exit(1)
    end_measured(((one, one.reason is None) for one in swept), choices, "swept")


def _stream(choices: Choices, *, as_json: bool) -> None:
    for name in ("workload", "records", "depth"):
        value, *more = choices.get(name, (None,))
        if more:
            fail(f"--stream takes one value of --{name}")
        if value is not None:
            choices[name] = value
    tell_what_is_lost(choices)
    rows = [asdict(one) for one in stream(**choices)]
    tell_what_differs(choices)
    print_named_rows("rows", rows, as_json=as_json, nothing="nothing is chosen", shown=rounded)


@command(selfcheck)
def selfcheck_command(
    choices: Choices,
    stored: bool = own(
        "Measure nothing; show what was measured before",
        "--stored",
        fits=(Fit(replaces=("parts",), why="shows all parts"),),
    ),
    output: Path | None = own("File for the parts and their results, as JSON", "--output FILE", writes=True),
    as_json: bool = AS_JSON,
) -> None:
    """Measure the accuracy of serbench's own figures.

    Exit with 1 if a target is not met.
    """
    results = watched(selfcheck, choices, measure=not stored)
    write(
        output,
        lambda: json.dumps(results.to_data(), ensure_ascii=False) + "\n",
        "with --stored write the parts, which are stored, elsewhere",
    )
    print_result(results, as_json=as_json)
    if not results.met:
        raise click.exceptions.Exit(1)
