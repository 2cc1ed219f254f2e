"""Prints answers, and errors of one line; ends a command with its exit code."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import click

from serbench.errors import Interrupted, PlanError, if_interrupted

if TYPE_CHECKING:
    from serbench.display.closing import Closing
    from serbench.display.table import Tables
    from serbench.judge.outcomes import Behaviour, Swept, Weight
    from serbench.measure.options import Option
    from serbench.results import Cell
    from serbench.store.run import Run

WRONG_USE, UNDECIDED, UNEXPECTED, INTERRUPTED = 2, 3, 4, 130
CODE_LINES = 30
OF_DEPTH = ("model", "payload", "python", "depth")
EMPTY = "an option is empty; give it a value, or omit it"
NOTHING_KEPT = "interrupted; nothing is kept, so give the command again"


_WHATEVER = ("installed", "all")  # names of libraries that mean whatever there is


class Answer(Protocol):
    """What a command answers."""

    def to_data(self) -> Any:
        """The object that `--json` prints."""

    def table(self) -> Tables:
        """The details."""

    def closing(self) -> Closing:
        """What to do, in the last lines."""


def print_rich(renderable: Any) -> None:
    """Print something with Rich: as wide as the terminal; elsewhere, `COLUMNS` or 120 columns, or what breaks no word."""
    from rich.measure import Measurement

    from serbench.display.table import console as console_on

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


def print_answer(
    answer: Answer, tables: Tables | None = None, closing: Closing | None = None, *, as_json: bool, verbose: bool
) -> None:
    """Print an answer's details, all of them if `verbose`, and at the end what to do; or as JSON."""
    if as_json:
        print_json(answer.to_data())
        return
    tables = tables or answer.table()
    for part in (tables,) if verbose else tables.brief():
        print_rich(part)
    print_rich(replace(closing or answer.closing(), is_whole=verbose))


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


def print_rows(rows: Sequence[Mapping[str, Any]], *, nothing: str) -> None:
    """Print rows as a plain table without the columns that are empty throughout."""
    if not rows:
        print(nothing)
        return
    from serbench.display.table import Table
    from serbench.display.words import class_words

    def validation(row: Mapping[str, Any]) -> str:
        """What the row says of validation, of several codecs all: nothing if it only encodes objects."""
        every = re.split(r"; (?![^(]*\))", row["work_class"])
        return "; ".join(class_words(one) for one in every if one != "objects")

    shown = [{**row, "work_class": validation(row)} if row.get("work_class") else row for row in rows]
    print_rich(Table.of_rows(shown))


def rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its floats as whole numbers for people."""
    return {key: f"{value:,.0f}" if isinstance(value, float) else value for key, value in row.items()}


def tell_what_is_lost(choices: Mapping[str, Any]) -> None:
    """Print what the other libraries' models lack of the user's class, which depths it cannot have, and how a JSON Schema is not read as it is written."""
    if "model" in choices:
        from serbench.api.calling import plan_of
        from serbench.measure.plan import fixed
        from serbench.render.user_class.find import load_model, locate, use_interpreter

        use_interpreter(choices.get("python") or ())
        for model in _classes(choices):
            for note in load_model(locate(model)).parsed.notes:
                print(f"only in your class: {note}", file=sys.stderr)
        for line in fixed(plan_of({name: choices[name] for name in OF_DEPTH if name in choices})):
            print(line, file=sys.stderr)
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


def _say(line: str) -> None:
    """Print the last line, below what users' code has begun to print there."""
    print("\n" * getattr(sys.stderr, "begun", False) + f"serbench: {line}", file=sys.stderr)


def fail(message: str) -> NoReturn:
    """Print one line on standard error and exit with code 2."""
    _say(" ".join(message.split()))
    sys.exit(WRONG_USE)


def end_interrupted(error: BaseException) -> NoReturn:
    """Print one line on standard error, which says what is kept if the error does, and exit with code 130."""
    _say(str(error if isinstance(error, Interrupted) else NOTHING_KEPT))
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


