"""What a user types: texts into numbers, and one line and an exit code for what cannot be used."""

from __future__ import annotations

import re
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
    """What Typer has to say of a wrong option or argument, without its usage lines."""
    explain = getattr(error, "format_message", None)
    return str(explain() if explain else error)


def fail(message: str) -> NoReturn:
    """One line on standard error, and exit code 2."""
    print("serbench: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(WRONG_USE)


@contextmanager
def writing(instead: str = "name another with --output") -> Iterator[None]:
    """A file that cannot be written is one line, which says what to do instead; what was there is as it was.

    Raises:
        PlanError: that line.
    """
    from serbench.names import PlanError

    try:
        yield
    except OSError as error:
        what = f"{error.filename or 'a file'} cannot be written: {error.strerror or error}"
        raise PlanError(f"{what}; make room, or {instead}") from None


def split(values: Iterable[str] | None) -> tuple[str, ...]:
    """Repeated and comma-separated names as one tuple; none at all where the option was not given."""
    found = tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
    if values and not found:
        fail("an option is empty; give it a value, or leave it out")
    return found


def numbers(option: str, values: Iterable[str] | None) -> tuple[int, ...]:
    """Repeated and comma-separated whole numbers; `1_000`, `1000` and `1e3` are the same."""
    found = []
    for text in split(values):
        try:
            number = float(text)
        except ValueError:
            number = 0.5
        if not number.is_integer():
            fail(f"{option} takes a whole number such as 100, not {text!r}")
        found.append(int(number))
    return tuple(found)


def fraction(option: str, text: str) -> float:
    """`2%` or `0.02` as 0.02."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", text)
    if not match:
        fail(f"{option} takes a percentage such as 2%, not {text!r}")
    return float(match[1]) / (100 if match[2] else 1)


def seconds(option: str, text: str) -> float:
    """`90`, `90s`, `1.5m` or `1h` in seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(|s|m|h)\s*", text)
    if not match:
        fail(f"{option} takes a time such as 60s or 5m, not {text!r}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def bits_per_second(option: str, text: str) -> float:
    """`10Mbit/s`, `1.5Gbit/s`, `56kbit/s` or a number of bits per second."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?)(?:bit(?:/s|ps)?|bps)?\s*", text)
    if not match or not float(match[1]):
        fail(f"{option} takes a bandwidth such as 10Mbit/s or 1Gbit/s, not {text!r}")
    return float(match[1]) * {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]


def size(option: str, text: str) -> int:
    """`4G`, `512M` or a number of bytes in bytes."""
    match = re.fullmatch(r"\s*(\d+)\s*([kKMGT]?)(?:i?B)?\s*", text)
    if not match:
        fail(f"{option} takes a size such as 4G or 512M, not {text!r}")
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def chosen(context: typer.Context, apart_from: set[str]) -> set[str]:
    """The parameters that the user gave."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name != "DEFAULT"} - apart_from
