"""A case: rendered from a library, a variant, a codec and a schema, or a file of the user's functions as it is.

It has its source, its operations, and the independent readers of its bytes.
"""

from __future__ import annotations

import ast
import hashlib
import re
import symtable
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from serbench.errors import PlanError, PlugInError, SerbenchError, check
from serbench.model.fidelity import with_each
from serbench.model.plug_ins import told
from serbench.model.records import List, Map, Ref, Schema, Union
from serbench.model.scalars import TEXT_KINDS
from serbench.render.codec import ANY_MODEL, UNNAMED, Codec, SchemaCodec, codecs, format_of, formats
from serbench.render.environments import Environment, main_environment, normalised
from serbench.render.library import Library, Rendered, libraries
from serbench.render.source.by_hand import ByHand, Reading
from serbench.render.source.classes import refuse_lookalikes
from serbench.render.source.models import annotation
from serbench.render.source.module import (
    Module,
    NotPythonError,
    Unsupported,
    decided_by_class,
    filled,
    laid_out,
    literal,
    rename_shadowing,
    rendering_for,
    root_name,
    tree,
)
from serbench.results import FUNCTIONS, grouped

REJECTS = {"reject": -1, "reject_first": 0}
"""Operation → which record of the document is wrong."""
_LONGEST_NAME = 200  # no file has one of more than 255 bytes, with its suffix


@dataclass(frozen=True)
class Case:
    """One rendered case, in the environment where it runs.

    `source` is the module's text and `operations` the functions it has; or `reason` says why the
    library cannot do it, and `source` is empty. If a module cannot encode, `writer` is a case that makes the bytes for
    it to decode. `schema_text` is the schema in the format's own language, if it has one, as the file `schema_file`;
    `user_facts` is what a worker makes the objects of a user's class of. `root` is the key of the document in the bytes, if the format has only records at the root.
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


ROLES = ("encode", "decode", "build")
"""The functions of such a file; it may lack `build`, which makes what `encode` takes of the plain document."""
CODEC = FUNCTIONS
_TEXT = re.compile(r"([A-Za-z][\w .-]*?)(?:/([\w.-]+))?=(?!=)(.+\.py)")
_DOCS = "https://docs.python.org/3/tutorial/controlflow.html#defining-functions"


@dataclass(frozen=True)
class UserFunctions(Library):
    """The functions as a library of its own.

    Attributes:
        source: the text of their file.
        builds: whether it has `build`.
    """

    source: str = ""
    builds: bool = False

    def of(self, case: Case, beside: set[str]) -> Case:
        """The case with their text, and those of the operations of `REJECTS` that are asked for."""
        operations = [name for name in ROLES[:2] if name not in self.cannot]
        operations += [name for name in REJECTS if name in beside and "decode" in operations]
        return replace(case, source=self.source, operations=tuple(operations))


def is_of_functions(text: str) -> bool:
    """Return True if a text among the names of libraries is `NAME=FILE.py` or `NAME/FORMAT=FILE.py`."""
    return _TEXT.fullmatch(text) is not None


def functions_located(text: str) -> str:
    """The text of a library with the absolute path of its file, if it is one of functions."""
    match = _TEXT.fullmatch(text)
    return f"{text[: match.start(3)]}{Path(match[3]).absolute()}" if match else text


def functions_case(text: str) -> tuple[UserFunctions, str, Codec]:
    """Library, variant and codec of the functions in a file.

    Raises:
        PlanError: the name is that of a library, the format cannot be read by itself, or the file lacks a function.
    """
    match = _TEXT.fullmatch(text)
    assert match is not None
    name, format_, path = match[1], match[2] or UNNAMED.name, match[3]
    if name in libraries():
        raise PlanError(f"{name} is a library; give your functions another name")
    if match[2]:
        check("format", format_, formats())
        if formats()[format_].typed or not formats()[format_].readers:
            raise PlanError(
                f"{format_} cannot be read without its schema; leave the format out: {name} instead of {name}/{format_}"
            )
    try:
        source = Path(path).read_text("utf-8")
        table = symtable.symtable(source, path, "exec")
    except OSError as error:
        raise PlanError(f"{path} cannot be read ({error.strerror})") from None
    except (SyntaxError, ValueError) as error:
        raise PlanError(f"{path} is not Python: {error}") from None
    known = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    for role in ROLES[:2]:
        if role not in known:
            raise PlanError(f"{path} has no function {role}; {name} needs encode and decode")
    library = UserFunctions(
        name=name,
        summary="your own functions",
        docs=_DOCS,
        render=_never,
        user_class=path,
        source=source,
        builds="build" in known,
    )
    return library, "default", Codec(CODEC, _DOCS, only=frozenset({name}), format=format_)


def _never(*_: object) -> NoReturn:
    raise AssertionError("functions are not rendered")


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
        odd = (enum.name for enum in schema.enums if enum.mixed)
        missing += [f"{codec.format} has enums of texts or of integers, and {name} has other values" for name in odd]
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
                # one that makes the objects asks their annotations, which it may refuse, and not the bytes
                native = frozenset[str]() if library.model in codec.objects.makes else codec.kinds.decodes
                refuse_lookalikes(schema, native, codec.format)
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
    written = [one for case in listed for one in (case, case.writer) if one is not None and one.source]
    try:
        done = {
            python: dict(zip(texts, laid_out(texts, python), strict=True))
            for python, some in grouped(written, lambda one: one.environment.version).items()
            for texts in [[one.source for one in some]]
        }
    except NotPythonError as error:
        case = next(one for one in written if one.source == error.module)
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
