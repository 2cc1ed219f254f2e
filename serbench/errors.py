"""Errors that users see, one line each (what is wrong, where, and how to mend it), and checks of foreign data."""

from __future__ import annotations

import difflib
import functools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_LONGEST_SHOWN, _LONGEST_NAME, _LONGEST_FILE = 60, 300, 255
MAY_BE_NEGATIVE = frozenset({"seed"})
_STEERING = (
    "\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_COMMAND = r"(?<!\S):(?=:\w)|(?<!\S)#(?=#\[)"  # what a CI obeys at the beginning of a line
_IN_LINE = re.compile(f"[{_STEERING}]|{_COMMAND}")
_IN_LINES = re.compile(rf"(?!\r?\n|\t)[{_STEERING}]|{_COMMAND}")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with control, direction and line characters, and halves of characters, as escapes; with `lines` its lines stay.

    Commands to a CI, such as `::error::`, begin with an escape too.
    """
    if text.isascii() and text.isprintable() and "::" not in text and "##[" not in text:
        return text
    return (_IN_LINES if lines else _IN_LINE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    return f"\\u{ord(sign):04x}" if sign in ":#" else json.dumps(sign)[1:-1]


def brief(value: object) -> str:
    """The beginning of a value as Python shows it, or its type if it cannot be shown."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a class of the user's, or lists in lists without end
        return f"an object of {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


class SerbenchError(Exception):
    """The base of all errors whose message is one line, which can be printed, for the person who caused them."""

    def __str__(self) -> str:
        return visible(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows below the cell."""
        return [f"{type(self).__name__}: {line_of(self)}"]


def line_of(error: object) -> str:
    """Return an error in one line that names arguments: who calls a function or moves a control has typed no option."""

    def named(found: re.Match[str]) -> str:
        name = (found[2] or "").replace("-", "_")
        return found[1] or {"library": "libraries"}.get(name, f"{name}s" if name in _SEVERAL else name)

    return re.sub(r"(`[^`]*`)|(?<![\w-])--([a-z-]+)", named, " ".join(str(error).split()))


_SEVERAL = ("format", "endpoint", "operation")
"""Options, each of which is one of several values of an argument."""


class PlanError(SerbenchError, ValueError):
    """A choice that cannot be measured."""


class WorkloadError(SerbenchError, ValueError):
    """Data that cannot be generated or read."""


class SchemaError(SerbenchError, ValueError):
    """A schema or class that cannot be described."""


class StoreError(SerbenchError):
    """A store that cannot be read or written."""


class Interrupted(KeyboardInterrupt):
    """The user has ended something; the message says what is kept, and how to go on."""


class PlugInError(SerbenchError):
    """A library, format, codec or workload whose file is wrong; serbench does nothing until that is corrected."""


_MOST_KNOWN = 40  # names of an error: all libraries, and the formats before their codecs


def and_more(names: Sequence[str], most: int) -> str:
    """The first names in a sentence: "a, b and 3 more"."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def installed_by(extra: str) -> str:
    """The end of a message that says how to install an extra, from a copy of serbench."""
    return f"pip install '.[{extra}]' in the folder of your copy of serbench"


@contextmanager
def if_interrupted(kept: str | Callable[[], str]) -> Iterator[None]:
    """Say of an interrupt within the block what is kept, and how to go on; a function is asked when it comes.

    Raises:
        Interrupted: that line; what was said before stays.
    """
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {kept if isinstance(kept, str) else kept()}") from None


def check(what: str, name: object, known: Iterable[object], error: type[SerbenchError] = PlanError) -> None:
    """Raise an error for an unknown name, suggesting the closest one.

    Args:
        what: the kind of thing that is named, for the message: "library", "operation".
        name: as the user typed it.
        known: all valid names.
        error: the class of the error.
    """
    values = dict.fromkeys(known)
    with suppress(Exception):  # what cannot be hashed or compared is none of them
        if name in values:
            return
    names, shown = list(map(str, values)), repr(name[:_LONGEST_NAME]) if isinstance(name, str) else brief(name)
    near = difflib.get_close_matches(name if isinstance(name, str) else shown, names, 1)
    hint = (
        f"did you mean {near[0]}?"
        if near
        else f"known are {and_more(names, _MOST_KNOWN)}"
        if names
        else "there is none"
    )
    raise error(f"unknown {what} {shown}: {hint}")


_TYPES: dict[str, tuple[type, str]] = {
    "str": (str, "text"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "bool": (bool, "True or False"),
    "Path": (os.PathLike, "a path"),
    "os.PathLike[str]": (os.PathLike, "a path"),
    "None": (type(None), ""),
}


def is_finite(number: Any) -> bool:
    """Tell if a number is finite as a float too, which has fewer digits."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def typed(method: F) -> F:
    """Have a method refuse, in one line, arguments of other types than its annotations say."""
    found = {
        name: [_type_of(hint, method) for hint in str(hints).split(" | ")]
        for name, hints in method.__annotations__.items()
        if name != "return"
    }
    plain = {name: kinds for name, kinds in found.items() if None not in kinds}

    @functools.wraps(method)
    def called(*positional: Any, **named: Any) -> Any:
        for name, value in {**dict(zip(method.__code__.co_varnames, positional, strict=False)), **named}.items():
            if name in plain:
                _check_type(name, value, cast("list[tuple[type, str]]", plain[name]))
        return method(*positional, **named)

    return cast("F", called)


def _type_of(hint: str, method: Callable[..., Any]) -> tuple[type, str] | None:
    """The class that a part of an annotation means, and its words; None for any other part, such as a Literal."""
    kind = method.__globals__.get(hint.partition("[")[0])
    return _TYPES.get(hint) or ((kind, f"a {kind.__name__}") if isinstance(kind, type) else None)


def is_path(value: os.PathLike[Any]) -> bool:
    """Tell if what says that it is a path is one in text."""
    try:
        return isinstance(os.fspath(value), str)
    except Exception:  # a class of the user's
        return False


def _check_type(name: str, value: object, accepted: list[tuple[type, str]]) -> None:
    types = tuple(kind for kind, _ in accepted)
    if isinstance(value, os.PathLike) and not is_path(value):
        types = ()
    is_truth = isinstance(value, bool) and bool not in types  # which is no number
    if is_truth or not isinstance(value, types) or (isinstance(value, Real) and not is_finite(value)):
        words = " or ".join(filter(None, (word for _, word in accepted)))
        raise PlanError(f"{name} takes {words}, not {brief(value)}")
    if isinstance(value, str | os.PathLike):
        check_text(name, value, is_path=os.PathLike in types)


def check_text(name: str, value: object, *, is_path: bool) -> None:
    """Refuse a text or path with a NUL character or half of one, and a path that no file can have."""
    if "\0" in str(value):
        raise PlanError(f"{name} has a NUL character; omit it")
    try:
        str(value).encode(errors="surrogateescape")  # as names of files are
    except UnicodeEncodeError:
        raise PlanError(f"{name} has half of a character; omit it") from None
    if is_path and not str(value).strip():
        raise PlanError(f"{name} is an empty path; name a file or folder")
    parts = Path(str(value)).parts if is_path else ()
    longest = max((len(part.encode(errors="surrogatepass")) for part in parts), default=0)
    if longest > _LONGEST_FILE:
        raise PlanError(f"{name} has a name of {longest} bytes; no file has more than {_LONGEST_FILE}")


class WrongDataError(ValueError):
    """A value is not as serbench writes it; the message names the field and what is wrong."""


def parsed(text: object, field: str) -> Any:
    """The JSON in a field, or in a file.

    Raises:
        WrongDataError: there is none, or it is nested too deep to be read.
    """
    try:
        return json.loads(text)  # type: ignore[arg-type]  # what is no text is a TypeError
    except (TypeError, ValueError, RecursionError) as error:
        raise WrongDataError(f"{field}: {error}") from None


def checked(kind: type[T], data: object, what: str) -> T:
    """The data as a value of a class, whose numbers are finite and not negative.

    Raises:
        WrongDataError: a field is missing or has another type or an impossible number; the message begins with `what`.
    """
    import msgspec

    try:
        value = msgspec.convert(data, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise WrongDataError(f"{what}: {str(error).replace('$.', '')}") from None
    _check_numbers(value, what)
    return value


def _check_numbers(value: object, what: str) -> None:
    for name in getattr(value, "__dataclass_fields__", ()):
        number = getattr(value, name)
        if isinstance(number, float) and not math.isfinite(number):
            raise WrongDataError(f"{what}: {name} is {number}")
        if isinstance(number, int | float) and number < 0 and name not in MAY_BE_NEGATIVE:
            raise WrongDataError(f"{what}: {name} is {number}, less than 0")
        _check_numbers(number, what)
