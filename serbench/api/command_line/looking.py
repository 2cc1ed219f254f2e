"""The commands show, adopt, app and env: lists, code and data, the explorer, and environments."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from serbench.api import showing
from serbench.api.adopting import adopt, adoption
from serbench.api.calling import arguments
from serbench.api.command_line.commands import AS_JSON, OUTPUT, STORE, Choices, command, own, saying, watched
from serbench.api.command_line.printing import fail, print_code, print_named_rows, tell_what_is_lost
from serbench.api.showing import build_environments, describe, refuse_existing, remove_environment, show, write_new
from serbench.errors import check
from serbench.measure.options import Fit
from serbench.measure.plan import READING
from serbench.render.framework import is_endpoint
from serbench.render.library import libraries
from serbench.render.user_class.find import is_class

LISTS = ("libraries", "formats", "frameworks", "workloads", "environments", "runs", "claims")
STORED = ("libraries", "runs")
"""The lists of what is, or is known by what is, in a store."""
NEWEST = 100
"""How many runs a terminal lists."""
_LONG = {  # only --json has room for these
    "libraries": ("summary", "cannot"),
    "formats": ("cannot",),
    "frameworks": ("summary",),
    "environments": ("requirements",),
}
_HEADS = {"cells": "rows", "waves": "repetitions"}
"""Keys whose column has the word that tables of results have."""


def _is_list(values: Mapping[str, Any]) -> bool:
    return values["what"] in LISTS


def _is_described(values: Mapping[str, Any]) -> bool:
    return "codec" not in values and not _is_list(values) and not _names_library(values["what"])


def _names_library(what: str) -> bool:
    return (re.split(r"[\[@]", what)[0] in libraries() or is_endpoint(what)) and not Path(what).exists()


_SHOWN = (
    Fit(leaves=("as_json",), why="is a list", when=lambda values: _is_list(values) and values["what"] not in STORED),
    Fit(leaves=("store", "as_json"), why="is a list", when=lambda values: values["what"] in STORED),
    Fit(leaves=("form", "sample", *READING, "output"), why="is shown as types", when=_is_described),
    Fit(
        replaces=READING,
        why="says how its data is read",
        when=lambda values: _is_described(values) and is_class(values["what"]),
    ),
)


@command(show, describe, positional=False)
def show_command(
    choices: Choices,
    what: str = own(
        f"{', '.join(f'`{one}`' for one in LISTS)}; library, such as `marshmallow`, `pydantic@2.5` or `msgspec[gc=False]`; without a codec: an endpoint, such as `fastapi[response]/msgspec`, data, a JSON Schema or a part of one (`FILE#/…`), or a class as `module:Class`",
        "LIST|LIBRARY|FILE|MODULE:CLASS",
        fits=_SHOWN,
    ),
    codec: str | None = own(
        "Codec, format or codec/format, such as `orjson`, `json` or `json/json`, with which the library's code is shown",
        "CODEC",
        fits=(Fit(leaves=("what", *arguments(show)), why="asks for code"),),
    ),
    output: Path | None = OUTPUT,
    store: Path | None = STORE,
    as_json: bool = AS_JSON,
) -> None:
    """Print the measured code, the types of a file or class, or a list."""
    if codec is None and what in LISTS:
        _print_list(what, store, as_json=as_json)
        return
    if codec is None and (Path(what).exists() or not is_endpoint(what)):
        _show_types(what, choices, output)
        return
    choices |= {"library": what, "codec": codec or ""}
    tell_what_is_lost(choices)
    case = show(**choices)
    chosen = f"{case.library.name}[{case.variant}] with {case.codec.name}/{case.codec.format}"
    print(f"{chosen}, sha256 {case.source_sha256[:12]}", file=sys.stderr)
    if not case.environment.python:
        prove = (
            f"serbench verify --library {shlex.quote(what)} --format {shlex.quote(codec)}"
            if codec
            else f"serbench run --endpoint {shlex.quote(what)}"
        )
        print(
            f"{case.environment.name} is not built here, so nothing has run this code; `{prove}` does", file=sys.stderr
        )
    print_code(case.source)
    if case.schema_text:
        beside = "".join(f"# {line}".rstrip() + "\n" for line in case.schema_text.splitlines())
        print(f"\n# The same schema as {case.schema_file}:\n#\n{beside}", end="")


def _print_list(what: str, store: Path | None, *, as_json: bool) -> None:
    older = 0
    if what == "claims":
        from serbench.claims.ledger import list_claims

        rows = list_claims()
    elif what == "runs":
        rows, older = showing.list_runs(store, None if as_json else NEWEST)
    else:
        rows = getattr(showing, f"list_{what}")(**({"store": store} if what == "libraries" else {}))
    long = _LONG.get(what, ())

    def shown(row: Mapping[str, Any]) -> dict[str, Any]:
        return {_HEADS.get(name, name): value for name, value in row.items() if name not in long}

    print_named_rows(what, rows, as_json=as_json, nothing=f"no {what} yet", shown=shown)
    if older:
        print(f"… and {older:,} older runs: --json lists all")


def _show_types(what: str, choices: Choices, output: Path | None) -> None:
    if re.fullmatch(r"[\w-]+", what) and not Path(what).exists():
        check("list, library or file", what, [*LISTS, *libraries()])
    if _names_library(what):
        fail(f"{what} is a library; also give a codec, such as `serbench show {what} json`")
    choices["payload"] = what
    if is_class(what) or choices.get("form", "tree") != "tree":  # the tree itself has the notes of a JSON Schema
        tell_what_is_lost({"model" if is_class(what) else "payload": what})
    text = describe(**choices)
    if output is None:
        sys.stdout.write(text)
    else:
        write_new(output, text)


@command(adopt)
def adopt_command(
    choices: Choices,
    more: list[str] | None = own("Further files of `--check`", "MORE"),
) -> None:
    """Prove a module with your own file, and write it for your project.

    Exit with 1 if it refuses or loses data.
    """
    if more and "check" not in choices:
        fail(f"unexpected argument {more[0]!r}; name your own file with --payload")
    refuse_existing(choices.get("to"))
    tell_what_is_lost(choices)
    with saying("proving the module"):
        adopted = adoption({**choices, "check": [*choices.get("check", ()), *(more or ())]})
    for line in (*adopted.said, *adopted.refusals):
        print(line, file=sys.stderr)
    if adopted.refusals:
        raise click.exceptions.Exit(1)
    if "to" in choices:
        write_new(choices["to"], adopted.source)
        print(f"{choices['to']}: {len(adopted.source.splitlines())} lines", file=sys.stderr)
    else:
        sys.stdout.write(adopted.source)


@command()
def app_command(
    data: str | None = own(
        "Your own data or class, measured immediately, or the state that an explorer copied (default: your last run); with `--lab`, the folder to which the notebooks are copied (default: `serbench-notebooks`)",
        "FILE|MODULE:CLASS|STATE|FOLDER",
    ),
    lab: bool = own("Open the notebooks in JupyterLab instead", "--lab"),
    no_browser: bool = own("Print the address instead of opening a window", "--no-browser"),
) -> None:
    """Open the explorer in the browser, or the notebooks in JupyterLab."""
    from serbench.api.notebook.app import open_app, open_lab

    if lab:
        raise click.exceptions.Exit(open_lab(Path(data or "serbench-notebooks"), browser=not no_browser))
    raise click.exceptions.Exit(open_app(data, browser=not no_browser))


@command(build_environments)
def env_build_command(choices: Choices, as_json: bool = AS_JSON) -> None:
    """Build environments now; exit with 1 if one cannot be built."""
    rows = watched(build_environments, choices)
    print_named_rows("environments", rows, as_json=as_json, nothing="nothing to build")
    if any(row["status"] != "ok" for row in rows):
        raise click.exceptions.Exit(1)


@command(remove_environment)
def env_remove_command(choices: Choices) -> None:
    """Remove an environment."""
    print(remove_environment(**choices))


@click.group("env", commands=[env_build_command, env_remove_command], no_args_is_help=False)
def env_command() -> None:
    """Build or remove environments for other versions and interpreters."""
