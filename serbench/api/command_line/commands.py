"""Builds the commands from declared options: parses what a user typed, and calls the public functions."""

from __future__ import annotations

import functools
import inspect
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

import typer

from serbench.api import choices
from serbench.api.calling import Argument, arguments
from serbench.api.command_line.printing import EMPTY, check_writable, fail, split, tell_what_differs, tell_what_is_lost
from serbench.errors import PlanError, visible
from serbench.measure.options import Fit, Option, check_fits

T = TypeVar("T")
WITH_COMMAS = ("FILE", "PACKAGES", "MODULE:CLASS", "RUN|FILE.PY:FUNCTION", "NAME=VALUE", "[NOTEBOOK]...")
"""Stand for values that are not divided at commas."""
Choices: TypeAlias = dict[str, Any]
"""The arguments of a public function that the user gave."""


def own(help_: str, form: str, **more: Any) -> Any:
    """Declare an option of a command's own; one that is left out is None, or False if it has no value."""
    return Option(help_, form, **more)


# The options for the output of several commands; all others come from the public functions, or are one command's own.
_EVERYTHING = Fit(replaces=("verbose",), why="prints everything")
AS_JSON = own("Print one JSON object and nothing else", "--json", fits=(_EVERYTHING,))
VERBOSE = own("Show every detail: all warnings, versions and footnotes", "--verbose -v")
OUTPUT = own("File to write (default: standard output)", "--output -o FILE", writes=True)
FIGURES = own("File for the figures as JSON, as `data/costs` has them", "--output FILE", writes=True)
STORE: Any = get_args(choices.Store)[1]


def command(*functions: Callable[..., Any], positional: bool = True) -> Callable[..., Callable[..., None]]:
    """Make a command of a public function, or of several.

    The decorated function gets the arguments that the user gave, and then its own options, each declared as its
    default. The options of the command are those of the public functions, followed by its own; without `positional`,
    all arguments without a flag are its own.
    Without a function, the decorated one gets its own options alone. Options that do not go together are refused first.
    """
    shared = {
        name: argument
        for function in functions
        for name, argument in arguments(function).items()
        if argument.option.flags or (positional and argument.option.positional)
    }

    def decorated(body: Callable[..., None]) -> Callable[..., None]:
        written = [*inspect.signature(body, eval_str=True).parameters.values()][bool(functions) :]
        of_command = {
            parameter.name: Argument(parameter.default, parameter.annotation, _left_out(parameter.annotation))
            for parameter in written
        }
        accepted = shared | of_command
        options = {name: argument.option for name, argument in accepted.items()}

        @functools.wraps(body)
        def called(**typed: Any) -> None:
            if any(value == "" or (isinstance(value, list) and "" in value) for value in typed.values()):
                fail(EMPTY)
            chosen = {name: _read(accepted[name], value) for name, value in typed.items() if value}
            check_fits(options, chosen)
            of_body = {name: chosen.pop(name, argument.default) for name, argument in of_command.items()}
            body(*([chosen] if functions else []), **of_body)

        parameters = [_parameter(name, argument) for name, argument in accepted.items()]
        for name, value in (("__signature__", inspect.Signature(parameters)), ("__options__", options)):
            setattr(called, name, value)
        called.__annotations__ = {}
        return called

    return decorated


def _left_out(kind: Any) -> Any:
    """What an option of a command's own is without a value: False, or None; nothing else may be left out."""
    return False if kind is bool else None if type(None) in get_args(kind) else inspect.Parameter.empty


def _parameter(name: str, argument: Argument) -> inspect.Parameter:
    """Describe an argument to Typer; a text that is left out is None, so that the function's own default applies."""
    option = argument.option
    kind = bool if isinstance(argument.default, bool) else list[str] if argument.many else str
    missing: Any = ... if argument.required else False if kind is bool else None
    help_ = option.help if argument.required else option.sentence(argument.default)
    told: dict[str, Any] = {"help": help_, "metavar": option.metavar, "hidden": option.hidden, "show_default": False}
    info = typer.Option(missing, *option.flags, **told) if option.flags else typer.Argument(missing, **told)
    annotation = kind if argument.required or kind is bool else kind | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation)


def _read(argument: Argument, typed: Any) -> Any:
    """Return what a user typed as a value; end with one line if it cannot be read, or not be written there."""
    option = argument.option
    if isinstance(typed, list):
        parts = typed if option.metavar in WITH_COMMAS else split(typed)
        return [part if option.reader is None else _read_text(option, part) for part in parts]
    if option.writes:
        check_writable(option, Path(typed))
    if Path in get_args(argument.type) and str not in get_args(argument.type):
        return Path(typed)
    return typed if option.reader is None or typed is True else _read_text(option, typed)


def _read_text(option: Option, text: str) -> Any:
    assert option.reader is not None
    try:
        return option.reader(text)
    except PlanError as error:
        fail(f"{option.flags[0]} {error}")


def command_text() -> str:
    """Return the command as it was typed."""
    return visible(shlex.join(["serbench", *sys.argv[1:]]))


@contextmanager
def saying(text: str) -> Iterator[None]:
    """Say what is done while it takes long."""
    from serbench.measure.listener import Progress
    from serbench.store.progress import Watcher  # imports Rich

    with Watcher() as watcher:
        watcher.progress(Progress(text, 0, 0, 0))
        yield


def watched(function: Callable[..., T], choices: Choices, *, verbose: bool = False, **more: Any) -> T:
    """Call a public function, and show how far it is; tell first what the others' models lack of the user's class.

    What the class makes of the user's document is told at the end.
    """
    from serbench.machine.supervisor import MEMORY_BYTES
    from serbench.render.user_class.conversion import within
    from serbench.store.progress import Watcher

    if "command" in arguments(function):
        more["command"] = command_text()
    with within(choices.get("budget"), choices.get("memory_limit", MEMORY_BYTES)):
        tell_what_is_lost(choices)
        with Watcher(verbose=verbose) as watcher:
            result = function(**choices, **more, listener=watcher)
    tell_what_differs(choices)
    return result
