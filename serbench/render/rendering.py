"""Renders a case from a library, a variant, a codec and a schema, and combines libraries with codecs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from serbench.errors import PlugInError, SerbenchError
from serbench.model.plug_ins import told
from serbench.model.records import Map, Ref, Schema, Union
from serbench.render.case import Case, write_beside, write_functions
from serbench.render.codec import ANY_MODEL, Codec, SchemaCodec, codecs, formats
from serbench.render.environments import Environment, main_environment
from serbench.render.library import Library, Rendered, libraries
from serbench.render.source.classes import refuse_lookalikes
from serbench.render.source.module import (
    Module,
    NotPythonError,
    Unsupported,
    decided_by_class,
    laid_out,
    literal,
    rename_shadowing,
    rendering_for,
)
from serbench.render.user_class.functions import UserFunctions


def render(
    library: Library,
    variant: str,
    codec: Codec,
    schema: Schema,
    environment: Environment | None = None,
    beside: Iterable[str] = (),
    written: Schema | None = None,
) -> Case:
    """Render one case for the Python of its environment; a library that cannot do it gives a case with a reason.

    Its source is not laid out; `lay_out` does that for many cases at once.

    `beside` are operations that a case has only if they are asked for: "build", "read", "frame" and "stream", which
    are written, and those of `REJECTS`. If the documents have more fields than the schema, `written` is theirs: the case
    reads what another writes.

    Raises:
        PlugInError: the library's `render` fails; the message names its file and line.
    """
    case = Case(library, variant, codec, "", environment=environment or main_environment())
    if isinstance(library, UserFunctions):
        return _of_functions(library.of(case, set(beside)), schema, written)
    missing = [
        reason
        for feature, reason in (*library.lacks.items(), *codec.limits.lacks.items())
        if feature in schema.features
    ]
    if "int_tag" in schema.features and not library.user_class:
        missing.append("the tags of a union are numbers here, which only your own class is measured with")
    if codec.typed:
        missing += [reason for kind, reason in library.text.items() if kind in schema.features & codec.native]
    if written is not None and (codec.typed or not formats()[codec.format].readers):
        missing.append(f"{codec.format} can only be read with the schema of the whole document")
    cannot = (codec.limits.cannot, library.cannot)
    for one, other in (cannot[::-1], cannot):
        if "encode" in one and "decode" in other:
            missing.append(f"{one['encode']}; {other['decode']}")
    if "decode" in library.cannot and not formats()[codec.format].readers:
        missing.append(f"{library.cannot['decode']}; only decoding proves {codec.format}")
    if variant in library.omits:
        only_written = (one["decode"] for one in cannot if "decode" in one)
        missing += [f"only decoding proves a document that lacks keys, and {reason}" for reason in only_written]
    if missing:
        return replace(case, reason=missing[0])

    def made(schema: Schema) -> tuple[Module, Case]:
        served, described = SchemaCodec.for_schema(codec, schema)
        root = codec.limits.root if not isinstance(schema.root, Ref | Map | Union) else ""
        if root:
            served = served.changed(loads=f"{codec.calls.loads}[{literal(root)}]")
        rendered = library.render(schema, _one_way(served, library), variant)
        if not isinstance(rendered, Rendered):
            raise PlugInError(f"`render` must return a Rendered, not {type(rendered).__name__}")
        operations = write_functions(rendered, served, schema, set(case.cannot), root)
        operations += write_beside(rendered, library, served, schema, set(beside) - set(case.cannot), operations)
        text, file = described.text, described.file
        facts: dict[str, Any] = {
            "in_lines": rendered.in_lines,
            "inside": rendered.inside,
            "user_facts": rendered.user_facts,
        }
        done = replace(case, operations=operations, root=root, schema_text=text, schema_file=file, **facts)
        return rendered.module, done

    try:
        with rendering_for(case.environment.version):
            if codec.objects.makes != ANY_MODEL and not library.user_class:
                refuse_lookalikes(schema, codec.kinds.decodes, codec.format)
            source, rendered = rename_shadowing(schema, made)
    except Unsupported as error:
        return replace(case, reason=str(error))
    except Exception as error:
        if library.user_class or (isinstance(error, SerbenchError) and not isinstance(error, PlugInError)):
            raise
        raise PlugInError(f"{_named(case)}: {told(error)}") from error
    rendered = replace(rendered, source=source)
    if written is None and "encode" in rendered.operations:
        return rendered
    return _with_writer(rendered, schema, written)


def _of_functions(case: Case, schema: Schema, written: Schema | None) -> Case:
    """Functions that have no way to make their objects get those that they make of bytes of their format."""
    assert isinstance(case.library, UserFunctions)
    alone = case.codec.format not in formats() or (case.library.builds and written is None)
    return case if alone else _with_writer(case, schema, written)


def _with_writer(case: Case, schema: Schema, written: Schema | None = None) -> Case:
    writer = _writer(case, schema, written)
    if writer is None or writer.source:
        return replace(case, writer=writer)
    return replace(case, source="", operations=(), reason=writer.reason)


def lay_out(cases: Iterable[Case]) -> list[Case]:
    """The cases, and those that write for them, with their sources laid out: one call of ruff for each Python.

    Raises:
        PlugInError: a source is not Python; the message names the case and the line.
    """
    listed = list(cases)
    sources: dict[tuple[int, int], list[str]] = {}
    for case in listed:
        for one in (case, case.writer):
            if one is not None and one.source:
                sources.setdefault(one.environment.version, []).append(one.source)
    try:
        done = {python: dict(zip(texts, laid_out(texts, python), strict=True)) for python, texts in sources.items()}
    except NotPythonError as error:
        case = next(one for case in listed for one in (case, case.writer) if one and one.source == error.module)
        raise PlugInError(f"{_named(case)}: {error}") from error

    def with_layout(case: Case) -> Case:
        if not case.source:
            return case
        source = done[case.environment.version][case.source]
        return replace(case, source=source, writer=case.writer and with_layout(case.writer))

    return [with_layout(case) for case in listed]


def _named(case: Case) -> str:
    variant = "" if case.variant == "default" else f"[{case.variant}]"
    return f"{case.library.name}{variant} with {case.codec.name} ({case.codec.format})"


def combinations(
    chosen_libraries: Iterable[Library] | None = None, chosen_codecs: Iterable[Codec] | None = None
) -> Iterator[tuple[Library, Codec]]:
    """Every library with every codec that serves it."""
    served = tuple(codecs() if chosen_codecs is None else chosen_codecs)
    for library in libraries().values() if chosen_libraries is None else chosen_libraries:
        for codec in served:
            if (not codec.only or library.name in codec.only) and (codec.objects.generates or not library.generated):
                yield library, codec


def _one_way(codec: SchemaCodec, library: Library) -> SchemaCodec:
    """The codec without what a library of one direction has no use for."""
    encodes, decodes = "encode" not in library.cannot, "decode" not in library.cannot
    if encodes and decodes:
        return codec
    encoder, decoder = codec.calls.encoder if encodes else "", codec.calls.decoder if decodes else ""
    needed, left = [codec.calls.dumps if encodes else f"{codec.calls.loads} {codec.frame}"], list(codec.calls.functions)
    while more := [block for block in left if not (name := _defined(block)) or _names(name, needed)]:
        needed += more
        left = [block for block in left if block not in more]
    functions = tuple(block for block in codec.calls.functions if block not in left)
    return codec.changed(encoder=encoder, decoder=decoder, functions=functions)


def _defined(block: str) -> str:
    """The name of the function that a block of source is; nothing for anything else."""
    return block.removeprefix("def ").partition("(")[0] if block.startswith("def ") else ""


def _names(name: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def _writer(case: Case, schema: Schema, written: Schema | None = None) -> Case | None:
    """The case that writes bytes for one that only reads: its own library with another codec, or dicts with its own.

    If none can, its reason says why. If the bytes have more than the schema, as `written` says, they are of dicts.

    The dicts are converted by hand as if the codec knew no TypedDict, whose types it would write in forms
    that it reads again only if it is told the types.
    """
    others = [codec for codec in codecs() if codec.format == case.codec.format and not codec.only]
    schema = case.user_facts["lacking"] if case.user_facts else schema  # which tells what a document may lack
    schema = written or schema
    if written is None and "encode" not in case.library.cannot and not isinstance(case.library, UserFunctions):
        # a tuned codec first, for which no library has a way of its own: bytes then have their usual form
        plain = sorted((c for c in others if c.distribution is None), key=lambda codec: "[" not in codec.name)
        pairs = [(case.library, codec) for codec in plain]
    else:
        pairs = [
            (libraries()["typeddict"], codec.changed(takes=frozenset()))
            for codec in (case.codec, *others)
            if not codec.only
        ]
    refused: Case | None = None
    for library, codec in pairs:
        if "encode" not in codec.limits.cannot:
            alone = case.library.user_class and not codec.objects.makes  # nothing but the class reads what is written
            with decided_by_class() if alone else nullcontext():
                writer = render(library, "default", codec, schema, case.environment)
            if writer.source:
                return writer
            refused = refused or writer
    return refused
