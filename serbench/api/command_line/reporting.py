"""The commands for publishing: report runs the notebooks and makes the files of their runs, claims measures published claims again."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from serbench.api.claims import measure_claims, named_claims
from serbench.api.command_line.commands import AS_JSON, STORE, Choices, command, own, watched
from serbench.api.command_line.printing import print_json, print_named_rows, print_rich, print_rows, writing
from serbench.claims.judging import summary
from serbench.claims.ledger import LEGEND, Ledger, ledger
from serbench.errors import PlanError
from serbench.errors import check as check_name
from serbench.measure.options import Fit
from serbench.measure.plan import EFFORTS
from serbench.store.archive import resources

_OF_NOTEBOOKS = ("notebook", "parameter", "effort", "only_missing", "time_limit")
_READS_ONLY = (
    Fit(replaces=_OF_NOTEBOOKS, why="runs no notebook"),
    Fit(replaces=("store",), why="reads no store without --run", when=lambda values: "run" not in values),
)


@command()
def report_command(
    notebook: list[str] | None = own(
        "Names of serbench's notebooks, or your own files (default: all of serbench's)", "NOTEBOOK"
    ),
    parameter: list[str] | None = own(
        "Parameter for each notebook that has it; repeat the option for more; separate the items of a list by commas",
        "--parameter -p NAME=VALUE",
    ),
    effort: str | None = own("Effort, as for `run` (default: each notebook's own)", f"--effort -e {'|'.join(EFFORTS)}"),
    output: Path | None = own(
        "Folder for results (default: `data`; without it, options that only read use the results that come with serbench)",
        "--output DIR",
    ),
    only_missing: bool = own("Leave out notebooks that have a result there", "--only-missing"),
    time_limit: float | None = own("Longest time for one cell, such as `10m` (default: no limit)", "--time-limit TIME"),
    image: list[str] | None = own(
        "Also draw the figures of the results, as `svg` or `png`; needs Chromium", "--image FORMAT"
    ),
    tables: bool = own(
        "Run nothing: rebuild tables and `index.md` from the published runs", "--tables", fits=_READS_ONLY
    ),
    splice: bool = own(
        "Run nothing: rewrite the generated blocks of the Markdown files here", "--splice", fits=_READS_ONLY
    ),
    check: bool = own(
        "Run nothing: exit with 1 if a table, an SVG or a block is out of date", "--check", fits=_READS_ONLY
    ),
    html: Path | None = own("Run nothing: write all results as one HTML file to share", "--html DIR", fits=_READS_ONLY),
    site: Path | None = own(
        "Run nothing: write the page as a folder, with its data in separate files", "--site DIR", fits=_READS_ONLY
    ),
    run: list[str] | None = own(
        "Stored run that the page shows: its id, its beginning or `latest`; repeat for more (default: the published runs)",
        "--run RUN",
        fits=(Fit(needs=("html", "site")),),
    ),
    store: Path | None = STORE,
    as_json: bool = AS_JSON,
) -> None:
    """Run notebooks, or rebuild tables and pages of published runs.

    Exit with 1 if one fails.
    """
    from serbench.api.reports.execute import execute, notebooks, parameters_of
    from serbench.api.reports.published import FORMATS

    images = image or ()
    for name in images:
        check_name("image", name, FORMATS)
    answers = {"tables": tables, "splice": splice, "check": check, "html": html, "site": site}
    modes = [name for name, is_on in answers.items() if is_on]
    writes = not modes or images or {"tables", "splice"} & set(modes)
    output = output or (Path("data") if writes or Path("data").exists() else resources("data"))
    if modes:
        pages = [
            path for folder in (html, site) if folder for path in _page(folder, folder is html, output, run, store)
        ]
        _answer_from_published(output, modes, images, as_json, pages)
        return
    chosen = notebooks(notebook or ())
    outcomes = execute(
        chosen,
        parameters_of(chosen, parameter or (), effort),
        output,
        store=store,
        time_limit_s=time_limit,
        only_missing=only_missing,
        on_step=_tell,
    )
    made = _remade(output, images)
    rows = [asdict(outcome) for outcome in outcomes]
    print_named_rows("notebooks", rows, as_json=as_json, nothing="none", shown=_outcome_line)
    if not made or any(outcome.status in ("failed", "timeout") for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _outcome_line(row: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": row["notebook"], "status": row["status"], "s": round(row["seconds"])}
    return named | {name: value for name, value in row.items() if name not in ("notebook", "seconds")}


def _answer_from_published(
    output: Path, modes: Sequence[str], images: Sequence[str], as_json: bool, pages: Sequence[Path]
) -> None:
    """Do the work that needs no notebook; exit code 1 if --check finds something."""
    from serbench.api.reports.published import published_runs, remake
    from serbench.api.reports.splice import splice

    with writing():
        changed = [*(remake(output) if "tables" in modes else ()), *_drawn(output, images), *pages]
        changed += splice(Path(), published_runs(output)) if "splice" in modes else []
    _say_written(changed)
    wrong = _not_current(output) if "check" in modes else []
    for path in wrong:
        _tell(f"{path} is not what the published runs give")
    if as_json:
        print_json({"written": [str(path) for path in changed], "not_current": list(map(str, wrong))})
    if wrong:
        raise click.exceptions.Exit(1)


def _remade(output: Path, images: Sequence[str]) -> bool:
    """Make all files that derive from the published runs; return False, after saying why, if that failed."""
    from serbench.api.reports.published import remake
    from serbench.errors import StoreError

    if not any(output.rglob("run.json")):
        return True
    try:
        with writing():
            _say_written([*remake(output), *_drawn(output, images)])
    except (PlanError, StoreError) as error:
        _tell(f"serbench: {error}")
        return False
    return True


def _page(folder: Path, inline: bool, output: Path, names: Sequence[str] | None, store: Path | None) -> list[Path]:
    """Write the page of the named runs, or of the published ones."""
    from serbench.api import running
    from serbench.api.reports.page import page
    from serbench.api.reports.published import published_runs
    from serbench.api.verifying import probed, published_matrices

    runs = [running.load(name, store=store) for name in names or ()] or [run.run for run in published_runs(output)]
    matrices = probed(store) if names else published_matrices(output)
    made = page(runs, folder, matrices=matrices, inline=inline)
    for what in made.left_out:
        _tell(f"left out: {what}; --site has room")
    return list(made.paths)


def _not_current(output: Path) -> list[Path]:
    from serbench.api.reports.published import outdated, outdated_images, published_runs, shown_figures
    from serbench.api.reports.splice import outdated_documents

    runs = published_runs(output)
    documents = outdated_documents(Path(), runs)
    every = (outdated(output, runs), outdated_images(shown_figures(output, again=True)), documents)
    return [path for outdated_files in every for path, _ in outdated_files]


def _drawn(output: Path, images: Sequence[str]) -> list[Path]:
    from serbench.api.reports.published import draw, shown_figures

    return [path for ending in images for path in draw(shown_figures(output), ending)]


def _say_written(paths: Sequence[Path]) -> None:
    for path in paths:
        _tell(f"written: {path}")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@command(measure_claims)
def claims_command(
    choices: Choices,
    stored: bool = own(
        "Measure nothing: show what `--output` keeps, else what is published",
        "--stored",
        fits=(Fit(leaves=("ids", "output", "as_json"), why="measures nothing"),),
    ),
    as_json: bool = AS_JSON,
) -> None:
    """Measure published claims again, with a verdict for each."""
    if stored:
        kept = {outcome.id: outcome for outcome in ledger(choices.get("output")).outcomes}
        outcomes = Ledger(tuple(kept[name] for name in named_claims(choices.get("ids", ()), kept)))
    else:
        outcomes = watched(measure_claims, choices, on_outcome=lambda one: _tell(f"{one.id}: {one.verdict}"))
    if as_json:
        print_json(outcomes.to_data())
        return
    print(f"{summary(outcomes.outcomes)}.")
    if reversed_rows := outcomes.reversed_rows():
        print("Reversed:")
        print_rows(reversed_rows, nothing="none")
    print_rich(outcomes.table("\n"))
    print(LEGEND)
    if len(outcomes.outcomes) == 1:
        (outcome,) = outcomes.outcomes
        print_rows(outcomes.figure_rows(), nothing="no figure")
        for versions in outcome.verdicts():
            if rows := outcome.statistics_rows(versions):
                print_rows(rows, nothing="nothing was timed")
    for row in outcomes.rows():
        for text in (row["explanation"], *row["notes"]):
            print(f"- {row['id']}: {text}")
