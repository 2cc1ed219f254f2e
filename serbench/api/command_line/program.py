"""The program: finds the command that is asked for, and turns errors into one line and an exit code.

0 is fine, 1 means that the answer is "no", 3 that there is none yet, 2 wrong use or an input that cannot be used: one line on
standard error says what to do instead. 4 is an error that nobody expected, with its traceback, and no answer.
130 is Ctrl-C: what was measured until then is printed.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import importlib
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast

import click

from serbench.api.command_line.printing import UNEXPECTED, end_interrupted, fail
from serbench.display.table import OUTPUT, visible_streams

FULL = (errno.ENOSPC, errno.EDQUOT)
UNUSABLE = (*FULL, errno.ENAMETOOLONG, errno.ELOOP, errno.EROFS, errno.EMFILE, errno.ENFILE)
"""What a machine, or a name that was typed, may be to blame for."""
NO_TEMPORARY_FOLDER = "No usable temporary directory"  # as Python's `tempfile` says it
COMMANDS = {  # command → the module that has it; it is imported when the command is asked for
    "run": "measuring",
    "show": "looking",
    "verify": "proving",
    "compare": "judging",
    "history": "judging",
    "gate": "judging",
    "recommend": "judging",
    "adopt": "looking",
    "claims": "reporting",
    "selfcheck": "proving",
    "weigh": "measuring",
    "report": "reporting",
    "app": "looking",
    "env": "looking",
}
EXAMPLES = {
    "serbench recommend orders.json": "which serializer for my file?",
    "serbench compare a.py:old a.py:new": "is the new function faster?",
    "serbench run -l msgspec,pydantic -f json": "how do these rank?",
}


def command_named(name: str) -> click.Command:
    """Return a command, or a group of commands; the help of its options is Markdown."""
    module = importlib.import_module(f"serbench.api.command_line.{COMMANDS[name]}")
    found: click.Command = getattr(module, f"{name}_command")
    return found


def summary(name: str) -> str:
    """Return a command's line in the list of commands, read from its source: importing all would take a second."""
    parsed = ast.parse(Path(__file__).with_name(f"{COMMANDS[name]}.py").read_text(encoding="utf-8"))
    bodies = (part for part in parsed.body if isinstance(part, ast.FunctionDef) and part.name == f"{name}_command")
    paragraph = (ast.get_docstring(next(bodies, parsed)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).partition(". ")[0].rstrip(".") + "."


class _Program(click.Group):
    """The commands, each imported when it is asked for, with plain text for help."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Give examples in place of the two options, which the usage line has, so that all fits on a screen."""
        formatter.write_paragraph()
        formatter.write("".join(f"  {example:<41}  {question}\n" for example, question in EXAMPLES.items()))
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  # the signature of click
        """List the commands without importing them."""
        with formatter.section("Commands, each with --help"):
            formatter.write_dl([(name, summary(name)) for name in COMMANDS])

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  # the signature of click
        if cmd_name not in COMMANDS:
            return None
        with _starting():
            command = command_named(cmd_name)
        _raise_interrupts()
        return command

    def invoke(self, ctx: Any) -> Any:
        """Let an interrupt of the command, or of the reading of its options, say what is kept; click ends without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            end_interrupted(error)


@contextlib.contextmanager
def _starting() -> Iterator[None]:
    """Say so in a terminal while modules are imported, which takes most of a second; the line is clear afterwards."""
    if not sys.stderr.isatty():
        yield
        return
    print("starting", end="\r", file=sys.stderr, flush=True)
    yield
    print(" " * len("starting"), end="\r", file=sys.stderr, flush=True)


def _raise_interrupts() -> None:
    """From here on Ctrl-C is an exception, so that what was measured is kept; also where Python would only print it."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.unraisablehook = _raised_again


def _raised_again(error: Any) -> None:
    """An interrupt that came within a finaliser or a callback comes again after it."""
    if isinstance(error.exc_value, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(error)


def _print_version(ctx: click.Context, _param: Any, asked: bool) -> None:
    if asked:
        from serbench.store.opening import installed_version

        print(f"serbench {installed_version()}")
        ctx.exit()


def program() -> click.Group:
    """Return the command line."""
    version = click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version)
    return _Program(
        "serbench",
        help="Find the library and byte format for your data, and what each choice costs.",
        params=[version],
        options_metavar="[--version | --help]",
        no_args_is_help=False,  # click before 8.2 gives its help for "-"
        commands=cast("dict[str, click.Command]", dict.fromkeys(COMMANDS)),  # names; `get_command` imports them
    )


def _cured(told: str, context: Any) -> str:
    """The message with what to type instead: a file as an option, or what the help of the command shows."""
    if context and told.startswith(("Missing ", "No such command ")) and not told.endswith("?"):  # a near name
        return f"{told.rstrip('.')}; see {context.command_path} --help"
    flags = {flag for param in context.command.params for flag in param.opts} if context else set()
    extra = "extra argument" in told and "--payload" in flags
    return f"{told}; name your own file with --payload" if extra else told


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    output: TextIO | None = sys.stdout  # what the shell has closed is None
    if output is None:
        fail("standard output is closed; send it to a file or to /dev/null")
    errors: TextIO | None = sys.stderr
    if errors is None:
        # the number of the closed stream, which no other file may have
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    code: Any = UNEXPECTED  # 1 would say "no"
    with visible_streams():
        try:
            _run(arguments)
        except SystemExit as end:
            code = end.code
        except Exception as error:
            if interrupt := _interrupt_before(error):
                end_interrupted(interrupt)
            traceback.print_exc()
    sys.exit(code)


def _interrupt_before(error: BaseException | None) -> BaseException | None:
    """Return the Ctrl-C after which a library failed while it cleaned up, such as nbclient; None if there was none."""
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error


def _run(arguments: Sequence[str] | None) -> NoReturn:
    from serbench.errors import SerbenchError

    try:
        typed = list(sys.argv[1:] if arguments is None else arguments)
        code = program().main(args=typed or ["--help"], prog_name="serbench", complete_var="", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt) as error:
        end_interrupted(error)
    except click.ClickException as error:
        explain = getattr(error, "format_message", None)  # the message without the usage lines
        fail(_cured(str(explain() if explain else error), getattr(error, "ctx", None)))
    except SerbenchError as error:
        fail(str(error))
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and str(error) != "can't start new thread":
            raise
        fail("the system gives no more memory; measure less at once, or raise the limit that `ulimit -v` shows")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if NO_TEMPORARY_FOLDER in str(error):
            fail("no folder for temporary files can be written; free some space, or set TMPDIR to a folder that can")
        if error.errno == errno.ENOENT and error.filename is None:  # os.getcwd() says so
            fail("the folder in which the command was given is gone; change to another")
        if error.errno not in UNUSABLE:
            raise
        if error.filename == OUTPUT:
            _end_full_output()
        if error.errno in FULL:
            where = error.filename or tempfile.tempdir or "temporary files"
            fail(f"the disk that holds {where} is full; free some space, or set TMPDIR, and go on with --resume")
        fail(f"{error.filename or 'a file'} cannot be used: {error.strerror}; name another")
    try:
        sys.stdout.flush()
    except OSError:
        _end_full_output()
    sys.exit(code if isinstance(code, int) else 0)


def _end_full_output() -> NoReturn:
    """Say that what was printed has not arrived, and let nothing more of it be written."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    fail("standard output cannot be written: no space is left there; free some, and repeat the command")
