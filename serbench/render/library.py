"""A model library: the constant of each file in `libraries/`, none of which imports its library.

Each file has one constant, `LIBRARY`. Its `render` turns a schema into a module with the
models and the expressions that convert them; `case.py` writes the functions around those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from serbench.errors import PlugInError, check
from serbench.judge.outcomes import ABSENT, DEFAULTS, UNKNOWN_KEYS
from serbench.model.plug_ins import check_links, check_text, check_types, check_words, installed, plug_ins
from serbench.model.records import FEATURES, Optional, Schema, Union
from serbench.model.scalars import ANY, SCALAR_KINDS, TEXT_KINDS, USER_KINDS
from serbench.render.codec import ANY_MODEL, KINDS, MODELS, UNCHECKED, Codec, codecs, our_formats
from serbench.render.source.by_hand import ByHand
from serbench.render.source.classes import refuse_lookalikes
from serbench.render.source.models import Models, is_plain
from serbench.render.source.module import Module, Unsupported
from serbench.render.source.objects import enclosed
from serbench.results import OPERATIONS


@dataclass(frozen=True)
class Rendered:
    """A module with its models, and a template for each step: an expression with `{}` for the value.

    Attributes:
        dump: from a document of objects to builtins; empty if the codec takes the objects themselves.
        load: from builtins to objects; empty if the codec makes the objects themselves.
        encode: the whole expression that makes bytes of `root_name(schema)`, if the library has such a call.
        decode: the whole expression that makes objects of `blob`, if the library has such a call.
        untyped: whether the result of `load`, or of decoding without one, is `Any` to a type checker.
        options: further arguments of the codec's `dumps`.
        build: from neutral values to the format's own objects, if it has such.
        plain: from the format's own objects to builtins.
        read: functions that touch every field of the format's own objects.
        schema: the schema of the objects, if it is not that of the document.
        in_lines: whether the bytes are JSON Lines.
        inside: the keys below which the bytes have the document, or its text.
        user_facts: what a worker makes the objects of a user's class of.
    """

    module: Module
    dump: str = ""
    load: str = ""
    encode: str = ""
    decode: str = ""
    untyped: bool = False
    options: tuple[str, ...] = ()
    build: str = ""
    plain: str = ""
    read: tuple[str, ...] = ()
    schema: Schema | None = None
    in_lines: bool = False
    inside: tuple[str | int, ...] = ()
    user_facts: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for what, part in (("dump", "{}"), ("load", "{}"), ("build", "{}"), ("plain", "{}"), ("decode", "blob")):
            template = getattr(self, what)
            if template and part not in template:
                raise PlugInError(f"{what} is {template!r}: write {part} where the value stands")


@dataclass(frozen=True)
class Library:
    """A model library.

    Attributes:
        name: what users call it.
        summary: what it is, in one line.
        docs: its documentation.
        model: the kind of model, in the words of `MODELS`; the library's own name if its classes are like no other's.
        render: schema, codec and variant → models and expressions; raises Unsupported.
        distributions: what brings it, the library itself first; the first of the pins by default, none for the standard
            library.
        modules: what its source imports of them; by default the first one's name, as Python spells it.
        core: whether it is measured when no library is named.
        versions: the versions of the first distribution that this file is for, such as ">=2"; empty for any.
        pins: exact requirements that make an environment for it where serbench's own installation has
            no fitting version, the library itself first.
        python: the interpreter of that environment, such as "3.9"; empty for serbench's own.
        separate: why serbench's own installation does not have it, in any version; empty if it does.
        cannot: operation → why the library does not have it, with a link ("decode" of one that only writes).
        variants: documented tunings beside "default" → the page that documents each.
        omits: variant → what its documents leave out, in the words of a work class: "absent left out".
        unknown_keys: what becomes of an unknown key ("refused", "kept" or "dropped") → the variant that is
            documented for it; what becomes of it without a variant is probed.
        pitfalls: ways of using it that lose data → the page that leads there; nothing but probes are run with them.
        lacks: feature of a schema → why this library cannot carry it, with a link.
        text: kind → why it makes text of it for every codec, with a link: a typed codec takes it only as it is.
        unchecked: the codes of mypy --strict and ruff for what it leaves untyped or wants written in its own way.
        items: whether records are dicts.
        generated: whether its records are the objects that a format makes of its own schema.
        recommended: format → the codec its authors recommend, where it is not the format's own name.
        user_class: the place of the class of the user's that it is, as "folder:module:Class"; empty for others.
        registers: whether its modules change how the whole process converts values, so that each schema is probed in a
            process of its own.
        reviewed: who of its authors has reviewed the rendered code, the reviewed version and the date, such as
            "Jane Doe, 1.2, 2026-01-31"; empty if nobody has.
    """

    name: str
    summary: str
    docs: str
    render: Callable[[Schema, Codec, str], Rendered]
    model: str = "dataclass"
    distributions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    core: bool = False
    versions: str = ""
    pins: tuple[str, ...] = ()
    python: str = ""
    separate: str = ""
    cannot: Mapping[str, str] = field(default_factory=dict, hash=False)
    variants: Mapping[str, str] = field(default_factory=dict, hash=False)
    omits: Mapping[str, str] = field(default_factory=dict, hash=False)
    unknown_keys: Mapping[str, str] = field(default_factory=dict, hash=False)
    pitfalls: Mapping[str, str] = field(default_factory=dict, hash=False)
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    text: Mapping[str, str] = field(default_factory=dict, hash=False)
    unchecked: tuple[str, ...] = ()
    items: bool = False
    generated: bool = False
    recommended: Mapping[str, str] = field(default_factory=dict, hash=False)
    user_class: str = ""
    registers: bool = False
    reviewed: str = ""

    def __post_init__(self) -> None:
        """Fill in what follows from other fields, and check what the library says of itself.

        Raises:
            PlugInError: a word is unknown, a pin is not exact, a reason has no link.
        """
        if self.pins and not self.distributions:
            object.__setattr__(self, "distributions", (self.pins[0].partition("==")[0],))
        if not self.modules:
            object.__setattr__(self, "modules", tuple(name.replace("-", "_") for name in self.distributions[:1]))
        check_types(self)
        if self.user_class:
            return
        check_text("name", self.name, r"(?!all$|installed$)[a-z][a-z0-9._-]*", "msgspec")
        check_text("docs", self.docs, r"https://\S+", "https://…")
        check_words("model", (self.model,), (*MODELS, self.name))
        check_words("operation in cannot", self.cannot, OPERATIONS)
        check_words("feature in lacks", self.lacks, FEATURES)
        check_words("kind in text", self.text, (*SCALAR_KINDS, *USER_KINDS))
        check_words("variant in omits", self.omits, ("default", *self.variants))
        check_words("word in omits", self.omits.values(), (ABSENT, DEFAULTS))
        check_words("word in unknown_keys", self.unknown_keys, UNKNOWN_KEYS)
        for what in ("cannot", "lacks", "text", "variants", "pitfalls"):
            check_links(what, getattr(self, what))
        if "default" in self.variants:
            raise PlugInError("variants cannot have 'default', which every library has: choose another name")
        check_words("variant in unknown_keys", self.unknown_keys.values(), self.variants)
        for pin in self.pins:
            check_text("pins", pin, r"[\w.-]+==[\w.]+", "msgspec==0.22.0")
        if self.distributions and not (self.pins or self.core):
            raise PlugInError(f"pins are empty: name the exact version, such as {self.distributions[0]}==1.0")
        for code in self.unchecked:
            check_text("unchecked", code, UNCHECKED, "no-any-return")
        check_text("versions", self.versions, r"(([<>]=?|[=!~]=)[\w.*]+(,|$))*", ">=2,<3")
        check_text("python", self.python, r"((pypy)?3\.\d+)?", "3.9")
        check_text("reviewed", self.reviewed, r"([^,]+, [\w.]+, \d{4}-\d{2}-\d{2})?", "Jane Doe, 1.2, 2026-01-31")


@cache
def libraries() -> dict[str, Library]:
    """Every library by name, in the order of their names; those of installed plug-ins too.

    Raises:
        PlugInError: a file is wrong, a library recommends an unknown codec, or a codec is only for an unknown
            library.
    """
    ours = plug_ins("serbench.render.libraries", "LIBRARY", Library)
    for our in ours.values():
        _check_recommended(our)
    for served in codecs():
        if served.format in our_formats():
            check_words(f"library in only of {served.name}", served.only, ours)
    return dict(sorted({**ours, **installed("libraries", Library, ours, _check_recommended)}.items()))


def _check_recommended(library: Library) -> None:
    for format_, codec in library.recommended.items():
        known = [f"{each.name}/{each.format}" for each in codecs()]
        check(f"codec in recommended of {library.name}", f"{codec}/{format_}", known, PlugInError)


def models(
    schema: Schema,
    codec: Codec,
    pickle: str = "",
    *,
    annotations: tuple[int, int] | None = None,
    helpers: Mapping[str, tuple[str, ...]] | None = None,
    tagged: str | Callable[[Models, Union, str], str] = "",
    enclose: bool = False,
) -> Models:
    """A module for models of the schema, which has the enums already.

    Args:
        pickle: the kind of objects, in the plural, that pickle takes without the library; empty if pickle is served.
        annotations: the Python version whose annotations the library understands, if it does not understand those of all:
            (3, 9) for `Optional[int]` instead of `int | None`, (3, 8) also for `List[int]` instead of `list[int]`.
        helpers: as for `Models`.
        tagged: what annotates a tagged union, as a note for `Models.discriminated` or a function that gives it.
        enclose: whether one more record, the last, has the document as its content.

    Raises:
        Unsupported: pickle is not served.
    """
    if pickle and codec.format == "pickle":
        raise Unsupported(f"pickle encodes the {pickle} directly; the library is not involved")
    module = Models(schema=enclosed(schema) if enclose else schema, helpers=helpers or {}, enclosed=enclose)
    module.python = min(module.python, annotations or module.python)
    if isinstance(tagged, str):
        module.tagged = (lambda union, types: module.discriminated(union, types, tagged)) if tagged else None
    else:
        module.tagged = lambda union, types: tagged(module, union, types)
    return module


def use_codec(module: Module, codec: Codec, type_: str = "") -> None:
    """Import the codec and add its encoder and decoder; the decoder is for `type_`, or for anything."""
    module.use_each(codec.calls.imports)
    decoder = codec.calls.decoder.format(type_).replace("(, ", "(")
    module.blocks += [*filter(None, (codec.calls.encoder, decoder)), *codec.calls.functions]


def refuse_leaving_out(schema: Schema, codec: Codec, page: str, *, defaults: bool, has_tag_field: bool = False) -> None:
    """Check that the bytes can lack keys, and that a reader knows what these stand for.

    Raises:
        Unsupported: the format has each field at its place, the objects themselves are written or, unless only
            `defaults` are left out, a field that may be null has no default; or a tag would be left out, because the
            models have a field for it, whose default it is (`has_tag_field`).
    """
    if defaults and has_tag_field and schema.tags:
        raise Unsupported(f"it would leave out the tag, because the tag's value is the default of its field ({page})")
    if codec.typed or codec.format in ("pickle", "marshal"):
        raise Unsupported(f"{codec.format} always writes every field ({page})")
    for record in schema.records if not defaults else ():
        for f in record.fields:
            if f.required and (isinstance(f.type, Optional) or f.type == ANY):
                raise Unsupported(f"it would leave out {f.name}, which {record.name} requires ({page})")


def by_hand(m: Models, codec: Codec, model: str, *, items: bool = False) -> Rendered:
    """Models of the standard library: direct where the codec knows them, by hand where it does not.

    With `items`, records are dicts by wire name that hold their tag, so neither is an obstacle.
    """
    schema = m.schema
    features = schema.features - {"alias"} if items else schema.features
    unknown = features & {*USER_KINDS, "key", "root"} or (codec.objects.makes and any(e.mixed for e in schema.enums))
    if unknown and codec.objects.takes != ANY_MODEL:  # to the codec
        codec = codec.changed(takes=frozenset(), makes=frozenset())
    direct = codec.decodes_directly(model, features)
    if items and codec.objects.makes != ANY_MODEL:
        # A typed decoder compares keys with the bytes as they stand, escapes and all, and misses a key
        # that is not ASCII until something has encoded it (https://github.com/msgspec/msgspec/pull/1126).
        wires = [f.wire for record in schema.records for f in record.fields]
        direct = direct and all(is_plain(wire) and wire.isascii() for wire in wires)
    if typed := direct and codec.objects.makes != ANY_MODEL:
        refuse_lookalikes(schema, codec.kinds.decodes, codec.format)
    use_codec(m, codec, m.annotation(schema.root) if typed else "")
    dump = load = ""
    # What is read by hand has to be written by hand, where the codec writes it in a form of its own.
    foreign = items and not direct and features & TEXT_KINDS - codec.kinds.encodes
    known = codec.encodes_directly(model, features - {"tagged_union"} if items else features)
    if "encode" not in codec.limits.cannot and (foreign or not known):
        dump = _conversion(ByHand(m, schema, "dump", codec.kinds.encodes, items))
    if not direct and "decode" not in codec.limits.cannot:
        load = _conversion(ByHand(m, schema, "load", codec.kinds.decodes, items))
    # A type checker knows what a decoder of a class gives, and not what one of a union gives.
    certain = typed and not isinstance(schema.root, Union | Optional)
    return Rendered(m, dump, load, untyped=not certain and not load)


def hands_over(library: Library, codec: Codec, features: frozenset[str]) -> bool:
    """Return True if a codec writes the values of a schema with these features as the library's objects hold them.

    A library that converts by its own rules may make text of them first, or mend on reading what the codec has changed,
    and so says nothing of a codec that serves others as well.
    """
    if codec.only:
        return True
    reads_only = "encode" in codec.limits.cannot
    carried = codec.kinds.decodes if reads_only else codec.kinds.encodes
    kinds = features & KINDS
    return not library.distributions and (kinds <= carried or codec.encodes_directly(library.model, features))


def _conversion(hand: ByHand) -> str:
    template = hand.template()
    return template if hand.differs(hand.schema.root) else ""
