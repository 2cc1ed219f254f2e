"""The commands that show single cases and data of your own, and open the explorer."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from serbench.ask.adopting import adopt, adoption
from serbench.ask.calling import arguments
from serbench.ask.cases import describe, refuse_existing, show, write_new
from serbench.ask.choices import READING
from serbench.ask.command_line.commands import AsJson, Choices, Output, Store, command, flag
from serbench.ask.command_line.listing import LISTS, STORED, print_list
from serbench.ask.command_line.printing import fail, print_code, tell_what_is_lost
from serbench.ask.options import Fit
from serbench.errors import check
from serbench.render.library import libraries
from serbench.render.user_class.find import is_class


def _is_list(there: Mapping[str, Any]) -> bool:
    return there["what"] in LISTS


def _is_described(there: Mapping[str, Any]) -> bool:
    return "codec" not in there and not _is_list(there) and not _names_library(there["what"])


def _names_library(what: str) -> bool:
    return re.split(r"[\[@]", what)[0] in libraries() and not Path(what).exists()


_LIST = Fit(leaves=("as_json",), why="is a list", when=lambda there: _is_list(there) and there["what"] not in STORED)
_STORED_LIST = Fit(leaves=("store", "as_json"), why="is a list", when=lambda there: there["what"] in STORED)
_TYPES = Fit(leaves=("form", *READING, "output"), why="is shown as types", when=_is_described)
_CLASS = Fit(
    replaces=READING,
    why="says how its data is read",
    when=lambda there: _is_described(there) and is_class(there["what"]),
)


@command(show, describe, positional=False)
def show_command(
    choices: Choices,
    what: Annotated[
        str,
        typer.Argument(
            metavar="LIST|LIBRARY|FILE|MODULE:CLASS",
            help=f"{', '.join(f'`{one}`' for one in LISTS)}; library, such as `marshmallow`, `pydantic@2.5` or `msgspec[gc=False]`; without a codec: data, a JSON Schema or a part of one (`FILE#/…`), or a class as `module:Class`",
        ),
        _LIST,
        _STORED_LIST,
        _TYPES,
        _CLASS,
    ],
    codec: Annotated[
        str | None,
        typer.Argument(
            metavar="[CODEC]",
            help="Codec, format or codec/format, such as `orjson`, `json` or `json/json`, with which the library's code is shown",
            show_default=False,
        ),
        Fit(leaves=("what", *arguments(show)), why="asks for code"),
    ] = None,
    output: Output = None,
    store: Store = None,
    as_json: AsJson = False,
) -> None:
    """Print the exact source that is measured, the types of a file or class, or what there is to choose from."""
    if codec is None and what in LISTS:
        print_list(what, store, as_json=as_json)
        return
    if codec is None:
        _show_types(what, choices, output)
        return
    choices |= {"library": what, "codec": codec}
    tell_what_is_lost(choices)
    case = show(**choices)
    chosen = f"{case.library.name}[{case.variant}] with {case.codec.name}/{case.codec.format}"
    print(f"{chosen}, sha256 {case.source_sha256[:12]}", file=sys.stderr)
    if not case.environment.python:
        prove = f"serbench verify --library {shlex.quote(what)} --format {shlex.quote(codec)}"
        print(
            f"{case.environment.name} is not built here, so nothing has run this code; `{prove}` does", file=sys.stderr
        )
    print_code(case.source)
    if case.schema_text:
        beside = "".join(f"# {line}".rstrip() + "\n" for line in case.schema_text.splitlines())
        print(f"\n# The same schema as {case.schema_file}:\n#\n{beside}", end="")


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
    more: Annotated[list[str] | None, typer.Argument(hidden=True, help="Further files of --check")] = None,
) -> None:
    """Prove a module with your own file, and write it for your own project; exit with 1 if it refuses or loses data."""
    if more and "check" not in choices:
        fail(f"unexpected argument {more[0]!r}; name a file of your own with --payload")
    from serbench.keep.progress import Watcher  # imports Rich
    from serbench.measure.listener import Progress

    refuse_existing(choices.get("to"))
    tell_what_is_lost(choices)
    with Watcher() as watcher:
        watcher.progress(Progress("proving the module", 0, 0, 0))
        adopted = adoption({**choices, "check": [*choices.get("check", ()), *(more or ())]})
    for line in (*adopted.said, *adopted.refusals):
        print(line, file=sys.stderr)
    if adopted.refusals:
        raise typer.Exit(1)
    if "to" in choices:
        write_new(choices["to"], adopted.source)
        print(f"{choices['to']}: {len(adopted.source.splitlines())} lines", file=sys.stderr)
    else:
        sys.stdout.write(adopted.source)


@command()
def app_command(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE|MODULE:CLASS|FOLDER]",
            help="Your own data or class, measured immediately (default: your last run); with `--lab`, the folder to which the notebooks are copied (default: `serbench-notebooks`)",
            show_default=False,
        ),
    ] = None,
    lab: Annotated[bool, flag("--lab", "Open the notebooks in JupyterLab instead")] = False,
    no_browser: Annotated[bool, flag("--no-browser", "Print the address instead of opening a window")] = False,
    binder: Annotated[
        str | None,
        flag(
            "--binder ADDRESS",
            "Open nothing: print the link by which Binder opens it from the copy at this address, such as https://github.com/you/serbench",
            show_default=False,
        ),
        Fit(leaves=("lab",), why="prints a link"),
    ] = None,
) -> None:
    """Open the explorer as an app in the browser, or the notebooks in JupyterLab, on this machine only."""
    from serbench.ask.notebook.lab import open_app, open_lab

    if binder is not None:
        from serbench.ask.notebook.binder import binder_link

        print(binder_link(binder, lab=lab))
        return
    if lab:
        raise typer.Exit(open_lab(Path(data or "serbench-notebooks"), browser=not no_browser))
    raise typer.Exit(open_app(data, browser=not no_browser))
