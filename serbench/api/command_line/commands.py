"""Builds the commands from declared options: parses what a user typed, and calls the public functions."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

import click

from serbench.api import choices
from serbench.api.calling import Argument, arguments
from serbench.api.command_line.printing import EMPTY, check_writable, fail, split, tell_what_differs, tell_what_is_lost
from serbench.errors import PlanError, visible
from serbench.measure.options import Fit, Option, check_fits

T = TypeVar("T")
WITH_COMMAS = ("FILE", "PACKAGES", "MODULE:CLASS", "RUN|FILE.PY:FUNCTION", "NAME=VALUE", "NOTEBOOK")
"""Stand for values that are not divided at commas."""
Choices: TypeAlias = dict[str, Any]
"""The arguments of a public function that the user gave."""


USUAL = {
    "run": "workload records payload model endpoint library format effort",
    "show": "workload records payload model as output json",
    "verify": "workload records payload model library format all json",
    "compare": "effort setup with unequal json verbose",
    "history": "workload records payload model format operation effort json",
    "gate": "baseline candidate workload payload model format threshold json",
    "recommend": "workload records model library format demand present bandwidth",
    "adopt": "workload payload model check lossy forbid-unknown keep-unknown output",
    "claims": "effort versions sources output stored json",
    "selfcheck": "part quick stored output json",
    "weigh": "workload records payload model library format metric json",
    "report": "parameter effort output image html site run json",
    "app": "lab no-browser",
    "build": "json",
    "remove": "",
}
"""The options of each command that its help shows, at most eight; `--help-all` shows all."""


class Command(click.Command):
    """A command whose help leaves out the rare options.

    Attributes:
        declared: argument → its declaration.
    """

    def __init__(self, *names: Any, declared: Mapping[str, Option], **more: Any) -> None:
        super().__init__(*names, **more)
        self.declared = declared

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters with plain text for help, and --help-all beside --help if some are rare."""
        params = [copy(param) for param in super().get_params(ctx)]
        shown = {"--help", *(f"--{name}" for name in USUAL[self.name or ""].split())}
        rare = [param for param in params if isinstance(param, click.Option) and shown.isdisjoint(param.opts)]
        for option in rare:
            option.hidden = __name__ not in ctx.meta
        for param in params:
            param.help = (param.help or "").replace("`", "")
        more = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_help_all,
            hidden=not rare,
            help="Show all options and exit.",
        )
        return [*params, more]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help; those of arguments too, which click before 8.5 has not."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        params = self.get_params(ctx)
        named = [(param.metavar or "", param.help or "") for param in params if isinstance(param, click.Argument)]
        options = [param.get_help_record(ctx) for param in params if isinstance(param, click.Option)]
        for title, rows in (("Arguments", named), ("Options", list(filter(None, options)))):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _help_all(ctx: click.Context, _param: Any, asked: bool) -> None:
    """Print the help with the rare options."""
    if asked:
        ctx.meta[__name__] = True
        print(ctx.get_help())
        ctx.exit()


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


def command(*functions: Callable[..., Any], positional: bool = True) -> Callable[..., Command]:
    """Make a command of a public function, or of several, named as the decorated function, and documented by its docstring.

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

    def decorated(body: Callable[..., None]) -> Command:
        written = [*inspect.signature(body, eval_str=True).parameters.values()][bool(functions) :]
        of_command = {
            parameter.name: Argument(parameter.default, parameter.annotation, _left_out(parameter.annotation))
            for parameter in written
        }
        accepted = shared | of_command
        options = {name: argument.option for name, argument in accepted.items()}

        def called(**typed: Any) -> None:
            if any(value == "" or (isinstance(value, tuple) and "" in value) for value in typed.values()):
                fail(EMPTY)
            chosen = {name: _read(accepted[name], value) for name, value in typed.items() if value}
            check_fits(options, chosen)
            of_body = {name: chosen.pop(name, argument.default) for name, argument in of_command.items()}
            body(*([chosen] if functions else []), **of_body)

        parameters = [_parameter(name, argument) for name, argument in accepted.items()]
        name = body.__name__.removesuffix("_command").rpartition("_")[2]
        return Command(name, callback=called, params=parameters, help=inspect.getdoc(body), declared=options)

    return decorated


def _left_out(kind: Any) -> Any:
    """What an option of a command's own is without a value: False, or None; nothing else may be left out."""
    return False if kind is bool else None if type(None) in get_args(kind) else inspect.Parameter.empty


def _parameter(name: str, argument: Argument) -> click.Parameter:
    """Describe an argument to click; a text that is left out is None, so that the function's own default applies."""
    option = argument.option
    help_ = option.help if argument.required else option.sentence(argument.default)
    if not option.flags:
        form = option.metavar if argument.required else f"[{option.metavar}]"
        many = {"nargs": -1, "metavar": f"{form}..."} if argument.many else {"metavar": form}
        positional = click.Argument([name], required=argument.required, **many)
        positional.help = help_  # click before 8.5 does not take it
        return positional
    told: dict[str, Any] = {"help": help_, "hidden": option.hidden, "required": argument.required}
    if isinstance(argument.default, bool):
        return click.Option([name, *option.flags], is_flag=True, **told)
    return click.Option([name, *option.flags], multiple=argument.many, metavar=option.metavar, **told)


def _read(argument: Argument, typed: Any) -> Any:
    """Return what a user typed as a value; end with one line if it cannot be read, or not be written there."""
    option = argument.option
    if isinstance(typed, tuple):
        parts = [*typed] if option.metavar in WITH_COMMAS else split(typed)
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
