"""The functions of a rendered module: `encode`, `decode`, their steps, and those that are written only if they are asked for."""

from __future__ import annotations

import re
from dataclasses import replace

from serbench.model.records import Schema
from serbench.model.types import List
from serbench.render.case import REJECTS
from serbench.render.codec import ANY_MODEL, Codec, SchemaCodec
from serbench.render.library import Library, Rendered
from serbench.render.source.annotations import annotation
from serbench.render.source.by_hand import ByHand
from serbench.render.source.module import filled, literal
from serbench.render.source.names import root_name
from serbench.render.source.reading import Reading
from serbench.render.source.texts import TEXT_KINDS

FRAMED = ("dataclass", "namedtuple", "typeddict")  # of a list of which pandas makes a table


def write_functions(
    rendered: Rendered, codec: SchemaCodec, schema: Schema, cannot: set[str], root: str
) -> tuple[str, ...]:
    """Add `encode` and `decode`, and the steps behind them if there are any; return their names."""
    schema = rendered.schema or schema
    module, name = rendered.module, root_name(schema)
    type_ = codec.generated.type if rendered.plain and codec.generated else annotation(schema.root, module)
    dump, load = rendered.dump, rendered.load
    written = []

    def dumped(data: str) -> str:
        return _applied(codec.calls.dumps, f"{{{literal(root)}: {data}}}" if root else data, *rendered.options)

    def write(step: str, parameter: str, returns: str, *body: str) -> None:
        if "Any" in (parameter.partition(": ")[2], returns):
            module.use("typing", "Any")
        module.define(f"def {step}({parameter}) -> {returns}:", body)
        written.append(step)

    if encodes := "encode" not in cannot:
        encode = rendered.encode or dumped(filled(dump, name) if dump else name)
        write("encode", f"{name}: {type_}", "bytes", f"return {encode}")
    if decodes := "decode" not in cannot:
        if codec.calls.vague:
            module.use("typing", "Any")
        write("decode", "blob: bytes", type_, *_decode_body(rendered, codec, type_, name))
    if rendered.build and rendered.plain:
        write("build", "values: Any", type_, f"return {filled(rendered.build, 'values')}")
        write("plain", f"{name}: {type_}", "Any", f"return {filled(rendered.plain, name)}")
    if dump and encodes:
        write("dump", f"{name}: {type_}", "Any", f"return {filled(dump, name)}")
        write("dumps", "data: Any", "bytes", f"return {dumped('data')}")
    if load and decodes:
        write("loads", "blob: bytes", "Any", f"return {_applied(codec.calls.loads, 'blob')}")
        write("load", "data: Any", type_, *_typed(rendered, filled(load, "data"), type_, name))
    return tuple(written)


def write_beside(
    rendered: Rendered, library: Library, codec: SchemaCodec, schema: Schema, asked: set[str], written: tuple[str, ...]
) -> tuple[str, ...]:
    """Add those that are asked for of `build` (from neutral values), `read` (every field), `frame` (a data frame) and `stream`.

    Returns:
        The operations of the module, with those of `REJECTS`, which are not functions.
    """
    schema = rendered.schema or schema
    module, name = rendered.module, root_name(schema)
    operations = []
    if "build" in asked and not rendered.build and "encode" in written:
        hand = ByHand(module, schema, "load", TEXT_KINDS | {"set", "tuple"}, library.items, name="build")
        if hand.differs(schema.root):
            hand.add_functions()
            module.use("typing", "Any")
            head = f"def build(values: Any) -> {annotation(schema.root, module)}:"
            module.define(head, [f"return {hand.document('values')}"])
            operations.append("build")
    if "read" in asked and "decode" in written:
        module.blocks += rendered.read
        if not rendered.read:
            Reading(module, schema, library.items).add_functions(name)
        operations.append("read")
    frame = codec.frame
    framed = library.model in FRAMED and "alias" not in schema.features
    if not frame and codec.calls.loads and (codec.objects.makes != ANY_MODEL or framed):
        frame = f"pandas.DataFrame({codec.calls.loads})"
    if "frame" in asked and frame and "decode" in written and isinstance(schema.root, List):
        module.use("pandas")
        module.define("def frame(blob: bytes) -> pandas.DataFrame:", [f"return {_applied(frame, 'blob')}"])
        operations.append("frame")
    if "decode" in written:
        operations += [operation for operation in REJECTS if operation in asked]  # what decodes refuses
    if "stream" in asked and codec.calls.stream and "decode" in written:
        _write_stream(rendered, codec, schema, writes="encode" in written)
        operations.append("stream")
    return tuple(operations)


def _write_stream(rendered: Rendered, codec: Codec, schema: Schema, *, writes: bool) -> None:
    """Add `read_stream` and, if the case `writes`, `write_stream`, for files of many records one after the other."""
    module, name = rendered.module, root_name(schema)
    type_ = annotation(schema.root, module)
    module.use("typing", "IO", "Any")
    module.use("collections.abc", *(["Iterable"] if writes else []), "Iterator")
    if codec.calls.stream == "lengths":
        frame = 'file.write(len(blob).to_bytes(4, "big") + blob)'
        writing = [f"for {name} in items:", f"    blob = encode({name})", f"    {frame}"]
        frame = 'decode(file.read(int.from_bytes(length, "big")))'
        reading = ["while length := file.read(4):", f"    yield {frame}"]
    elif codec.calls.stream == "lines":
        writing = [f"for {name} in items:", f'    file.write(encode({name}) + b"\\n")']
        reading = ["for line in filter(bytes.strip, file):", "    yield decode(line)"]
    else:
        writing = [f"for {name} in items:", f"    file.write(encode({name}))"]
        value = filled(rendered.load or "{}", "data")
        reading = [f"for data in {codec.calls.stream.replace('{}', 'file')}:", f"    yield {value}"]
    module.blocks += codec.calls.streaming
    if writes:
        module.define(f"def write_stream(items: Iterable[{type_}], file: IO[bytes]) -> None:", writing)
    module.define(f"def read_stream(file: IO[bytes]) -> Iterator[{type_}]:", reading)


def _decode_body(rendered: Rendered, codec: Codec, type_: str, name: str) -> list[str]:
    if rendered.decode:
        return _typed(rendered, rendered.decode, type_, name)
    loads, load = _applied(codec.calls.loads, "blob"), filled(rendered.load or "{}", "data")
    if codec.calls.vague:
        untyped = rendered if rendered.load else replace(rendered, untyped=True)
        return [f"data: Any = {loads}", *_typed(untyped, load, type_, name)]
    if len(re.findall(r"\bdata\b", load)) == 1:
        return _typed(rendered, filled(rendered.load or "{}", loads), type_, name)
    return [f"data = {loads}", *_typed(rendered, load, type_, name)]


def _typed(rendered: Rendered, value: str, type_: str, name: str) -> list[str]:
    """Return the value; by way of a variable with its type if a type checker cannot infer it."""
    if rendered.untyped:
        return [f"{name}: {type_} = {value}", f"return {name}"]
    return [f"return {value}"]


def _applied(template: str, *arguments: str) -> str:
    """The call of a codec with these arguments, in front of those that its template has itself."""
    return template.replace("{}", ", ".join(arguments), 1)
