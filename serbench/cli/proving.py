"""The commands that prove without timing: verify, hostile, stream and selfcheck."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from serbench.api.calling import arguments, passed
from serbench.api.matrices import Matrices
from serbench.api.verifying import EVERY_FORMAT, conform, hostile, probe, stream, verify
from serbench.cli.commands import AsJson, Given, command, command_text, watched
from serbench.cli.printing import fail, print_found, print_found_rows, print_json, print_rows, rounded, writing
from serbench.display.corpus import corpus_rows, corpus_sentences
from serbench.display.matrices import behaviours_data, limits_rows, tally
from serbench.display.matrix_tables import matrices_markdown
from serbench.display.outcomes import one_for_each_case, outcomes_markdown
from serbench.selfcheck import selfcheck
from serbench.store.files import write_file

_SHOWN = ("library", "variant", "version", "environment", "codec", "format", "status", "work_class", "size_bytes")


@command(verify)
def verify_command(
    given: Given,
    everything: Annotated[
        bool, typer.Option("--all", help="Try every probe with every library and codec that is installed or chosen")
    ] = False,
    limits: Annotated[
        bool, typer.Option("--limits", help="Find how deep, long, large and wide a value each case carries")
    ] = False,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus", metavar="DIR", help="Read a folder's files named `y_…`, `n_…` and `i_…` with every JSON codec"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="File for the outcomes as Markdown: libraries by workloads, with reasons; with `--all`, what codecs and libraries keep and refuse",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove that every case keeps the data, without timing; exit with 1 if one does not.

    With --all, --limits and --corpus a request may take 5 s.
    """
    if output is not None and (limits or corpus is not None):
        fail("--output takes what is verified, or found with --all; --limits and --corpus have --json")
    if everything or limits or corpus is not None:
        which = "--corpus" if corpus is not None else "--limits" if limits else "--all"
        taken = {*arguments(probe if corpus is None else conform), "store"}
        needless = [
            one.option.flags.split()[0] for name, one in arguments(verify).items() if name in given.keys() - taken
        ]
        if needless:
            fail(f"{which} brings what it tries; leave {' and '.join(needless)} out")
        if corpus is not None:
            _read_corpus(corpus, given, as_json=as_json)
        elif limits:
            _probe({**given, "matrices": ("limits",)}, None, limits_rows, as_json=as_json)
        else:
            every = {"libraries": "installed", "formats": EVERY_FORMAT, **given}
            _probe(every, output, lambda found: [tally(one) for one in found], as_json=as_json)
        return
    cells = watched(verify, given)
    rows = [
        {
            "workload": cell.point.workload,
            **{name: getattr(cell, name) for name in _SHOWN},
            "reason": reason,
        }
        for cell, reason in one_for_each_case(cells)
    ]
    if output is not None:
        with writing():
            write_file(output, outcomes_markdown(cells, command_text()))
    print_found_rows("rows", rows, as_json=as_json, nothing="no case")
    if any(cell.status not in ("ok", "unsupported", "unavailable") for cell in cells):
        raise typer.Exit(1)


def _probe(
    given: Given, output: Path | None, rows: Callable[[Matrices], Sequence[Mapping[str, Any]]], *, as_json: bool
) -> None:
    """Print what each case does with every probe; each outcome is an answer, never a failure."""
    found = watched(probe, given)
    if output is not None:
        with writing():
            write_file(output, matrices_markdown(found, command_text()))
    if as_json:
        print_json({"cases": behaviours_data(found)})
    else:
        print_rows(rows(found), nothing="no case")


def _read_corpus(folder: Path, given: Mapping[str, Any], *, as_json: bool) -> None:
    found = conform(**passed(conform, given, folder=folder))
    if as_json:
        print_json({"rows": [asdict(one) for one in found]})
        return
    print_rows(corpus_rows(found), nothing="no codec of JSON is installed")
    for sentence in corpus_sentences(found):
        print(sentence)


@command(hostile)
def hostile_command(given: Given, as_json: AsJson = False) -> None:
    """Feed codecs deep, huge and malformed bytes."""
    rows = [asdict(one) for one in hostile(**given)]
    print_found_rows("rows", rows, as_json=as_json, nothing="no codec of this format has hostile inputs")


@command(stream)
def stream_command(given: Given, as_json: AsJson = False) -> None:
    """Write records one after the other into a long file and read them again, with little memory."""
    rows = [asdict(one) for one in stream(**given)]
    print_found_rows("rows", rows, as_json=as_json, nothing="no case", shown=rounded)


@command(selfcheck)
def selfcheck_command(
    given: Given,
    stored: Annotated[
        bool, typer.Option("--stored", help="Measure nothing, and tell what was measured before")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="File for the parts and what they prove, as JSON"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the accuracy of serbench's own figures; exit with 1 if a target is not met."""
    found = watched(selfcheck, given, measure=not stored)
    if output is not None:
        with writing("with --stored write the parts, which are stored, elsewhere"):
            write_file(output, json.dumps(found.to_data(), ensure_ascii=False) + "\n")
    print_found(found, as_json=as_json)
    if not found.met:
        raise typer.Exit(1)
