"""Cases: library × variant × codec, rendered for one schema, or the reason why not."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.environments import Environment, main_environment, normalised
from serbench.formats import ANY_MODEL, Codec, Described, codecs, formats
from serbench.libraries import Library, Rendered, Unsupported, libraries
from serbench.schema import List, Map, Ref, Schema, Union
from serbench.source.by_hand import TEXT_KINDS, ByHand
from serbench.source.layout import (
    Bracketed,
    Expression,
    Keyword,
    flat,
    function,
    lay_out,
    rendering_for,
    returned,
    split,
)
from serbench.source.models import annotation, literal, refuse_lookalikes, root_name
from serbench.source.reading import Reading

FRAMED = ("dataclass", "namedtuple", "typeddict")  # of a list of which pandas makes a table
REJECTS = {"reject": -1, "reject_first": 0}
"""Operation → which record of the document is wrong."""


@dataclass(frozen=True)
class Case:
    """One rendered case, in the environment where it runs.

    `source` is the module's text and `operations` the functions it has; or `reason` says why the
    library cannot do it, and `source` is empty. Where a module cannot encode, `writer` is a case that
    makes the bytes which it decodes. `schema_text` is the schema in the format's own language, where it has
    one, as the file `schema_file`; `root` is the key under which the document stands in the bytes, where
    the format has only records there.
    """

    library: Library
    variant: str
    codec: Codec
    source: str
    operations: tuple[str, ...] = ()
    reason: str | None = None
    environment: Environment = field(default_factory=main_environment)
    writer: Case | None = None
    schema_text: str = ""
    schema_file: str = ""
    root: str = ""

    @property
    def cannot(self) -> dict[str, str]:
        """Operation → why the library or the codec does not have it."""
        return {**self.codec.cannot, **self.library.cannot}

    @property
    def absent(self) -> str | None:
        """What its environment lacks for it to run, and what to do about it; None where nothing is missing."""
        where, codec = self.environment, self.codec.distribution
        if where.reason is not None:
            return where.reason
        missing = next((d for d in (*self.library.distributions, codec) if d and where.installed(d) is None), None)
        if missing is None:
            return None
        if where.name == "main":
            return f"{missing} is not installed: pip install {missing}"
        if missing == codec and not where.admits(self.codec.marker):
            return f"{missing} is not made for {where.runs_on}"
        why = where.missing.get(normalised(missing), "not part of it")
        return f"{missing} is not in the environment {where.name}: {why}"

    def readers(self, spec: dict[str, Any]) -> dict[str, Callable[[bytes], Any]]:
        """What reads the document from its bytes independently of its codec; `spec` is `Schema.as_data()`."""
        format_ = formats()[self.codec.format]

        def reader(read: Callable[..., Any]) -> Callable[[bytes], Any]:
            def document(blob: bytes) -> Any:
                found = read(blob, spec, self.schema_text) if format_.typed else read(blob)
                found = found[self.root] if self.root else found
                return _with_nulls(found, self.codec.null) if self.codec.null else found

            return document

        return {name: reader(read) for name, read in format_.independent_readers(self.codec).items()}

    @property
    def module_name(self) -> str:
        """A flat module name, one for each case; pickle refuses a dotted one."""
        parts = [self.library.name, self.variant, self.codec.name, self.codec.format, "models"]
        if self.variant == "default":
            parts.remove("default")
        if self.codec.name == self.codec.format:
            parts.remove(self.codec.name)
        if self.environment.name != "main":
            parts.append(self.environment.name)
        return "_".join(re.findall(r"[A-Za-z0-9]+", "_".join(parts)))

    @property
    def source_sha256(self) -> str:
        """The hash of the text that is measured."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The source: plain for logs, lit for notebooks."""
        return {"text/plain": self.source, "text/markdown": f"```python\n{self.source}```"}