def write(path: Path | None, text: Callable[[], str], instead: str = "name another with --output") -> None:
    """Write the text into the file, if one is named."""
    if path is not None:
        from serbench.machine.files import write_file

        with writing(instead):
            write_file(path, text())


def check_writable(option: Option, path: Path) -> None:
    """Refuse a file or folder of an option that cannot be written, before anything is measured; nothing is created.

    Raises:
        PlanError: what is wrong, and the option.
    """
    is_folder = option.metavar == "DIR"
    folder = path.absolute() if is_folder else path.absolute().parent
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if path.is_dir() and not is_folder:
        reason = errno.EISDIR
    elif not nearest.is_dir():
        reason = errno.ENOTDIR
    elif nearest != folder and not is_folder:
        reason = errno.ENOENT
    elif not os.access(path if path.exists() else nearest, os.W_OK):
        reason = errno.EACCES
    else:
        return
    raise PlanError(f"{path} cannot be written: {os.strerror(reason)}; name another with {option.flags[0]}")


def split(values: Iterable[str] | None) -> tuple[str, ...]:
    """Return repeated and comma-separated names as one tuple; empty if the option was not given."""
    parts = tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
    if values and not parts:
        fail(EMPTY)
    return parts


def showing(run: Run) -> AbstractContextManager[None]:
    """Say of an interrupt while a run is printed that it is stored."""
    from serbench.store.opening import store_option

    return if_interrupted(f"run {run.id} is kept: `serbench run --stored {run.id}{store_option(run.path)}` shows it")


def end_unmeasured(run: Run) -> None:
    """End a run that was interrupted before anything was measured: in one line, in place of what it would print."""
    unmeasured = not run.info.used_up and not any(row.measured for row in run.rows)
    if run.info.status == "interrupted" and run.path and unmeasured:
        from serbench.store.opening import store_option

        raise Interrupted(f"interrupted; nothing was measured: `serbench run --resume{store_option(run.path)}` goes on")


def end_run(run: Run) -> None:
    """Say how an interrupted run goes on, or what was not measured; end with another exit code than 0 if there is something.

    A run that used up its budget ends with 0.

    Raises:
        StoreError: not all of it is kept.
    """
    from serbench.store.opening import store_option

    run.check_kept()
    if run.info.status != "interrupted" or run.path is None:
        end_measured(((row, row.measured) for row in run.rows), run.info.plan)
        return
    what = "the budget is used up" if run.info.used_up else "interrupted; what was measured is kept"
    print(f"{what}; `serbench run --resume{store_option(run.path)}` goes on with run {run.id}", file=sys.stderr)
    if not run.info.used_up:
        raise click.exceptions.Exit(INTERRUPTED)


def end_measured(
    measured_rows: Iterable[tuple[Cell | Weight | Behaviour | Swept, bool]],
    asked: Mapping[str, Any],
    done: str = "measured",
) -> None:
    """Print a line for each library or framework that a plan or command names and of which nothing was measured; then end with exit code 1.

    With each row comes whether it was measured. Without names, one measured row is enough. `done` is the
    word for what the command does in place of measuring, such as "verified".
    """
    from serbench.api.calling import several
    from serbench.results import grouped

    rows, names = list(measured_rows), several(asked.get("libraries") or asked.get("endpoints"))
    by_library = names and not any(name in _WHATEVER or "@*" in name for name in names)
    groups = grouped(rows, lambda pair: (pair[0].library, pair[0].environment) if by_library else ("", ""))
    missing = {key: members for key, members in groups.items() if not any(measured for _, measured in members)}
    if rows and not missing:
        return
    for (library, environment), members in missing.items():
        reason = next((row.reason for row, _ in members if row.reason), "no library + format is chosen")
        reason = reason.partition(": a plain script ")[0]  # which is long; the rows have it
        where = "" if environment in ("", "main") else f" ({environment})"
        what = f" of {library}{where}" if library and len(groups) > 1 else ""
        print(f"nothing was {done}{what}: {' '.join(reason.split())}", file=sys.stderr)
    if not rows:
        print(f"nothing was {done}: no library + format is chosen", file=sys.stderr)
    raise click.exceptions.Exit(1)
