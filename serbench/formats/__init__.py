"""Byte formats and their codecs: one file per format, found by listing this package.

A format's module has one constant, `FORMAT`. It says how the bytes are read independently of the
codec under test, and how they are written when a bad input has to be made.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

ANY_MODEL = frozenset({"*"})


@dataclass(frozen=True)
class Codec:
    """One implementation of a byte format, as source fragments and facts.

    Attributes:
        name: what users call it; unique within its format.
        docs: the page of its documentation that shows the calls.
        dumps, loads: templates of the two calls, builtins ↔ bytes; "{}" is the argument.
        distribution: what brings it; None for the standard library.
        imports: the modules that the fragments name.
        encoder, decoder: templates of top-level statements that the calls refer to; "{}" in
            `decoder` is the type to decode into, or nothing.
        encodes, decodes: kinds beyond JSON's that it carries as themselves, in each direction.
        default: the keyword of `dumps` for a function that converts what the codec does not know.
        takes, makes: kinds of model whose objects it encodes, or decodes into, without a conversion.
        refuses: kinds that it cannot encode inside such objects.
        lacks: feature of a schema → why this codec cannot carry it, with a link.
        only: the library it belongs to, which goes between objects and bytes with it in one call;
            empty where it serves any.
    """

    name: str
    docs: str
    dumps: str = ""
    loads: str = ""
    distribution: str | None = None
    imports: tuple[str, ...] = ()
    encoder: str = ""
    decoder: str = ""
    encodes: frozenset[str] = frozenset()
    decodes: frozenset[str] = frozenset()
    default: str = ""
    takes: frozenset[str] = frozenset()
    makes: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    only: frozenset[str] = frozenset()
    format: str = ""

    def encodes_directly(self, model: str, features: frozenset[str]) -> bool:
        """Whether objects of this kind of model, of a schema with these features, are encoded as they are."""
        return self.takes == ANY_MODEL or (
            model in self.takes and not features & (self.refuses | {"alias", "tagged_union"})
        )

    def decodes_directly(self, model: str, features: frozenset[str]) -> bool:
        """Whether bytes become objects of this kind of model in one call."""
        return self.makes == ANY_MODEL or (model in self.makes and not features & {"alias", "tagged_union"})


@dataclass(frozen=True)
class Format:
    """A byte format.

    Attributes:
        name: what users call it.
        summary: what it is, in one line.
        codecs: its implementations.
        readers: implementation → bytes to builtins, run by serbench itself; verification takes the
            first that is not the codec under test and that can read them. Empty where only the environment of the case can
            read its bytes (pickle): there a second implementation is named by `reader_in_worker`.
        write: builtins to bytes, for bad inputs; None where none can be made.
        reader_in_worker: "module:function" that reads the bytes into objects independently.
        text: whether people can read the bytes.
        size_note: what the size depends on, where it is not the data alone.
    """

    name: str
    summary: str
    codecs: tuple[Codec, ...]
    readers: Mapping[str, Callable[[bytes], Any]] = field(default_factory=dict)
    write: Callable[[Any], bytes] | None = None
    reader_in_worker: str | None = None
    text: bool = False
    size_note: str | None = None

    def independent_readers(self, codec: str) -> dict[str, Callable[[bytes], Any]]:
        """The readers that are not the given codec's implementation."""
        return {name: read for name, read in self.readers.items() if name != codec}


@cache
def formats() -> dict[str, Format]:
    """Every format by name, in the order of their names."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        format_: Format = importlib.import_module(f"{__name__}.{info.name}").FORMAT
        found[format_.name] = format_
    return found


@cache
def codecs() -> tuple[Codec, ...]:
    """Every codec, each knowing its format."""
    from dataclasses import replace

    return tuple(replace(codec, format=f.name) for f in formats().values() for codec in f.codecs)
