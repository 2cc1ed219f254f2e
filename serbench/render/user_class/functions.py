"""Functions of the user's as a case: a file with `encode` and `decode`, measured as it is beside all others."""

from __future__ import annotations

import re
import symtable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from serbench.errors import PlanError, check
from serbench.render.case import REJECTS, Case
from serbench.render.codec import UNNAMED, Codec, formats
from serbench.render.library import Library, libraries
from serbench.results import FUNCTIONS

ROLES = ("encode", "decode", "build")
"""The functions of such a file; it may lack `build`, which makes what `encode` takes of the plain document."""
CODEC = FUNCTIONS
_TEXT = re.compile(r"([A-Za-z][\w .-]*?)(?:/([\w.-]+))?=(?!=)(.+\.py)")
_DOCS = "https://docs.python.org/3/tutorial/controlflow.html#defining-functions"


@dataclass(frozen=True)
class UserFunctions(Library):
    """The functions as a library of its own.

    Attributes:
        source: the text of their file.
        builds: whether it has `build`.
    """

    source: str = ""
    builds: bool = False

    def of(self, case: Case, beside: set[str]) -> Case:
        """The case with their text, and those of the operations of `REJECTS` that are asked for."""
        operations = [name for name in ROLES[:2] if name not in self.cannot]
        operations += [name for name in REJECTS if name in beside and "decode" in operations]
        return replace(case, source=self.source, operations=tuple(operations))


def is_of_functions(text: str) -> bool:
    """Return True if a text among the names of libraries is `NAME=FILE.py` or `NAME/FORMAT=FILE.py`."""
    return _TEXT.fullmatch(text) is not None


def functions_located(text: str) -> str:
    """The text of a library with the absolute path of its file, if it is one of functions."""
    match = _TEXT.fullmatch(text)
    return f"{text[: match.start(3)]}{Path(match[3]).absolute()}" if match else text


def functions_case(text: str) -> tuple[UserFunctions, str, Codec]:
    """Library, variant and codec of the functions in a file.

    Raises:
        PlanError: the name is that of a library, the format cannot be read by itself, or the file lacks a function.
    """
    match = _TEXT.fullmatch(text)
    assert match is not None
    name, format_, path = match[1], match[2] or UNNAMED.name, match[3]
    if name in libraries():
        raise PlanError(f"{name} is a library; give your functions another name")
    if match[2]:
        check("format", format_, formats())
        if formats()[format_].typed or not formats()[format_].readers:
            raise PlanError(
                f"{format_} cannot be read without its schema; leave the format out: {name} instead of {name}/{format_}"
            )
    try:
        source = Path(path).read_text("utf-8")
        table = symtable.symtable(source, path, "exec")
    except OSError as error:
        raise PlanError(f"{path} cannot be read ({error.strerror})") from None
    except (SyntaxError, ValueError) as error:
        raise PlanError(f"{path} is not Python: {error}") from None
    known = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    for role in ROLES[:2]:
        if role not in known:
            raise PlanError(f"{path} has no function {role}; {name} needs encode and decode")
    library = UserFunctions(
        name=name,
        summary="your own functions",
        docs=_DOCS,
        render=_never,
        user_class=path,
        source=source,
        builds="build" in known,
    )
    return library, "default", Codec(CODEC, _DOCS, only=frozenset({name}), format=format_)


def _never(*_: object) -> NoReturn:
    raise AssertionError("functions are not rendered")
