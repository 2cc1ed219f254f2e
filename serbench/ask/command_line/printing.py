"""Prints tables, JSON, and errors of one line; the exit codes."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import typer  # noqa: TC002  # Typer reads the annotations

from serbench.errors import Interrupted, PlanError

if TYPE_CHECKING:
    from serbench.display.closing import Closing
    from serbench.display.table import Tables

WRONG_USE, UNDECIDED, UNEXPECTED, INTERRUPTED = 2, 3, 4, 130
CODE_LINES = 30
EMPTY = "an option is empty; give it a value, or omit it"
NOTHING_KEPT = "interrupted; nothing is kept, so give the command again"


class Answer(Protocol):
    """What a command answers, as data."""

    def to_data(self) -> Any:
        """The object that `--json` prints."""


def print_rich(renderable: Any) -> None:
    """Print something with Rich: as wide as the terminal; elsewhere, `COLUMNS` or 120 columns, or what breaks no word."""
    from rich.measure import Measurement

    from serbench.display.terminal import console as console_on

    console = console_on(sys.stdout)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdigit() and int(columns) else 120
        console = console_on(sys.stdout, width=width, color_system=None)
        least = Measurement.get(console, console.options.update(max_width=sys.maxsize), renderable).minimum
        console.width = max(console.width, least)
    console.print(renderable)


def print_json(data: Any) -> None:
    """Print the object, alone on standard output."""
    json.dump(data, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")


def print_result(result: Any, *, as_json: bool) -> None:
    """Print a result: as JSON, or as it displays itself."""
    if as_json:
        print_json(result.to_data())
    else:
        print_rich(result)


def print_answer(answer: Answer, tables: Tables, closing: Closing, *, as_json: bool, verbose: bool) -> None:
    """Print an answer's details, all of them if `verbose`, and at the end what to do; or as JSON."""
    if as_json:
        print_json(answer.to_data())
        return
    for part in (tables,) if verbose else tables.brief():
        print_rich(part)
    print_rich(replace(closing, is_whole=verbose))


def print_code(source: str, *, whole: bool = True) -> None:
    """Print a module, in colours on a terminal; if not the whole, its first lines, and how to see the rest."""
    lines = source.splitlines(keepends=True)
    shown = lines if whole else lines[:CODE_LINES]
    if sys.stdout.isatty():
        from rich.syntax import Syntax

        print_rich(Syntax("".join(shown), "python", background_color="default"))
    else:
        sys.stdout.write("".join(shown))
    if left := len(lines) - len(shown):
        print(f"# … and {left} more lines: -v shows them")


def print_named_rows(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    nothing: str,
    shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> None:
    """Print rows: as JSON under this name, or as a table of what `shown` makes of each."""
    if as_json:
        print_json({name: rows})
    else:
        print_rows([shown(row) for row in rows], nothing=nothing)


def leaving_out(names: Container[str]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a function that leaves these columns out of a row."""
    return lambda row: {name: value for name, value in row.items() if name not in names}


def print_rows(rows: Sequence[Mapping[str, Any]], *, nothing: str) -> None:
    """Print rows as a plain table without the columns that are empty throughout."""
    if not rows:
        print(nothing)
        return
    from serbench.display.table import Table
    from serbench.display.words import class_words

    shown = [{**row, "work_class": class_words(row["work_class"])} if row.get("work_class") else row for row in rows]
    print_rich(Table.of_rows(shown))


def rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its floats as whole numbers for people."""
    return {key: f"{value:,.0f}" if isinstance(value, float) else value for key, value in row.items()}


def tell_what_is_lost(choices: Mapping[str, Any]) -> None:
    """Print what the other libraries' models lack of the user's class, and how a JSON Schema is not read as it is written."""
    if "model" in choices:
        from serbench.render.user_class.find import load_model, locate
        from serbench.render.user_class.interpreter import use_interpreter

        use_interpreter(choices.get("python") or ())
        for model in _classes(choices):
            for note in load_model(locate(model)).parsed.notes:
                print(f"only in your class: {note}", file=sys.stderr)
    described = choices.get("schema", choices["payload"]) if "payload" in choices else None
    if isinstance(described, str | Path):
        from serbench.model.json_schema.files import schema_notes

        for note in schema_notes(described, is_schema="schema" in choices):
            print(f"JSON Schema {note}", file=sys.stderr)


def tell_what_differs(choices: Mapping[str, Any]) -> None:
    """Print where the user's class makes something else of a document, and what is not measured of it."""
    if "model" in choices:
        from serbench.render.user_class.find import load_model, locate

        differences = (load_model(locate(model)).differences for model in _classes(choices))
        for difference in dict.fromkeys(chain.from_iterable(differences)):
            print(difference, file=sys.stderr)


def _classes(choices: Mapping[str, Any]) -> list[str]:
    model = choices["model"]
    return [model] if isinstance(model, str) else list(model)


def fail(message: str) -> NoReturn:
    """Print one line on standard error and exit with code 2."""
    print("serbench: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(WRONG_USE)


def end_interrupted(error: BaseException) -> NoReturn:
    """Print one line on standard error, which says what is kept if the error does, and exit with code 130."""
    print(f"serbench: {error if isinstance(error, Interrupted) else NOTHING_KEPT}", file=sys.stderr)
    sys.exit(INTERRUPTED)


@contextmanager
def writing(instead: str = "name another with --output") -> Iterator[None]:
    """Tell in one line that a file cannot be written, and what to do instead.

    Raises:
        PlanError: that line.
    """
    try:
        yield
    except OSError as error:
        what = f"{error.filename or 'a file'} cannot be written: {error.strerror or error}"
        raise PlanError(f"{what}; make room, or {instead}") from None


def writable(option: typer.CallbackParam, path: Path | None) -> Path | None:
    """Refuse a file or folder of an option that cannot be written, before anything is measured; nothing is created.

    Raises:
        PlanError: what is wrong, and the option.
    """
    if path is None:
        return None
    is_folder = option.metavar == "DIR"
    folder = path.absolute() if is_folder else path.absolute().parent
    nearest = next(one for one in (folder, *folder.parents) if one.exists())
    if path.is_dir() and not is_folder:
        reason = errno.EISDIR
    elif not nearest.is_dir():
        reason = errno.ENOTDIR
    elif nearest != folder and not is_folder:
        reason = errno.ENOENT
    elif not os.access(path if path.exists() else nearest, os.W_OK):
        reason = errno.EACCES
    else:
        return path
    raise PlanError(f"{path} cannot be written: {os.strerror(reason)}; name another with {option.opts[0]}")


def split(values: Iterable[str] | None) -> tuple[str, ...]:
    """Return repeated and comma-separated names as one tuple; empty if the option was not given."""
    parts = tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
    if values and not parts:
        fail(EMPTY)
    return parts
