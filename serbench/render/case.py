"""One rendered case: its source, functions, operations and the independent readers of its bytes."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from serbench.model.fidelity import with_each
from serbench.model.records import List, Schema
from serbench.model.scalars import TEXT_KINDS
from serbench.render.codec import ANY_MODEL, Codec, SchemaCodec, format_of
from serbench.render.environments import Environment, main_environment, normalised
from serbench.render.library import Library, Rendered
from serbench.render.source.by_hand import ByHand, Reading
from serbench.render.source.models import annotation
from serbench.render.source.module import filled, literal, root_name, tree

REJECTS = {"reject": -1, "reject_first": 0}
"""Operation → which record of the document is wrong."""
_LONGEST_NAME = 200  # no file has one of more than 255 bytes, with its suffix


@dataclass(frozen=True)
class Case:
    """One rendered case, in the environment where it runs.

    `source` is the module's text and `operations` the functions it has; or `reason` says why the
    library cannot do it, and `source` is empty. If a module cannot encode, `writer` is a case that makes the bytes for
    it to decode. `schema_text` is the schema in the format's own language, if it has one, as the file `schema_file`;
    `own` is what a worker makes the objects of a user's class of. `root` is the key of the document in the bytes, if the format has only records at the root.
    `in_lines` is whether the bytes are JSON Lines, `inside` the keys below which they have the document. `calls` is how many calls a batch makes for each one that it counts: other than 1 only if the self-check plants a
    known difference.
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
    in_lines: bool = False
    inside: tuple[str | int, ...] = ()
    calls: float = 1.0
    user_facts: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @property
    def cannot(self) -> dict[str, str]:
        """Operation → the reason why the library or the codec does not have it."""
        return {**self.codec.limits.cannot, **self.library.cannot}

    @property
    def may_leave_out(self) -> bool:
        """True if its documents may lack keys: what it decodes from them proves that nothing is lost, or it only writes.

        A class that only writes the document may leave out nulls, and nothing else.
        """
        if self.user_facts is not None and self.user_facts["writes"]:
            return True
        return "decode" in self.operations and (bool(self.library.user_class) or self.variant in self.library.omits)

    @property
    def absent(self) -> str | None:
        """The requirement that its environment lacks, and what to do about it; None if nothing is missing."""
        where, codec = self.environment, self.codec.distribution
        if where.reason is not None:
            return where.reason
        missing = next((d for d in (*self.library.distributions, codec) if d and where.installed(d) is None), None)
        if missing is None:
            return None
        if where.name == "main":
            return f"{missing} is not installed: pip install {missing}"
        if missing == codec and not where.satisfies(self.codec.marker):
            return f"{missing} is not made for {where.runs_on}"
        why = where.missing.get(normalised(missing), "not part of it")
        return f"{missing} is not in the environment {where.name}: {why}"

    def readers(self, spec: dict[str, Any]) -> dict[str, Callable[[bytes], Any]]:
        """The readers of the document that are independent of its codec, by name; `spec` is `Schema.as_data()`."""
        format_ = format_of(self.codec)

        def reader(read: Callable[..., Any]) -> Callable[[bytes], Any]:
            def document(blob: bytes) -> Any:
                if self.in_lines and spec["root"][0] == "list":
                    blob = b"[" + b",".join(blob.splitlines()) + b"]"
                value = read(blob, spec, self.schema_text) if format_.typed else read(blob)
                value = value[self.root] if self.root else value
                for key in self.inside:
                    value = value[key]
                if self.inside and isinstance(value, str):
                    value = read(value.encode())
                null = self.codec.limits.null
                return with_each(value, lambda item: None if item == null else item) if null else value

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
        name = "_".join(re.findall(r"[A-Za-z0-9]+", "_".join(parts)))
        if len(name) <= _LONGEST_NAME:
            return name
        return f"{name[:_LONGEST_NAME]}_{hashlib.sha256(name.encode()).hexdigest()[:12]}"

    @property
    def source_sha256(self) -> str:
        """The hash of the text that is measured."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The source: plain for logs, highlighted for notebooks."""
        return {"text/plain": self.source, "text/markdown": f"```python\n{self.source}```"}


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


_WRITING = ("encode", "dump", "dumps")
_READING = ("decode", "loads", "load")


def code_of(case: Case, operation: str) -> str:
    """The functions of an operation and all that they need, without the rest of the module, in one spelling.

    A step has the code of its whole operation, since what one step does depends on the others.
    """
    whole = _WRITING if operation in _WRITING else _READING
    return "\n".join(ast.unparse(statement) for statement in _needed(case.source, {*whole, operation, "build"}))


def takes_part(case: Case, operation: str) -> bool:
    """Return False if the code of an operation uses nothing of the case's library."""
    if not case.library.modules or case.library.user_class:
        return True
    needed = _needed(case.source, _WRITING if operation in _WRITING else _READING)
    imported = (name for statement in needed for name in _imports(statement))
    return any(name.partition(".")[0] in case.library.modules for name in imported)


@lru_cache(100)
def _statements(source: str) -> list[tuple[ast.stmt, set[str], set[str]]]:
    """The statements of a module, each with the names that it defines, and those of the module's that it has."""
    statements = [one for statement in tree(source).body for one in _single(statement)]
    bound = [_bound(statement) for statement in statements]
    known = set[str]().union(*bound)
    return [(one, defined, _words(one) & known) for one, defined in zip(statements, bound, strict=True)]


def _needed(source: str, names: Iterable[str]) -> list[ast.stmt]:
    """The statements that define these names, those that they need, and those without a name that concern any of them."""
    needed, statements = set(names), list[ast.stmt]()
    left = _statements(source)
    while more := [one for one in left if (one[1] or one[2]) & needed]:
        statements += [statement for statement, _, _ in more]
        needed = needed.union(*(words for _, _, words in more))
        left = [one for one in left if one not in more]
    return sorted(statements, key=lambda statement: (hasattr(statement, "lineno"), getattr(statement, "lineno", 0)))


def _single(statement: ast.stmt) -> list[ast.stmt]:
    """An import of several names as one import for each."""
    match statement:
        case ast.Import(names):
            return [ast.Import([name]) for name in names]
        case ast.ImportFrom(module, names, level):
            return [ast.ImportFrom(module, [name], level) for name in names]
    return [statement]


def _imports(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Import(names):
            return [name.name for name in names]
        case ast.ImportFrom(str(module)):
            return [module]
    return []


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a module defines."""
    match statement:
        case ast.Import(names) | ast.ImportFrom(_, names):
            return {name.asname or name.name.partition(".")[0] for name in names}
        case ast.FunctionDef(name) | ast.ClassDef(name):
            return {name}
    stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return {node.id for node in stored}


def _words(statement: ast.stmt) -> set[str]:
    """The names in a statement, and the words of its texts, which may be annotations."""
    words: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.update(re.findall(r"\w+", node.value))
    return words
