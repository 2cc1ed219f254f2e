"""A byte format: the constant of each file in `formats/`.

Each file has one constant, `FORMAT`. It says how the bytes are read independently of the
codec under test, and how they are written when a bad input has to be made.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from serbench.errors import PlugInError
from serbench.model.plug_ins import check_text, check_types, check_words, installed, plug_ins
from serbench.render.codec import NAME, Codec, check_codec


@dataclass(frozen=True)
class Format:
    """A byte format.

    Attributes:
        name: its name for users.
        summary: a description in one line.
        codecs: its implementations.
        readers: implementation → bytes to builtins, run by serbench itself; verification takes the
            first that is not the codec under test and that can read them. Empty if only the environment of the case can
            read its bytes (pickle): then a second implementation is named by `reader_in_worker`.
        typed: True if the bytes do not tell their types, so that the readers are also given
            `Schema.as_data()` and the text of the schema in the format's own language.
        write: builtins to bytes, for bad inputs; None if none can be made.
        spell_out: builtins to other bytes of the same meaning, as long as they may be; None if there is only one form.
        reader_in_worker: "module:function" that reads the bytes into objects independently.
        unread: why its bytes have no second reader, so that coming back unchanged is all the proof there is.
        text: True if people can read the bytes.
    """

    name: str
    summary: str
    codecs: tuple[Codec, ...]
    readers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    write: Callable[[Any], bytes] | None = None
    spell_out: Callable[[Any], bytes] | None = None
    reader_in_worker: str | None = None
    unread: str = ""
    text: bool = False
    typed: bool = False

    def __post_init__(self) -> None:
        """Check what it and its codecs say of themselves; not each `Codec`, of which rendering makes thousands.

        Raises:
            PlugInError: a word is unknown, a template has nowhere to put the value, a reason has no link, two codecs have
                one name.
        """
        check_types(self)
        check_text("name", self.name, NAME, "json")
        names = [codec.name for codec in self.codecs]
        for codec in self.codecs:
            check_codec(codec)
            if names.count(codec.name) > 1:
                raise PlugInError(f"{self.name} has two codecs called {codec.name!r}: choose another name for one")
            known = {*names, *self.readers}
            check_words(f"reader or codec in built_on of {codec.name}", {codec.built_on} - {""}, known)
        if not (self.readers or self.reader_in_worker or self.unread):
            raise PlugInError(
                f"{self.name} has no readers: add one that is independent of its codecs, or why not as unread"
            )

    def independent_readers(self, codec: Codec) -> dict[str, Callable[..., Any]]:
        """The readers that do not share the given codec's implementation."""
        return {name: read for name, read in self.readers.items() if name not in codec.implementation}


def imported(name: str, **options: Any) -> Callable[..., Any]:
    """The function "module:name" with these further arguments; its module is imported when it is called."""
    return lambda *arguments: pkgutil.resolve_name(name)(*arguments, **options)


@cache
def formats() -> dict[str, Format]:
    """Every format by name, in the order of their names; those of installed plug-ins too."""
    ours = our_formats()
    return dict(sorted({**ours, **installed("formats", Format, ours)}.items()))


@cache
def our_formats() -> dict[str, Format]:
    """The formats that are files of serbench, by name.

    Raises:
        PlugInError: a file is wrong.
    """
    return plug_ins("serbench.render.formats", "FORMAT", Format)


UNNAMED = Format(
    "bytes", "what your own functions write, in a format without a name", (), unread="nobody names its format"
)
"""The format of functions that name none."""


def format_of(codec: Codec) -> Format:
    """The format of a codec, or `UNNAMED`."""
    return UNNAMED if codec.format == UNNAMED.name else formats()[codec.format]


@cache
def codecs() -> tuple[Codec, ...]:
    """Every codec, each knowing its format."""
    return tuple(replace(codec, format=f.name, typed=f.typed) for f in formats().values() for codec in f.codecs)


def codec_named(text: str) -> Codec:
    """The codec of that name and format, such as "orjson/json"."""
    return next(codec for codec in codecs() if f"{codec.name}/{codec.format}" == text)


def codec_names() -> tuple[str, ...]:
    """Return the formats, the codecs, and each codec with its format."""
    every = codecs()
    forms = (lambda one: one.format, lambda one: one.name, lambda one: f"{one.name}/{one.format}")
    return tuple(dict.fromkeys(form(codec) for form in forms for codec in every))
