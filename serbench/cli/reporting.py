"""The command that runs the notebooks without anybody watching, and makes what is published of their runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from serbench.cli import options
from serbench.cli.printing import print_json, print_rows
from serbench.cli.words import fail, seconds, split, writing


def report_command(
    notebook: Annotated[
        list[str] | None, typer.Argument(help="names of notebooks, or files of your own; all of serbench's without")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", metavar="NAME=VALUE", help="For each notebook that has it; repeat for more."),
    ] = None,
    effort: Annotated[
        str | None, typer.Option("--effort", "-e", help="quick, normal or thorough; each notebook's own without.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="Where results go.")] = Path("data"),
    only_missing: Annotated[
        bool, typer.Option("--only-missing", help="Leave out notebooks that have a result there.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Leave out notebooks whose result was measured since then."),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option("--time-limit", help="The longest that one cell may take, such as 10m.")
    ] = None,
    image: Annotated[
        list[str] | None, typer.Option("--image", help="Draw the figures of the results too: svg or png.")
    ] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Run nothing: make the tables of the published runs again.")
    ] = False,
    splice: Annotated[
        bool, typer.Option("--splice", help="Run nothing: write the blocks of the Markdown files here anew.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Run nothing: exit code 1 where a table, an SVG or a block is not current.")
    ] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Run nothing: which results newer versions installed here have made old.")
    ] = False,
    index: Annotated[bool, typer.Option("--index", help="With --stale: ask the package index too.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="DIR", help="Run nothing: write a page to share, in one file.")
    ] = None,
    site: Annotated[
        Path | None, typer.Option("--site", metavar="DIR", help="Run nothing: write the page with its data beside it.")
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="For a page: a stored run, its id or latest; the published ones without."),
    ] = None,
    store: options.StorePath = None,
    as_json: options.AsJson = False,
) -> None:
    """Run the notebooks by papermill; exit code 1 where one fails."""
    from serbench.reports.execute import execute, keeping
    from serbench.reports.notebooks import given, notebooks

    images = _image_formats(image)
    given_modes = {"tables": tables, "splice": splice, "check": check, "stale": stale, "html": html, "site": site}
    modes = [name for name, is_on in given_modes.items() if is_on]
    if index and not stale:
        fail("--index says what --stale compares with; give both")
    if run and not (html or site):
        fail("--run says what a page shows; give --html DIR or --site DIR too")
    if modes:
        if notebook or parameter or effort:
            fail(f"--{modes[0]} runs no notebook; leave notebooks, -p and --effort out, or --{modes[0]}")
        pages = [
            path for folder in (html, site) if folder for path in _page(folder, folder is html, output, run, store)
        ]
        _answer_from_published(output, modes, images, index, as_json, pages)
        return
    found = notebooks(notebook or ())
    outcomes = execute(
        found,
        given(found, parameter or (), effort),
        output,
        store=store,
        time_limit_s=None if time_limit is None else seconds("--time-limit", time_limit),
        keep=keeping(output, only_missing=only_missing, since=None if since is None else _moment(since)),
        on_step=_tell,
    )
    made = _remade(output, images)
    if as_json:
        print_json({"notebooks": [asdict(one) for one in outcomes]})
    else:
        rows = [
            {"name": one.notebook, "status": one.status, "s": round(one.seconds), **asdict(one)} for one in outcomes
        ]
        print_rows([{k: v for k, v in row.items() if k not in ("notebook", "seconds")} for row in rows], nothing="none")
    if not made or any(one.status in ("failed", "timeout") for one in outcomes):
        raise typer.Exit(1)


def _answer_from_published(
    output: Path, modes: Sequence[str], images: Sequence[str], index: bool, as_json: bool, pages: Sequence[Path]
) -> None:
    """Do what needs no notebook; exit code 1 where --check or --stale finds something."""
    from serbench.probe_verbs import published_matrices
    from serbench.reports.published import published_runs, remake
    from serbench.reports.splice import splice
    from serbench.reports.stale import dated, stale

    runs = published_runs(output) if {"splice", "stale"} & set(modes) else []
    with writing():
        changed = [*(remake(output) if "tables" in modes else ()), *_drawn(output, images), *pages]
        changed += splice(Path(), runs) if "splice" in modes else []
    _say_written(changed)
    wrong = _not_current(output) if "check" in modes else []
    results = dated(runs, published_matrices(output)) if "stale" in modes else []
    old = [asdict(one) for one in stale(results, index=index)]
    for path in wrong:
        _tell(f"{path} is not what the published runs give")
    if as_json:
        print_json({"written": [str(path) for path in changed], "not_current": list(map(str, wrong)), "stale": old})
    elif "stale" in modes:
        print_rows(old, nothing=f"{len(results)} results, none of them old")
    if wrong or old:
        raise typer.Exit(1)


def _remade(output: Path, images: Sequence[str]) -> bool:
    """Make what is made of the published runs; whether that went well, and if not, say why."""
    from serbench.names import PlanError
    from serbench.reports.published import remake
    from serbench.store import StoreError

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
    """Write the page of the named runs, or of the published ones, with the claims that are published there."""
    from serbench import verbs
    from serbench.claims import ledger
    from serbench.claims.ledger import PUBLISHED
    from serbench.probe_verbs import probed, published_matrices
    from serbench.reports.page import page
    from serbench.reports.published import published_runs

    runs = [verbs.load(name, store=store) for name in names or ()] or [one.run for one in published_runs(output)]
    matrices = probed(store) if names else published_matrices(output)
    made = page(runs, folder, claims=ledger(output / PUBLISHED), matrices=matrices, inline=inline)
    for what in made.left_out:
        _tell(f"left out: {what}; --site has room")
    return list(made.paths)


def _not_current(output: Path) -> list[Path]:
    from serbench.reports.images import outdated_images
    from serbench.reports.published import outdated, published_runs
    from serbench.reports.splice import outdated_documents

    runs = published_runs(output)
    every = (outdated(output, runs), outdated_images(output), outdated_documents(Path(), runs))
    return [path for found in every for path, _ in found]


def _image_formats(image: Sequence[str] | None) -> tuple[str, ...]:
    from serbench.names import check
    from serbench.reports.images import FORMATS

    for name in split(image):
        check("image", name, FORMATS)
    return split(image)


def _drawn(output: Path, images: Sequence[str]) -> list[Path]:
    from serbench.reports.images import draw

    return [path for ending in images for path in draw(output, ending)]


def _say_written(paths: Sequence[Path]) -> None:
    for path in paths:
        _tell(f"written: {path}")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _moment(text: str) -> datetime:
    """A date, or a date with a time; in UTC where it does not say."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since takes a date such as 2026-01-31 or 2026-01-31T12:00, not {text!r}")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
