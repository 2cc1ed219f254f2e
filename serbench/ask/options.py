"""An argument's declaration, with which others it goes, and the readers of what is given for it."""

from __future__ import annotations

import os
import re
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from serbench.errors import PlanError


@dataclass(frozen=True)
class Fit:
    """With which other arguments one goes; what cannot matter beside it is refused before anything is measured.

    Attributes:
        needs: it only matters if one of these is there.
        replaces: these cannot matter if it is there.
        leaves: if set, only these can matter if it is there.
        why: what it does, for the message: "measures nothing".
        when: tells from the values of all arguments that are there if this holds.
    """

    needs: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    leaves: tuple[str, ...] | None = None
    why: str = ""
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True

    def refuses(self, name: str) -> bool:
        """Tell if an argument cannot matter beside the one that this is declared of."""
        return name in self.replaces or (self.leaves is not None and name not in self.leaves)


class Fitted(NamedTuple):
    """How an argument is named in a message, by its value if this is empty, and with which others it goes."""

    flag: str
    fits: tuple[Fit, ...] = ()

    def named(self, value: Any) -> str:
        """Return the words for it in a message."""
        return self.flag or " ".join(map(str, (value,) if isinstance(value, str) else value))


def check_fits(arguments: Mapping[str, Fitted], values: Mapping[str, Any]) -> None:
    """Refuse what cannot matter, of arguments to which values were given.

    Raises:
        PlanError: one line that says what to omit, or what else to give.
    """
    there = {name: one for name, one in arguments.items() if name in values}
    pairs = [(name, fit) for name, one in there.items() for fit in one.fits if fit.when(values)]
    for name, fit in pairs:
        needless = [one.named(values[other]) for other, one in there.items() if other != name and fit.refuses(other)]
        if needless:
            what = joined(needless)
            told = f"{fit.why}; omit {what}" if fit.why else f"replaces {what}; omit one of them"
            raise PlanError(f"{there[name].named(values[name])} {told}")
    for name, fit in pairs:
        if fit.needs and there.keys().isdisjoint(fit.needs):
            others = joined((one.flag for other, one in arguments.items() if other in fit.needs and one.flag), "or")
            flag = there[name].named(values[name])
            raise PlanError(f"{flag} only matters with {others}; give that too, or omit {flag}")


def joined(words: Iterable[str], last: str = "and") -> str:
    """Return words as a list in a sentence."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


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
        fits: with which other arguments it goes.
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
    fits: tuple[Fit, ...] = ()
    initial: Any = None

    def fitted(self, name: str) -> Fitted:
        """Return how the argument of this name is typed, and with which others it goes."""
        return Fitted("" if self.positional else self.flags.partition(" ")[0] or name, self.fits)

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


def as_declared(name: str, value: Any, declared: Any, option: Option) -> Any:
    """Return the value of an argument in Python as its type says: texts are read as on the command line.

    Numbers of other libraries, such as NumPy's, become Python's, and several values a list or a tuple.

    Raises:
        PlanError: the value is of another type, or cannot be read.
    """
    members = get_args(declared) if get_origin(declared) in (Union, types.UnionType) else (declared,)
    literals = [text for one in members if get_origin(one) is Literal for text in get_args(one)]
    kinds = [get_origin(one) or one for one in members if get_origin(one) is not Literal]
    if value is None or Any in members or object in members or (isinstance(value, str) and value in literals):
        return value
    if isinstance(value, str) and str not in kinds:
        if option.read is None:
            raise PlanError(f"{name} takes {_words([*kinds, *literals])}, not {shorten(repr(value), 60)}")
        try:
            return [option.read(one) for one in value.split(",")] if option.many else option.read(value)
        except PlanError as error:
            raise PlanError(f"{name} {error}") from None
    for kind, (accepted, plain) in _NUMBERS.items():
        if kind in kinds and isinstance(value, accepted) and not isinstance(value, bool):
            return plain(value)
    if Iterable in kinds and not isinstance(value, str | bytes | Mapping) and isinstance(value, Iterable):
        (item,) = next(get_args(one) for one in members if get_origin(one) is Iterable)
        read = [as_declared(name, one, item, option) for one in value]
        return tuple(read) if isinstance(value, tuple) else read
    is_plain = all(one in _WORDS for one in kinds)  # what an object of another type is, its user tells
    if is_plain and ((isinstance(value, bool) and bool not in kinds) or not isinstance(value, tuple(kinds))):
        raise PlanError(f"{name} takes {_words([*kinds, *literals])}, not {shorten(repr(value), 60)}")
    return value


_NUMBERS: dict[type, tuple[type, Callable[[Any], Any]]] = {int: (Integral, int), float: (Real, float)}
_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    Iterable: "several of it",
    Mapping: "a dict",
    Path: "a path",
    os.PathLike: "a path",
    types.NoneType: "",
}


def _words(kinds: Iterable[Any]) -> str:
    """Return the words for types, and for texts that are taken as they are."""
    named = (repr(one) if isinstance(one, str) else _WORDS.get(one, "") for one in kinds)
    return joined(filter(None, named), "or")


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