def render(
    library: Library,
    variant: str,
    codec: Codec,
    schema: Schema,
    environment: Environment | None = None,
    beside: Iterable[str] = (),
) -> Case:
    """Render one case for the Python of its environment; a library that cannot do it gives a case with a reason.

    `beside` are operations that are written only where they are asked for: "build", "read" and "frame".
    """
    case = Case(library, variant, codec, "", environment=environment or main_environment())
    lacks = (*library.lacks.items(), *codec.lacks.items())
    missing = [reason for feature, reason in lacks if feature in schema.features]
    missing += [f"{library.cannot['encode']}; {codec.cannot['decode']}"] if _mute(library, codec) else []
    missing += [f"{codec.cannot['encode']}; {library.cannot['decode']}"] if _deaf(library, codec) else []
    missing += [f"{library.cannot['decode']}; only decoding proves {codec.format}"] if _unproved(library, codec) else []
    if missing:
        return replace(case, reason=missing[0])
    try:
        with rendering_for(case.environment.version):
            if codec.makes != ANY_MODEL:
                refuse_lookalikes(schema, codec.decodes, codec.format)
            described = codec.describe(schema) if codec.describe else None
            served = _with(codec, described) if described else codec
            root = codec.root if not isinstance(schema.root, Ref | Map | Union) else ""
            if root:
                served = replace(served, loads=f"{codec.loads}[{literal(root)}]")
            rendered = library.render(schema, _one_way(served, library), variant)
            operations = _write_functions(rendered, served, schema, set(case.cannot), root)
            operations += _write_beside(rendered, library, served, schema, set(beside) - set(case.cannot), operations)
            _check_names(rendered, schema)
    except Unsupported as error:
        return replace(case, reason=str(error))
    case = replace(case, source=rendered.module.text(), operations=operations, root=root)
    if described:
        case = replace(case, schema_text=described.text, schema_file=described.file)
    return case if "encode" in operations else replace(case, writer=_writer(case, schema))


def _one_way(codec: Codec, library: Library) -> Codec:
    """The codec without what a library of one direction has no use for."""
    encodes, decodes = "encode" not in library.cannot, "decode" not in library.cannot
    if encodes and decodes:
        return codec
    encoder, decoder = codec.encoder if encodes else "", codec.decoder if decodes else ""
    needed, left = [codec.dumps if encodes else f"{codec.loads} {codec.frame}"], list(codec.functions)
    while more := [block for block in left if not (name := _defined(block)) or _names(name, needed)]:
        needed += more
        left = [block for block in left if block not in more]
    functions = tuple(block for block in codec.functions if block not in left)
    return replace(codec, encoder=encoder, decoder=decoder, functions=functions)


def _defined(block: str) -> str:
    """The name of the function that a block of source is; nothing for anything else."""
    return block.removeprefix("def ").partition("(")[0] if block.startswith("def ") else ""


