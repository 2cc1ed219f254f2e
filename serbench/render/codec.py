"""A byte format, the constant of each file in `formats/`, and its codecs: which calls, what they carry, where they end.

A format also says how the bytes are read independently of the codec under test, and how they are written when a bad input
has to be made.
"""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import Any, Self

from serbench.errors import PlugInError
from serbench.model.fidelity import LOSSES
from serbench.model.plug_ins import check_links, check_text, check_types, check_words, installed, plug_ins
from serbench.model.records import FEATURES, Schema, every_value
from serbench.model.scalars import JSON_KINDS, SCALAR_KINDS
from serbench.results import OPERATIONS

KINDS = frozenset({*SCALAR_KINDS, "enum", "set", "tuple"} - JSON_KINDS - {"any"})
"""What a codec may carry as itself although JSON cannot: the words of `Kinds.encodes`."""
MODELS = ("attrs", "class", "dataclass", "generated", "namedtuple", "struct", "typeddict")
"""The kinds of model that several libraries may share: the words of `Objects.takes` and `Library.model`."""
ANY_MODEL = frozenset({"*"})
CPYTHON = 'implementation_name == "cpython"'
UNTYPED = ("import-untyped", "no-any-return")  # what a package without types takes
NO_CONTROL_CHARACTERS = {
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]": "XML 1.0 allows no control characters except tab and line ends"
    " (https://www.w3.org/TR/xml/#charsets)"
}
BUILTIN = frozenset({"dict", "list"})  # for `Objects.exact`
ENCODING, DECODING = ("encode", "dumps"), ("decode", "loads", "load")  # for `Limits.cannot`
NAME = r"[A-Za-z][\w.-]*"
UNCHECKED = r"[a-z]+(-[a-z]+)*|[A-Z]+\d+"


@dataclass(frozen=True)
class Loss:
    """A loss: something that a format does not keep.

    Attributes:
        becomes: the name in `serbench.model.fidelity.LOSSES` of what a value becomes: verification accepts that
            and nothing else.
        what: what is lost, in a few words.
        docs: the page that says so.
    """

    becomes: str
    what: str
    docs: str

    def __post_init__(self) -> None:
        check_words("becomes of a Loss", (self.becomes,), LOSSES)
        check_text("docs of a Loss", self.docs, r"https://\S+", "https://…")


@dataclass(frozen=True)
class Generated:
    """The objects that a format makes of its own schema, as source; "{}" is the argument.

    Attributes:
        type: the annotation of a whole document.
        make: from builtins; plain: to builtins.
        pack: to bytes; unpack: from bytes.
        read: a function `read` that touches every field, with what it calls.
    """

    type: str
    make: str
    plain: str
    pack: str
    unpack: str
    read: tuple[str, ...]


@dataclass(frozen=True)
class Described:
    """The part of a codec that depends on the schema.

    Attributes:
        functions: top-level blocks, in order.
        imports: as in `Calls`.
        text: the schema in the format's own language, empty if it has none.
        file: the name of a file with that text.
        generated: the objects that stand between the bytes and builtins, if there are any.
        frame: from bytes to a data frame of pandas; "{}" is the argument.
    """

    functions: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    text: str = ""
    file: str = ""
    generated: Generated | None = None
    frame: str = ""


@dataclass(frozen=True)
class Calls:
    """The source of a codec's calls.

    Attributes:
        dumps, loads: templates of the two calls, builtins ↔ bytes; "{}" is the argument.
        imports: the modules that the source names; "module:name" is a name from one.
        encoder, decoder: templates of top-level statements that the calls refer to; "{}" in
            `decoder` is the type to decode into, or nothing.
        functions: top-level functions that the calls refer to, each a block of source.
        describe: the functions, and the schema in the format's own language, that depend on the schema;
            raises Unsupported with a reason if the format cannot carry it.
        stream: the way to tell the records of a file apart: "lines", "lengths" (each behind its length in four
            bytes), or a template of what iterates over the builtins of the records in a file; empty if it
            has none; `Limits.cannot` may have the reason.
        streaming: the functions that `stream` needs.
        vague: True if `loads` is annotated as returning one of many types.
    """

    dumps: str = ""
    loads: str = ""
    imports: tuple[str, ...] = ()
    encoder: str = ""
    decoder: str = ""
    functions: tuple[str, ...] = ()
    describe: Callable[[Schema], Described] | None = None
    stream: str = ""
    streaming: tuple[str, ...] = ()
    vague: bool = False


