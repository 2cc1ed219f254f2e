"""The declaration of an option: its help, how it is typed, with which others it goes; and the readers of typed values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from serbench.errors import PlanError, brief, check

Reader = Callable[[str], Any]


@dataclass(frozen=True)
class Fit:
    """With which other options one goes; what cannot matter beside it is refused before anything is measured.

    Attributes:
        needs: it only matters if one of these is given.
        replaces: these cannot matter if it is given.
        leaves: if set, only these can matter if it is given.
        why: what it does, for the message: "measures nothing".
        when: tells from the values of all given options if this holds.
    """

    needs: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    leaves: tuple[str, ...] | None = None
    why: str = ""
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True

    def refuses(self, name: str) -> bool:
        """Tell if an option cannot matter beside the one that this is declared of."""
        return name in self.replaces or (self.leaves is not None and name not in self.leaves)


@dataclass(frozen=True)
class Option:
    """The one declaration of an option, for its argument in Python, on the command line, in notebooks and documents.

    Attributes:
        help: a phrase in Markdown, without a full stop.
        form: how it is typed, "--records -n N" or "LIBRARY"; the last word stands for the value and names its reader,
            see `READERS`. An option without a form exists in Python only.
        default: the meaning of an empty default, in words.
        python: what only a Python user needs to know.
        fits: with which other options it goes.
        read: reads a text, if the form names no reader.
        writes: it names a file or folder to write, which is refused at once if it cannot be written.
        hidden: `--help` does not show it.
        choices: the names that it takes, or some of them, to offer.
        refuse: refuses a name, if there are more than `choices`.
        limits: the least and the greatest number, None for no limit.
    """

    help: str
    form: str = ""
    default: str = ""
    python: str = ""
    fits: tuple[Fit, ...] = ()
    read: Reader | None = None
    writes: bool = False
    hidden: bool = False
    choices: Callable[[], Sequence[str]] | None = None
    refuse: Callable[[str], object] | None = None
    limits: tuple[float | None, float | None] = (None, None)

    def check(self, name: str, value: Any) -> None:
        """Refuse a value, or one of several, that it cannot have: an unknown name, or a number out of its limits.

        Raises:
            PlanError: one line, with the nearest name that is known.
        """
        least, most = self.limits
        for part in value if isinstance(value, list | tuple) else (value,):
            if self.refuse is not None:
                self.refuse(part)
            elif self.choices is not None:
                check(name, part, self.choices())
            if part != part:  # noqa: PLR0124  # NaN
                raise PlanError(f"{name} must be a number, not {part}")
            if least is not None and part < least:
                raise PlanError(f"{name} must be at least {least:g}, not {part:,}")
            if most is not None and part > most:
                raise PlanError(f"{name} must be at most {most:,.0f}, not {part:,}")

    @property
    def flags(self) -> list[str]:
        """Its names on the command line, such as `--records` and `-n`; none if it is typed without."""
        return [word for word in self.form.split() if word.startswith("-")]

    @property
    def positional(self) -> bool:
        """True if it is typed without a flag."""
        return bool(self.form) and not self.flags

    @property
    def metavar(self) -> str:
        """The word that stands for the value."""
        last = self.form.split()[-1:]
        return "NAME" if last == self.flags[-1:] else last[0]

    @property
    def reader(self) -> Reader | None:
        """The reader of a text; None keeps it."""
        return self.read or READERS.get(self.metavar)

    @property
    def python_note(self) -> str:
        """A note for Python users only: other values that it takes, or its unit."""
        return self.python or UNITS.get(self.reader, "")

    def named(self, name: str, value: Any) -> str:
        """Return the words for it in a message: its flag, the value that is typed without one, or its name in Python."""
        if self.positional:
            words = value if isinstance(value, list | tuple) else (value,)
            return " ".join(word if isinstance(word, str) else brief(word) for word in words)
        return self.flags[0] if self.flags else name

    def shown(self, value: Any) -> str:
        """Return a default as a user would type it; empty for one that needs no words."""
        if value is None or value in ((), ""):
            return self.default
        if isinstance(value, bool):
            return ""
        value = WRITERS[self.reader](value) if self.reader in WRITERS else value
        return f"`{value}`" if isinstance(value, str | int | float) else ", ".join(f"`{word}`" for word in value)

    def sentence(self, value: Any) -> str:
        """Return the help with the default."""
        default = self.shown(value)
        return f"{self.help} (default: {default})" if default else self.help


def declared(default: Any, *declaration: Any, **more: Any) -> Any:
    """Return a field of a dataclass with its default and its `Option`."""
    return field(default=default, metadata={"option": Option(*declaration, **more)})


def check_fits(options: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Refuse what cannot matter, of options to which values were given.

    Raises:
        PlanError: one line that says what to omit, or what else to give.
    """
    chosen = {name: option for name, option in options.items() if name in values}
    words = {name: option.named(name, values[name]) for name, option in chosen.items()}
    pairs = [(name, fit) for name, option in chosen.items() for fit in option.fits if fit.when(values)]
    for name, fit in pairs:
        needless = [words[other] for other in chosen if other != name and fit.refuses(other)]
        if needless:
            what = joined(needless)
            told = f"{fit.why}; omit {what}" if fit.why else f"replaces {what}; omit one of them"
            raise PlanError(f"{words[name]} {told}")
    for name, fit in pairs:
        if fit.needs and chosen.keys().isdisjoint(fit.needs):
            needed = [option.named(other, "") for other, option in options.items() if other in fit.needs]
            others = joined(filter(None, needed), "or")
            raise PlanError(f"{words[name]} only matters with {others}; give that too, or omit {words[name]}")


