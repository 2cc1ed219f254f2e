"""Model libraries: one file each, found by listing this package; none imports its library.

A library's module has one constant, `LIBRARY`. Its `render` turns a schema into a module with the
models and the expressions that convert them; `serbench.cases` writes the functions around those.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from serbench.formats import ANY_MODEL, Codec
from serbench.schema import Optional, Schema, Union
from serbench.source.by_hand import TEXT_KINDS, ByHand
from serbench.source.expressions import Expression
from serbench.source.layout import Module
from serbench.source.models import Unsupported, annotation, is_plain

__all__ = ["Library", "Rendered", "Unsupported", "by_hand", "libraries"]


Step: TypeAlias = Callable[[str], Expression]


@dataclass(frozen=True)
class Rendered:
    """A module with its models, and the expressions for each step.

    `dump` turns the text of a document of objects into the expression for its builtins, `load` the
    text of builtins into the expression for their objects; either is None where the codec takes or
    makes the objects itself. `options` are further arguments of the codec's `dumps`. `encode` (of
    `root_name(schema)`) and `decode` (of `blob`) are given where the library goes between objects
    and bytes in one call of its own. `untyped` says that what comes out of `load`, or of decoding
    where there is none, is `Any` to a type checker. `build` (from neutral values),
    `plain` (to builtins) and `read` (functions) are given where the objects are the format's own.
    """

    module: Module
    dump: Step | None = None
    load: Step | None = None
    encode: Expression | None = None
    decode: Expression | None = None
    untyped: bool = False
    options: tuple[Expression, ...] = ()
    build: Step | None = None
    plain: Step | None = None
    read: tuple[str, ...] = ()


@dataclass(frozen=True)
class Library:
    """A model library.

    Attributes:
        name: what users call it.
        summary: what it is, in one line.
        docs: its documentation.
        model: the kind of model, in the words of `Codec.takes`.
        render: schema, codec and variant → models and expressions; raises Unsupported.
        distributions: what brings it, the library itself first; empty for the standard library.
        modules: what its source imports of them, where that is not called as the distribution is.
        core: whether it is measured when no library is named.
        versions: the versions of the first distribution that this file is for, such as ">=2"; empty for any.
        pins: exact requirements that make an environment for it where serbench's own installation has
            no fitting version, the library itself first.
        python: the interpreter of that environment, such as "3.9"; empty for serbench's own.
        cannot: operation → why the library does not have it, with a link ("decode" of one that only writes).
        variants: documented tunings beside "default" → the page that documents each.
        pitfalls: ways of using it that lose data → the page that leads there; nothing but probes are run with them.
        lacks: feature of a schema → why this library cannot carry it, with a link.
        unchecked: the codes of mypy --strict and ruff for what it leaves untyped or wants written in its own way.
        items: whether records are dicts.
        generated: whether its records are the objects that a format makes of its own schema.
        recommended: format → the codec its authors recommend, where it is not the format's own name.
    """

    name: str
    summary: str
    docs: str
    model: str
    render: Callable[[Schema, Codec, str], Rendered]
    distributions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    core: bool = False
    versions: str = ""
    pins: tuple[str, ...] = ()
    python: str = ""
    cannot: Mapping[str, str] = field(default_factory=dict, hash=False)
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)
    pitfalls: Mapping[str, str] = field(default_factory=dict, hash=False)
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    unchecked: tuple[str, ...] = ()
    items: bool = False
    generated: bool = False
    recommended: Mapping[str, str] = field(default_factory=dict, hash=False)


@cache
def libraries() -> dict[str, Library]:
    """Every library by name, in the order of their names."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        library: Library = importlib.import_module(f"{__name__}.{info.name}").LIBRARY
        found[library.name] = library
    return dict(sorted(found.items()))


def use_codec(module: Module, codec: Codec, type_: str = "") -> None:
    """Import the codec and add its encoder and decoder; the decoder is for `type_`, or for anything."""
    for name in codec.imports:
        source, _, imported = name.partition(":")
        module.use(source, *([imported] if imported else []))
    if codec.encoder:
        module.state(codec.encoder)
    if codec.decoder:
        module.state(codec.decoder.format(type_).replace("(, ", "("))
    for block in codec.functions:
        (module.add if block.startswith(("def ", "class ")) else module.state)(block)


def by_hand(module: Module, schema: Schema, codec: Codec, model: str, *, items: bool = False) -> Rendered:
    """Models of the standard library: direct where the codec knows them, by hand where it does not.

    With `items`, records are dicts by wire name that hold their tag, so neither is an obstacle.
    """
    features = schema.features - {"alias"} if items else schema.features
    direct = codec.decodes_directly(model, features)
    if items and codec.makes != ANY_MODEL:
        # A typed decoder compares keys with the bytes as they stand, escapes and all, and misses a key
        # that is not ASCII until something has encoded it (https://github.com/msgspec/msgspec/pull/1126).
        wires = [f.wire for record in schema.records for f in record.fields]
        direct = direct and all(is_plain(wire) and wire.isascii() for wire in wires)
    typed = direct and codec.makes != ANY_MODEL
    use_codec(module, codec, annotation(schema.root, module) if typed else "")
    dump = load = None
    # What is read by hand has to be written by hand, where the codec writes it in a form of its own.
    foreign = items and not direct and features & TEXT_KINDS - codec.encodes
    known = codec.encodes_directly(model, features - {"tagged_union"} if items else features)
    if "encode" not in codec.cannot and (foreign or not known):
        dump = _conversion(ByHand(module, schema, "dump", codec.encodes, items))
    if not direct and "decode" not in codec.cannot:
        load = _conversion(ByHand(module, schema, "load", codec.decodes, items))
    # A type checker knows what a decoder of a class gives, and not what one of a union gives.
    certain = typed and not isinstance(schema.root, Union | Optional)
    return Rendered(module, dump, load, untyped=not certain and load is None)


def _conversion(hand: ByHand) -> Step | None:
    hand.add_functions()
    return hand.document if hand.differs(hand.schema.root) else None