@dataclass(frozen=True)
class Kinds:
    """The kinds of value beyond JSON's that a codec carries; all others are converted first.

    Attributes:
        encodes, decodes: those that it carries as themselves, in each direction.
        default: the keyword of `Calls.dumps` for a function that converts what the codec does not know.
        unasked: those that it writes in its own way without asking that function, and that `encodes` leaves out.
    """

    encodes: frozenset[str] = frozenset()
    decodes: frozenset[str] = frozenset()
    default: str = ""
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Objects:
    """The objects that a codec handles without a conversion to builtins.

    Attributes:
        takes, makes: kinds of model whose objects it encodes, or decodes into.
        refuses: kinds of value that it cannot encode inside such objects; "private": it omits names with an underscore.
        exact: of "dict" and "list", those of which it takes no subclasses.
        generates: True if its schema's own objects stand between bytes and builtins.
    """

    takes: frozenset[str] = frozenset()
    makes: frozenset[str] = frozenset()
    refuses: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()
    generates: bool = False


@dataclass(frozen=True)
class Limits:
    """The gaps of a codec, each with a reason and a link.

    Attributes:
        cannot: operation → why it does not have it ("encode" of one that only reads).
        lacks: feature of a schema → why it cannot carry it.
        loses: kind → what its values become, if they change; "null" is None.
        spoils: pattern of a text → why a document that has one may not come back.
        root: the key under which it puts a document that is not a record or map; empty if any type may be the root.
        null: the text that stands for None in its bytes; empty if the format has a null.
        unchecked: the codes of mypy --strict and ruff for what it leaves untyped or does in its own way.
    """

    cannot: Mapping[str, str] = field(default_factory=dict, hash=False)
    lacks: Mapping[str, str] = field(default_factory=dict, hash=False)
    loses: Mapping[str, Loss] = field(default_factory=dict, hash=False)
    spoils: Mapping[str, str] = field(default_factory=dict, hash=False)
    root: str = ""
    null: str = ""
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Codec:
    """One implementation of a byte format.

    Attributes:
        name: its name for users, unique within its format.
        docs: the page of its documentation that shows the calls.
        distribution: the distribution that has it; None for the standard library.
        marker: on which interpreters its distribution can be installed, as an environment marker of
            PEP 508; empty for all.
        core: True if it is measured when no format is named.
        only: the library it belongs to, which goes between objects and bytes with it in one call;
            empty if it serves any.
        built_on: the codec or reader of the format whose implementation it shares, so that neither proves the other.
        calls, kinds, objects, limits: its parts; `Calls` alone is needed by a codec that does as JSON does.
        format, typed: its format's name, and whether that is typed; `codecs` fills them in.
    """

    name: str
    docs: str
    distribution: str | None = None
    marker: str = ""
    core: bool = False
    only: frozenset[str] = frozenset()
    built_on: str = ""
    calls: Calls = Calls()
    kinds: Kinds = Kinds()
    objects: Objects = Objects()
    limits: Limits = Limits()
    format: str = ""
    typed: bool = False

    def changed(self, **facts: Any) -> Self:
        """The same codec with other facts, each in the part that has it.

        Raises:
            TypeError: a fact is unknown.
        """
        for name in ("calls", "kinds", "objects", "limits"):
            part = getattr(self, name)
            if changes := {known.name: facts.pop(known.name) for known in fields(part) if known.name in facts}:
                facts[name] = replace(part, **changes)
        return replace(self, **facts)

    def tuned(self, option: str, docs: str, *, writing: str = "", reading: str = "", **facts: Any) -> Self:
        """The same codec with a documented option, which is named in brackets, and other facts as in `changed`.

        `writing` and `reading` are the arguments that it adds to `dumps` and to `loads`, behind the value.
        """
        if writing:
            facts["dumps"] = self.calls.dumps.replace("{}", f"{{}}, {writing}", 1)
        if reading:
            facts["loads"] = self.calls.loads.replace("{}", f"{{}}, {reading}", 1)
        return self.changed(name=f"{self.name}[{option}]", docs=docs, core=False, **facts)

    @property
    def carries(self) -> frozenset[str]:
        """Kinds beyond JSON's that it carries as themselves, both ways."""
        return self.kinds.encodes & self.kinds.decodes

    @property
    def native(self) -> frozenset[str]:
        """Kinds that a library leaves as they are: bytes if it carries them, and all that it carries if it is typed.

        A typed codec has a type of its own for each of these, and takes no text in their place.
        """
        return self.carries if self.typed else self.carries & {"bytes"}

    def spoiled(self, value: Any) -> str | None:
        """The reason, if it has one in `spoils`, why this neutral value may not come back."""
        spoils = self.limits.spoils.items()
        reasons = (why for pattern, why in spoils if any(re.search(pattern, text) for text in _texts(value)))
        return next(reasons, None)

    @property
    def implementation(self) -> frozenset[str]:
        """The readers that share its implementation, and so prove nothing about its bytes."""
        return frozenset({self.name.partition("[")[0], self.built_on} - {""})

    def asks_about(self, kinds: frozenset[str]) -> bool:
        """Return True if it asks a function that it is given about each of these kinds."""
        return bool(self.kinds.default) and not kinds & self.kinds.unasked

    def encodes_directly(self, model: str, features: frozenset[str]) -> bool:
        """Return True if the codec encodes objects of this kind of model, of a schema with these features, as they are."""
        takes = self.objects.takes
        refused = self.objects.refuses | {"alias", "tagged_union"}
        return takes == ANY_MODEL or (model in takes and not features & refused)

    def decodes_directly(self, model: str, features: frozenset[str]) -> bool:
        """Return True if one call makes objects of this kind of model of bytes."""
        makes = self.objects.makes
        return makes == ANY_MODEL or (model in makes and not features & {"alias", "tagged_union"})


