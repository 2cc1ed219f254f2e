"""An argument's declaration, and the readers of what the command line takes for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from serbench.errors import PlanError


@dataclass(frozen=True)
class Option:
    """The declaration of an argument: its help, and its form on the command line.

    Attributes:
        help: a phrase in Markdown, without a full stop.
        flags: its names on the command line, such as "--records -n"; an argument without flags exists in Python
            only, unless `positional` is set.
        default: the meaning of an empty default, in words.
        read: turns a text from the command line into a value; None keeps the text.
        many: takes several values, repeated or separated by commas.
        metavar: stands for the value in `--help`; by default a word for what `read` takes.
        positional: the command line takes it without a flag.
        python: what only a Python user needs to know.
        initial: the value of an argument that is left out, for those that functions share.
        needs: the arguments without all of which it cannot matter, and is refused.
        group: "data" or "cases": other commands than `run` name these together in the documentation.
    """

    help: str
    flags: str = ""
    default: str = ""
    read: Callable[[str], Any] | None = None
    many: bool = False
    metavar: str = ""
    positional: bool = False
    python: str = ""
    group: str = ""
    needs: tuple[str, ...] = ()
    initial: Any = None

    def shown(self, value: Any) -> str:
        """Return a default as a user would type it; empty for one that needs no words."""
        if value is None or value in ((), ""):
            return self.default
        if isinstance(value, bool):
            return ""
        if self.read is not None:
            value = WRITE.get(self.read, str)(value)
        return f"`{value}`" if isinstance(value, str | int | float) else ", ".join(f"`{one}`" for one in value)

    @property
    def python_note(self) -> str:
        """A note for Python users only: other values that it takes, or its unit."""
        return self.python or (UNITS.get(self.read, "") if self.read else "")

    def sentence(self, value: Any) -> str:
        """Return the help with the default."""
        default = self.shown(value)
        return f"{self.help} (default: {default})" if default else self.help


def whole(text: str) -> int:
    """Read a whole number; `1_000`, `1000` and `1e3` are the same."""
    try:
        return int(text)
    except ValueError:
        pass  # it may be a float that is one
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not number.is_integer():
        raise PlanError(f"takes a whole number such as 100, not {text!r}")
    return int(number)


def fraction(text: str) -> float:
    """Read `2%` or `0.02` as 0.02."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", text)
    if not match:
        raise PlanError(f"takes a percentage such as 2%, not {text!r}")
    return float(match[1]) / (100 if match[2] else 1)


def seconds(text: str) -> float:
    """Read `90`, `90s`, `1.5m` or `1h` as seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(|s|m|h)\s*", text)
    if not match:
        raise PlanError(f"takes a time such as 60s or 5m, not {text!r}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def size(text: str) -> int:
    """Read `4G`, `512M` or a number of bytes as bytes."""
    match = re.fullmatch(r"\s*(\d+)\s*([kKMGT]?)(?:i?B)?\s*", text)
    if not match:
        raise PlanError(f"takes a size such as 4G or 512M, not {text!r}")
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def bits_per_second(text: str) -> float:
    """Read `10Mbit/s`, `1.5Gbit/s`, `56kbit/s` or a number as bits per second."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?)(?:bit(?:/s|ps)?|bps)?\s*", text)
    if not match or not float(match[1]):
        raise PlanError(f"takes a bandwidth such as 10Mbit/s or 1Gbit/s, not {text!r}")
    return float(match[1]) * {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]


def _as_size(number: int) -> str:
    return f"{number >> 30}G" if number >> 30 else f"{number >> 20}M" if number >> 20 else str(number)


WRITE: dict[Callable[[str], Any], Callable[[Any], str]] = {
    fraction: lambda part: f"{part:.0%}",
    seconds: lambda time: f"{time / 60:g}m" if time > 60 else f"{time:g}s",
    size: _as_size,
    bits_per_second: lambda bits: f"{bits / 1e9:g}Gbit/s",
}
METAVARS: dict[Callable[[str], Any], str] = {whole: "N", fraction: "PERCENT", seconds: "TIME", size: "SIZE"}
UNITS: dict[Callable[[str], Any], str] = {fraction: "0.02 is 2 %", seconds: "in seconds", size: "in bytes"}