def _names(name: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def _with_nulls(value: Any, text: str) -> Any:
    """The value with None for each text that stands for it."""
    if isinstance(value, dict):
        return {key: _with_nulls(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_nulls(item, text) for item in value]
    return None if value == text else value


def _with(codec: Codec, described: Described) -> Codec:
    """The codec with what it adds to the module of one schema."""
    served = replace(
        codec,
        imports=(*codec.imports, *described.imports),
        functions=(*described.functions, *codec.functions),
        frame=described.frame,
    )
    objects = described.generated
    if objects is None:
        return served
    return replace(
        served,
        generated=objects,
        dumps=objects.pack.replace("{}", objects.make),
        loads=objects.plain.replace("{}", objects.unpack),
    )


def _mute(library: Library, codec: Codec) -> bool:
    return "encode" in library.cannot and "decode" in codec.cannot


def _deaf(library: Library, codec: Codec) -> bool:
    return "encode" in codec.cannot and "decode" in library.cannot


def _unproved(library: Library, codec: Codec) -> bool:
    """Whether nothing would read the bytes: neither the library nor serbench itself."""
    return "decode" in library.cannot and not formats()[codec.format].readers


def _writer(case: Case, schema: Schema) -> Case | None:
    """What writes bytes for a case that only reads: its own library with another codec, or dicts with its own.

    The dicts are converted by hand as if the codec knew no TypedDict, whose types it would write in forms
    that it reads again only where it is told them.
    """
    others = [codec for codec in codecs() if codec.format == case.codec.format and not codec.only]
    if "encode" not in case.library.cannot:
        # a tuned codec first, for which no library has a way of its own: bytes then have their usual form
        plain = sorted((c for c in others if c.distribution is None), key=lambda codec: "[" not in codec.name)
        pairs = [(case.library, codec) for codec in plain]
    else:
        pairs = [(libraries()["typeddict"], replace(codec, takes=frozenset())) for codec in (case.codec, *others)]
    rendered = (
        render(library, "default", codec, schema, case.environment)
        for library, codec in pairs
        if "encode" not in codec.cannot
    )
    return next((found for found in rendered if found.source), None)


def combinations(
    chosen_libraries: Iterable[Library] | None = None, chosen_codecs: Iterable[Codec] | None = None
) -> Iterator[tuple[Library, Codec]]:
    """Every library with every codec that serves it."""
    served = tuple(codecs() if chosen_codecs is None else chosen_codecs)
    for library in libraries().values() if chosen_libraries is None else chosen_libraries:
        for codec in served:
            if (not codec.only or library.name in codec.only) and (codec.generates or not library.generated):
                yield library, codec


_DEFINED = re.compile(r"^(class |def )(\w+)|^(\w+)(?:: [^=]+)? = ", re.MULTILINE)


def _check_names(rendered: Rendered, schema: Schema) -> None:
    """Check that no class of the schema hides what its module imports, or defines beside it."""
    module = rendered.module
    imported = module.plain.union(*module.names.values())
    defined = Counter(_DEFINED.findall("\n".join(block for _, block in module.blocks)))
    for name in [record.name for record in schema.records] + [enum.name for enum in schema.enums]:
        if name in imported or defined["class ", name, ""] + defined["def ", name, ""] + defined["", "", name] > 1:
            raise Unsupported(f"the module of its models has another {name}; give the class {name} another name")


def _write_functions(rendered: Rendered, codec: Codec, schema: Schema, cannot: set[str], root: str) -> tuple[str, ...]:
    """Add `encode` and `decode`, and the steps behind them where there are any; return their names."""
    module, name = rendered.module, root_name(schema)
    type_ = codec.generated.type if rendered.plain and codec.generated else annotation(schema.root, module)
    dump, load = rendered.dump, rendered.load
    written = []

    def dumped(data: Expression) -> Expression:
        document = Bracketed("{", (Keyword(f"{literal(root)}: ", data),), "}") if root else data
        return _applied(codec.dumps, document, *rendered.options)

    if "encode" not in cannot:
        encode = rendered.encode or dumped(dump(name) if dump else name)
        module.add(function("encode", [f"{name}: {type_}"], "bytes", returned(encode)))
        written.append("encode")
    if "decode" not in cannot:
        if codec.vague:
            module.use("typing", "Any")
        module.add(function("decode", ["blob: bytes"], type_, *_decode_body(rendered, codec, type_, name)))
        written.append("decode")
    steps: list[tuple[str, str, str, list[str]]] = []
    if rendered.build and rendered.plain:
        steps += [
            ("build", "values: Any", type_, [returned(rendered.build("values"))]),
            ("plain", f"{name}: {type_}", "Any", [returned(rendered.plain(name))]),
        ]
    if dump and "encode" not in cannot:
        steps += [
            ("dump", f"{name}: {type_}", "Any", [returned(dump(name))]),
            ("dumps", "data: Any", "bytes", [returned(dumped("data"))]),
        ]
    if load and "decode" not in cannot:
        steps += [
            ("loads", "blob: bytes", "Any", [returned(_applied(codec.loads, "blob"))]),
            ("load", "data: Any", type_, _typed(rendered, load("data"), type_, name)),
        ]
    for step, parameter, returns, body in steps:
        module.use("typing", "Any")
        module.add(function(step, [parameter], returns, *body))
        written.append(step)
    return tuple(written)


def _write_beside(
    rendered: Rendered, library: Library, codec: Codec, schema: Schema, asked: set[str], written: tuple[str, ...]
) -> tuple[str, ...]:
    """Add `build` (from neutral values), `read` (which touches every field) and `frame` (from bytes to a data frame)."""
    module, name = rendered.module, root_name(schema)
    found = []
    if "build" in asked and not rendered.build and "encode" in written:
        hand = ByHand(module, schema, "load", TEXT_KINDS | {"set", "tuple"}, library.items, name="build")
        if hand.differs(schema.root):
            hand.add_functions()
            made = [returned(hand.document("values"))]
            module.use("typing", "Any")
            module.add(function("build", ["values: Any"], annotation(schema.root, module), *made))
            found.append("build")
    if "read" in asked and "decode" in written:
        for block in rendered.read:
            module.add(block)
        if not rendered.read:
            Reading(module, schema, library.items).add_functions(name)
        found.append("read")
    frame = codec.frame
    framed = library.model in FRAMED and "alias" not in schema.features
    if not frame and codec.loads and (codec.makes != ANY_MODEL or framed):
        frame = f"pandas.DataFrame({codec.loads})"
    if "frame" in asked and frame and "decode" in written and isinstance(schema.root, List):
        module.use("pandas")
        module.add(function("frame", ["blob: bytes"], "pandas.DataFrame", returned(_applied(frame, "blob"))))
        found.append("frame")
    if "decode" in written:
        found += [operation for operation in REJECTS if operation in asked]  # what decodes refuses
    if "stream" in asked and codec.stream and {"encode", "decode"} <= set(written):
        _write_stream(rendered, codec, schema)
        found.append("stream")
    return tuple(found)


def _write_stream(rendered: Rendered, codec: Codec, schema: Schema) -> None:
    """Add `write_stream` and `read_stream`, for files of many records one after the other."""
    module, name = rendered.module, root_name(schema)
    type_ = annotation(schema.root, module)
    module.use("typing", "IO", "Any")
    module.use("collections.abc", "Iterable", "Iterator")
    written = f"encode({name})" + (' + b"\\n"' if codec.stream == "lines" else "")
    writing = [f"    for {name} in items:", f"        file.write({written})"]
    if codec.stream == "lengths":
        frame = 'file.write(len(blob).to_bytes(4, "big") + blob)'
        writing = [f"    for {name} in items:", f"        blob = encode({name})", f"        {frame}"]
    parameters = [f"items: Iterable[{type_}]", "file: IO[bytes]"]
    for block in codec.streaming:
        module.add(block)
    module.add(function("write_stream", parameters, "None", *writing))
    if codec.stream == "lines":
        reading = ["    for line in file:", "        yield decode(line)"]
    elif codec.stream == "lengths":
        frame = 'decode(file.read(int.from_bytes(length, "big")))'
        reading = ["    while length := file.read(4):", f"        yield {frame}"]
    else:
        value = flat(rendered.load("data")) if rendered.load else "data"
        reading = [f"    for data in {codec.stream.replace('{}', 'file')}:", f"        yield {value}"]
    module.add(function("read_stream", ["file: IO[bytes]"], f"Iterator[{type_}]", *reading))


def _decode_body(rendered: Rendered, codec: Codec, type_: str, name: str) -> list[str]:
    if rendered.decode is not None:
        return _typed(rendered, rendered.decode, type_, name)
    loads = _applied(codec.loads, "blob")
    load = rendered.load
    if codec.vague:
        said = lay_out(loads, 4, "data: Any = ")
        return [
            said,
            *_typed(
                replace(rendered, untyped=True) if load is None else rendered,
                load("data") if load else "data",
                type_,
                name,
            ),
        ]
    if load is None:
        return _typed(rendered, loads, type_, name)
    if len(re.findall(r"\bdata\b", flat(load("data")))) == 1:
        return _typed(rendered, load(flat(loads)), type_, name)
    return [lay_out(loads, 4, "data = "), *_typed(rendered, load("data"), type_, name)]


def _typed(rendered: Rendered, value: Expression, type_: str, name: str) -> list[str]:
    """Return the value; by way of a variable with its type where a type checker cannot know that."""
    if rendered.untyped:
        return [lay_out(value, 4, f"{name}: {type_} = "), f"    return {name}"]
    return [returned(value)]


def _closed(text: str) -> bool:
    """Whether every bracket that is closed in the text is opened in it before."""
    depths = itertools.accumulate((char in "([{") - (char in ")]}") for char in text)
    return all(depth >= 0 for depth in depths)


def _applied(template: str, *arguments: Expression) -> Expression:
    """A call's template with its arguments, in front of those that it has itself; a call in a call is laid out as one."""
    outer, _, inner = template.partition("(")
    inner = inner.removesuffix(")")
    if template.endswith(")") and "(" in inner.partition("{}")[0] and len(split(inner, ", ")) == 1 and _closed(inner):
        return Bracketed(f"{outer}(", (_applied(inner, *arguments),), ")")
    opening, _, closing = template.partition("{}")
    if not closing.startswith(", "):
        return Bracketed(opening, arguments, closing)
    depth, end = 1, 0
    while depth:
        depth += (closing[end] in "([{") - (closing[end] in ")]}")
        end += 1
    own = split(closing[2 : end - 1], ", ")
    return Bracketed(opening, (*arguments, *own), closing[end - 1 :])