@dataclass(frozen=True)
class SchemaCodec(Codec):
    """A codec as a case is rendered with it: with what depends on the schema.

    Attributes:
        generated: the objects of the format's own schema that stand between bytes and builtins, if there are any.
        frame: from bytes to a data frame of pandas; "{}" is the argument.
    """

    generated: Generated | None = None
    frame: str = ""

    @classmethod
    def for_schema(cls, codec: Codec, schema: Schema) -> tuple[SchemaCodec, Described]:
        """Return the codec for a schema, and what it says of that.

        Raises:
            Unsupported: its format cannot carry the schema.
        """
        describe = codec.calls.describe
        described = describe(schema) if describe else Described()
        calls = replace(
            codec.calls,
            imports=codec.calls.imports + described.imports,
            functions=(*described.functions, *codec.calls.functions),
        )
        if objects := described.generated:
            dumps, loads = objects.pack.replace("{}", objects.make), objects.plain.replace("{}", objects.unpack)
            calls = replace(calls, dumps=dumps, loads=loads)
        facts = {one.name: getattr(codec, one.name) for one in fields(codec)} | {"calls": calls}
        return cls(**facts, generated=described.generated, frame=described.frame), described


def _texts(value: Any) -> Iterator[str]:
    """Every text in a neutral value, keys included."""
    for one in every_value(value):
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            yield from one


def check_codec(codec: Codec) -> None:
    """Check the words, calls and links of a codec.

    Raises:
        PlugInError: as for `Format`.
    """
    check_types(codec)
    name, calls, limits = codec.name, codec.calls, codec.limits
    check_text("the name of a codec", name, rf"{NAME}(\[[^\[\]]+\])?", "orjson")
    check_text(f"docs of {name}", codec.docs, r"https://\S+", "https://…")
    kinds, objects = codec.kinds, codec.objects
    for what, words in (
        ("encodes", kinds.encodes),
        ("decodes", kinds.decodes),
        ("unasked", kinds.unasked),
        ("refuses", objects.refuses - {"private"}),
    ):
        check_words(f"kind in {what} of {name}", words, KINDS)
    for what, words in (("takes", objects.takes), ("makes", objects.makes)):
        check_words(f"model in {what} of {name}", words, (*MODELS, *ANY_MODEL))
    check_words(f"class in exact of {name}", objects.exact, BUILTIN)
    check_words(f"operation in cannot of {name}", limits.cannot, (*OPERATIONS, "stream"))
    check_words(f"feature in lacks of {name}", limits.lacks, FEATURES)
    check_words(f"kind in loses of {name}", limits.loses, (*SCALAR_KINDS, "null", "empty"))
    for what, reasons in (("cannot", limits.cannot), ("lacks", limits.lacks), ("spoils", limits.spoils)):
        check_links(f"{what} of {name}", reasons)
    for code in limits.unchecked:
        check_text(f"unchecked of {name}", code, UNCHECKED, "no-any-return")
    if more := kinds.decodes - kinds.encodes:
        raise PlugInError(f"decodes of {name} has {min(more)!r}, which encodes lacks: add it there")
    for what, call, operation in (("dumps", calls.dumps, "encode"), ("loads", calls.loads, "decode")):
        if call and "{}" not in call:
            raise PlugInError(f"{what} of {name} is {call!r}: write {{}} where the value stands")
        if not (call or codec.only or calls.describe or operation in limits.cannot):
            raise PlugInError(f"{name} has no {what}: write the call, or why it has none in cannot[{operation!r}]")
    if calls.stream not in ("", "lines", "lengths") and "{}" not in calls.stream:
        raise PlugInError(f"stream of {name} is {calls.stream!r}: write lines, lengths, or a call with {{}}")
    foreign = {re.split(r"\W", module)[0] for module in calls.imports} - sys.stdlib_module_names
    if codec.distribution is None and foreign:
        raise PlugInError(f"{name} imports {min(foreign)}, which is not part of Python: name its distribution")


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
    found = cache(partial(pkgutil.resolve_name, name))
    return lambda *arguments: found()(*arguments, **options)


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
