"""Exit codes, and errors in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import typer

WRONG_USE = 2
UNDECIDED = 3
INTERRUPTED = 130


def explanation(error: typer.TyperException) -> str:
    """Return Typer's message on a wrong option or argument, without its usage lines."""
    explain = getattr(error, "format_message", None)
    return str(explain() if explain else error)


def fail(message: str) -> NoReturn:
    """Print one line on standard error and exit with code 2."""
    print("serbench: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(WRONG_USE)


@contextmanager
def writing(instead: str = "name another with --output") -> Iterator[None]:
    """Tell in one line that a file cannot be written, and what to do instead.

    Raises:
        PlanError: that line.
    """
    from serbench.errors import PlanError

    try:
        yield
    except OSError as error:
        what = f"{error.filename or 'a file'} cannot be written: {error.strerror or error}"
        raise PlanError(f"{what}; make room, or {instead}") from None


def split(values: Iterable[str] | None) -> tuple[str, ...]:
    """Return repeated and comma-separated names as one tuple; empty if the option was not given."""
    found = tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
    if values and not found:
        fail("an option is empty; give it a value, or leave it out")
    return found
