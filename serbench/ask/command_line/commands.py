"""Makes commands of public functions: their options, and the texts that a user types as the functions' arguments."""

from __future__ import annotations

import functools
import inspect
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, get_args

import typer

from serbench.ask import choices
from serbench.ask.calling import Argument, arguments
from serbench.ask.command_line.printing import EMPTY, fail, split, tell_what_differs, tell_what_is_lost, writable
from serbench.ask.options import METAVARS, Fit, Fitted, Option, check_fits
from serbench.errors import PlanError, visible

T = TypeVar("T")
WITH_COMMAS = ("FILE", "PACKAGES", "MODULE:CLASS", "RUN|FILE.PY:FUNCTION")
"""Stand for values that are not divided at commas."""
Choices: TypeAlias = dict[str, Any]
"""The arguments of a public function that the user gave."""


def flag(form: str, help_: str, *, writes: bool = False, **more: Any) -> Any:
    """Declare an option of a command's own, such as "--output -o FILE".

    A file or folder that it `writes` is refused before anything is measured if it cannot be written.
    """
    *names, last = form.split()
    metavar = None if last.startswith("-") else last
    names += [] if metavar else [last]
    return typer.Option(*names, metavar=metavar, callback=writable if writes else None, help=help_, **more)


# The options for the output of several commands; all others come from the arguments of the public functions.
AsJson = Annotated[
    bool,
    flag("--json", "Print one JSON object and nothing else"),
    Fit(replaces=("verbose", "top"), why="prints everything"),
]
Verbose = Annotated[bool, flag("--verbose -v", "Show every detail: all warnings, versions and footnotes")]
Output = Annotated[
    Path | None,
    flag("--output -o FILE", "File to write (default: standard output)", writes=True),
]
Figures = Annotated[
    Path | None,
    flag("--output FILE", "File for the figures as JSON, as `data/costs` has them", writes=True),
]
Store = Annotated[Path | None, flag("--store FILE", get_args(choices.Store)[1].sentence(None))]


def command(*functions: Callable[..., Any], positional: bool = True) -> Callable[..., Callable[..., None]]:
    """Make a command of a public function, or of several.

    The decorated function gets the arguments that the user gave, and then its own options. The options of the command
    are those of the public functions, followed by its own; without `positional`, all arguments without a flag are its own.
    Without a function, the decorated one gets its own options alone. Options that do not go together are refused first.
    """
    accepted = {
        name: one
        for function in functions
        for name, one in arguments(function).items()
        if one.option.flags or (positional and one.option.positional)
    }

    def decorated(body: Callable[..., None]) -> Callable[..., None]:
        written = list(inspect.signature(body, eval_str=True).parameters.values())[bool(functions) :]
        further = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in written]
        fits = {name: one.option.fitted(name) for name, one in accepted.items()}
        fits |= {one.name: _fitted(one) for one in further}

        @functools.wraps(body)
        def called(**typed: Any) -> None:
            if any(value == "" or (isinstance(value, list) and "" in value) for value in typed.values()):
                fail(EMPTY)
            choices = _choices(accepted, {name: typed.pop(name) for name in accepted})
            check_fits(fits, {**choices, **_typed(typed)})
            body(*([choices] if functions else []), **typed)

        derived = [_parameter(name, one) for name, one in accepted.items()]
        setattr(called, "__signature__", inspect.Signature([*derived, *further]))  # noqa: B010  # mypy knows no such attribute of a function
        called.__annotations__ = {}
        setattr(called, "__fits__", fits)  # noqa: B010  # as above
        return called

    return decorated


def _fitted(written: inspect.Parameter) -> Fitted:
    """Return with which others an option of a command's own goes."""
    info, *others = written.annotation.__metadata__
    flags = (one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str))  # as Typer has them
    return Fitted(next(flags, ""), tuple(one for one in others if isinstance(one, Fit)))


def _typed(typed: Choices) -> Choices:
    return {name: value for name, value in typed.items() if value is not None and value is not False and value != []}


def _parameter(name: str, argument: Argument) -> inspect.Parameter:
    """Describe an argument to Typer; a text that is left out is None, so that the function's own default applies."""
    option, default = argument.option, argument.default
    required = default is inspect.Parameter.empty
    kind = bool if isinstance(default, bool) else list[str] if option.many else str
    help_ = option.help if required else option.sentence(default)
    missing: Any = ... if required else False if kind is bool else None
    told: dict[str, Any] = {
        "help": help_,
        "metavar": option.metavar or METAVARS.get(option.read or str, "NAME"),
        "show_default": False,
    }
    info = (
        typer.Argument(missing, **told) if option.positional else typer.Option(missing, *option.flags.split(), **told)
    )
    annotation = kind if required or kind is bool else kind | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation)


def _choices(accepted: dict[str, Argument], values: dict[str, Any]) -> Choices:
    choices: Choices = {}
    for name, value in _typed(values).items():
        option = accepted[name].option
        many = value if option.metavar in WITH_COMMAS else split(value) if option.many else ()
        choices[name] = [_read(option, one) for one in many] if option.many else _read(option, value)
    return choices


def _read(option: Option, value: Any) -> Any:
    return value if option.read is None else read_text(option.read, value, option.flags.split()[0])


def read_text(read: Callable[[str], T], text: str, flag: str) -> T:
    """Read the text of an option; end with one line if it cannot be read."""
    try:
        return read(text)
    except PlanError as error:
        fail(f"{flag} {error}")


def command_text() -> str:
    """Return the command as it was typed."""
    return visible(shlex.join(["serbench", *sys.argv[1:]]))


def watched(function: Callable[..., T], choices: Choices, **more: Any) -> T:
    """Call a public function, and show how far it is; tell first what the others' models lack of the user's class.

    What the class makes of the user's document is told at the end.
    """
    from serbench.keep.progress import Watcher

    tell_what_is_lost(choices)
    if "command" in arguments(function):
        more["command"] = command_text()
    with Watcher() as watcher:
        result = function(**choices, **more, listener=watcher)
    tell_what_differs(choices)
    return result
