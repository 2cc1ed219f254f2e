"""The functions of a rendered module: `encode`, `decode`, the steps behind them and what is written only where it is asked for."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from serbench.cases.case import REJECTS
from serbench.formats import ANY_MODEL, Codec
from serbench.libraries import Library, Rendered
from serbench.schema import List, Schema
from serbench.source.by_hand import TEXT_KINDS, ByHand
from serbench.source.expressions import Bracketed, Expression, Keyword, flat
from serbench.source.layout import function, lay_out, returned, split
from serbench.source.models import annotation, literal, root_name
from serbench.source.reading import Reading

FRAMED = ("dataclass", "namedtuple", "typeddict")  # of a list of which pandas makes a table


def write_functions(rendered: Rendered, codec: Codec, schema: Schema, cannot: set[str], root: str) -> tuple[str, ...]:
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


def write_beside(
    rendered: Rendered, library: Library, codec: Codec, schema: Schema, asked: set[str], written: tuple[str, ...]
) -> tuple[str, ...]:
    """Add what is asked for of `build` (from neutral values), `read` (every field), `frame` (a data frame) and `stream`.

    Returns:
        The operations that there are then, with those of `REJECTS`, which are no functions.
    """
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
