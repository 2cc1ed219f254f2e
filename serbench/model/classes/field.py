"""A field as a user's class declares it, whatever the class's library."""

from __future__ import annotations

import dataclasses
from collections import abc
from fractions import Fraction
from importlib import import_module
from pathlib import PurePath
from typing import Any

from serbench.model.records import REQUIRED


class _Made:
    """Type of `MADE`, which marks a default that a function makes."""


MADE = _Made()


def plainly(default: Any, factory: abc.Callable[[], Any] | None = None) -> abc.Callable[[], Any]:
    """Return a function that gives a default, or what a factory makes, as JSON."""

    def filled() -> Any:
        value = default if factory is None else factory()
        return import_module("msgspec").to_builtins(value, enc_hook=_text_of, str_keys=True)

    return filled


def _text_of(value: Any) -> str:
    if isinstance(value, PurePath | Fraction | complex):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON")


@dataclasses.dataclass(frozen=True)
class ClassField:
    """A field as its class declares it.

    Attributes:
        name: the attribute or, if the class has dicts, the key.
        wire: the key in a document that the class reads; empty if it does not read the field.
        annotation: the annotation, or the field object.
        default: its default, whatever it is; `REQUIRED` if it has none, `MADE` if a function makes it.
        tag: the discriminator of its union.
        values: whether it holds enum values instead of members.
        written: the key in a document that the class writes; None if that is `wire`, empty if it is not written.
        limits: constraints beside the annotation, of any library.
        texts: whether bytes in it are written as text.
        absent: whether a document may lack it, and then it is not null.
        filled: gives the default as JSON; raises any exception if it has none.
    """

    name: str
    wire: str
    annotation: Any
    default: Any = REQUIRED
    tag: str | None = None
    values: bool = False
    written: str | None = None
    limits: tuple[Any, ...] = ()
    texts: bool = False
    absent: bool = False
    filled: abc.Callable[[], Any] = dataclasses.field(default=lambda: REQUIRED, compare=False)

    def key(self, *, writing: bool) -> str:
        """The key in a document of that direction; empty if the field is no part of it."""
        return self.wire if self.written is None or not writing else self.written