def joined(words: Iterable[str], last: str = "and") -> str:
    """Return words as a list in a sentence."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


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
        raise PlanError(f"takes a whole number such as 100, not {brief(text)}")
    return int(number)


def fraction(text: str) -> float:
    """Read `2%` or `0.02` as 0.02."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*", text)
    if not match:
        raise PlanError(f"takes a percentage such as 2%, not {brief(text)}")
    return float(match[1]) / (100 if match[2] else 1)


def seconds(text: str) -> float:
    """Read `90`, `90s`, `1.5m` or `1h` as seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(|s|m|h)\s*", text)
    if not match:
        raise PlanError(f"takes a time such as 60s or 5m, not {brief(text)}")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def size(text: str) -> int:
    """Read `4G`, `512M` or a number of bytes as bytes."""
    match = re.fullmatch(r"\s*(\d{1,18})\s*([kKMGT]?)(?:i?B)?\s*", text)
    if not match:
        raise PlanError(f"takes a size such as 4G or 512M, not {brief(text)}")
    return int(match[1]) << {"": 0, "k": 10, "K": 10, "M": 20, "G": 30, "T": 40}[match[2]]


def bits_per_second(text: str) -> float:
    """Read `10Mbit/s`, `1.5Gbit/s`, `56kbit/s` or a number as bits per second."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kKMGT]?)(?:bit(?:/s|ps)?|bps)?\s*", text)
    if not match or not float(match[1]):
        raise PlanError(f"takes a bandwidth such as 10Mbit/s or 1Gbit/s, not {brief(text)}")
    return float(match[1]) * {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]


def decimal(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise PlanError(f"takes a number such as 1.5, not {brief(text)}") from None


def truth(text: str) -> bool:
    """Read `true`, `yes`, `1` and `on`, and their opposites."""
    words = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}
    if text.strip().lower() not in words:
        raise PlanError(f"takes true or false, not {brief(text)}")
    return words[text.strip().lower()]


def _as_size(number: int) -> str:
    return f"{number >> 30}G" if number >> 30 else f"{number >> 20}M" if number >> 20 else str(number)


READERS: dict[str, Reader] = {
    "N": whole,
    "PERCENT": fraction,
    "TIME": seconds,
    "SIZE": size,
    "RATE": bits_per_second,
}
"""The word that stands for a value in a form → its reader."""
WRITERS: dict[Reader | None, Callable[[Any], str]] = {
    fraction: lambda part: f"{part:.0%}",
    seconds: lambda time: f"{time / 60:g}m" if time > 60 else f"{time:g}s",
    size: _as_size,
}
UNITS: dict[Reader | None, str] = {fraction: "0.02 is 2%", seconds: "in seconds", size: "in bytes"}
