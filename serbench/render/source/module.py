"""A module of Python source: imports, blocks, names and their scopes, and its layout by `ruff format`."""

from __future__ import annotations

import ast
import builtins
import hashlib
import keyword
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, wraps
from threading import Lock
from typing import Any, TypeVar

from serbench.errors import PlugInError
from serbench.machine.caretaker import with_us
from serbench.model.names import field_name, function_stem
from serbench.model.records import Enum, List, Record, Ref, Schema, Type, Union, replace_inner

_NAMES = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_target: ContextVar[tuple[int, int]] = ContextVar("target", default=(3, 11))
_decided: ContextVar[bool] = ContextVar("decided", default=False)


@contextmanager
def decided_by_class() -> Iterator[None]:
    """Leave lookalikes and names of fields to the library of a user's class: what it makes of them is proven with data."""
    before = _decided.set(True)
    try:
        yield
    finally:
        _decided.reset(before)


def is_decided() -> bool:
    """Return True while the library of a user's class decides."""
    return _decided.get()


@contextmanager
def rendering_for(python: tuple[int, int]) -> Iterator[None]:
    """Give the modules that are made inside this Python version, whose syntax they use."""
    token = _target.set(python)
    try:
        yield
    finally:
        _target.reset(token)


def call(function: str, *arguments: str) -> str:
    """A call of `function`."""
    return f"{function}({', '.join(arguments)})"


def filled(template: str, value: str) -> str:
    """The template with the expression `value` for each `{}` that stands in no string."""
    return re.sub(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\{\}""", lambda match: match[1] or value, template)


def listed(items: Iterable[str]) -> str:
    """A list display of these expressions."""
    return f"[{', '.join(items)}]"


def braced(items: Iterable[str]) -> str:
    """A dict display of these `key: value` pairs."""
    return f"{{{', '.join(items)}}}"


def tuple_of(items: Iterable[str]) -> str:
    """A tuple of these expressions."""
    listed = list(items)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def block(head: str, lines: Iterable[str]) -> str:
    """A definition: decorators and the `class` or `def` line, then the body's lines, not indented; `pass` if there are none."""
    body = [f"    {line}" if line else "" for text in lines for line in text.split("\n")]
    return "\n".join([head, *(body or ["    pass"])])


class Unsupported(Exception):
    """A library cannot do what the schema or codec asks; the message is the row's reason."""


def literal(value: Any) -> str:
    """A str, int, float, bool or None as source; text is escaped, whatever it holds."""
    if isinstance(value, str):
        text = repr(value)
        if text[0] == "'" and '"' not in text:
            return f'"{text[1:-1]}"'
        if text[0] == "'":
            body = text[1:-1].replace("\\'", "'").replace('"', '\\"')
            return f'"{body}"' if body.count('\\"') <= body.count("'") else text
        return text
    return repr(value)


@dataclass
class Module:
    """A module being rendered: imports, and blocks of top-level code in order.

    Attributes:
        future: whether annotations are not evaluated.
        plain: modules that are imported whole.
        names: module → what is imported from it.
        blocks: definitions and statements.
        python: the version that the module is written for.
    """

    future: bool = False
    plain: set[str] = field(default_factory=set)
    names: dict[str, set[str]] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    python: tuple[int, int] = field(default_factory=_target.get)

    def use(self, module: str, *names: str) -> None:
        """Import `module`, or the given names from it."""
        if names:
            self.names.setdefault(module, set()).update(names)
        else:
            self.plain.add(module)

    def use_each(self, imports: Iterable[str]) -> None:
        """Import each of these: "module", or "module:name"; `datetime:UTC` is defined before Python 3.11, which lacks it."""
        for one in imports:
            if one == "datetime:UTC" and self.python < (3, 11):
                self.use("datetime", "timezone")
                self.add("UTC = timezone.utc")
                continue
            source, _, name = one.partition(":")
            self.use(source, *filter(None, [name]))

    def add(self, block: str) -> None:
        """Append a definition or a statement."""
        self.blocks.append(block)

    def define(self, head: str, lines: Iterable[str]) -> None:
        """Append a definition: decorators and the `class` or `def` line, then the body's lines, not indented."""
        self.add(block(head, lines))

    def bound(self) -> set[str]:
        """The names that the imports bring, without those that no block names."""
        used = set(_NAMES.findall("\n".join(self.blocks)))
        return used.intersection(map(bound_name, self.plain.union(*self.names.values())))

    def rename_imports(self, names: Mapping[str, str]) -> None:
        """Import what has one of these names under another."""

        def renamed(import_: str) -> str:
            bound = bound_name(import_)
            return f"{import_.partition(' as ')[0]} as {names[bound]}" if bound in names else import_

        self.plain = set(map(renamed, self.plain))
        self.names = {source: set(map(renamed, names)) for source, names in self.names.items()}

    def text(self) -> str:
        """The whole module, which has to be laid out yet."""
        blocks = "\n".join(self.blocks)
        return f"{self._imports(blocks)}{blocks}\n"

    def _imports(self, blocks: str) -> str:
        """The imports that the blocks need, in isort's order and groups; what no block names is left out."""
        used = set(_NAMES.findall(blocks))
        lines = [(0, 0, "", "from __future__ import annotations")] if self.future else []
        lines += [(_group(name), 0, name, f"import {name}") for name in self.plain if bound_name(name) in used]
        for source, names in self.names.items():
            needed = sorted((name for name in names if bound_name(name) in used), key=_import_order)
            together = ", ".join(name for name in needed if " as " not in name)
            each = (together, *(name for name in needed if " as " in name))
            lines += [(_group(source), 1, source, f"from {source} import {part}") for part in each if part]
        groups = ("".join(f"{text}\n" for number, _, _, text in sorted(lines) if number == group) for group in range(3))
        return "".join(f"{group}\n" for group in groups if group)


def _group(name: str) -> int:
    return 1 if re.split(r"\W", name, maxsplit=1)[0] in sys.stdlib_module_names else 2


def bound_name(name: str) -> str:
    """The name that an import brings into the module."""
    return name.rpartition(" as ")[2].partition(".")[0]


def _import_order(name: str) -> tuple[int, str]:
    """Constants before classes before functions, as isort orders them, each regardless of case."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, name.lower())


WIDTH = 88
"""The length of a line in a rendered module, which is ruff's own default."""
_KEPT = 2000
_done: dict[tuple[tuple[int, int], str], str] = {}  # the last modules and their layout, for blocks with the same ones
_KNOWN = ((3, 7), (3, 13))  # the oldest and the newest Python that every supported ruff writes for


class NotPythonError(PlugInError):
    """A rendered module that is no valid Python, because a template is wrong."""

    def __init__(self, module: str, said: str, line: int | None) -> None:
        where = f", in {module.splitlines()[line - 1].strip()!r}" if line else ""
        super().__init__(f"the rendered module is not Python: {said}{where}; correct what writes this line")
        self.module = module


@cache
def _ruff() -> str:
    from ruff import find_ruff_bin

    return str(find_ruff_bin())


def laid_out(texts: Sequence[str], python: tuple[int, int]) -> list[str]:
    """The modules as `ruff format` writes them for this Python, whatever configuration the user has.

    Raises:
        NotPythonError: ruff cannot parse a module, because a template is wrong.
    """
    new = [text for text in dict.fromkeys(texts) if (python, text) not in _done]
    if len(_done) + len(new) > _KEPT:
        _done.clear()
        new = list(dict.fromkeys(texts))
    if new:
        _done.update(zip(((python, text) for text in new), _formatted(new, python), strict=True))
    return [_done[python, text] for text in texts]


def _formatted(texts: Sequence[str], python: tuple[int, int]) -> list[str]:
    """The modules as one process writes them, which gets them as one text, between comments that occur in none of them."""
    mark = f"# {hashlib.sha256(''.join(texts).encode(errors='surrogatepass')).hexdigest()}\n"
    major, minor = min(max(python, _KNOWN[0]), _KNOWN[1])
    target = ("--target-version", f"py{major}{minor}", "--line-length", str(WIDTH))
    command = [_ruff(), "format", "--isolated", *target, "--stdin-filename", "module.py", "-"]
    done = subprocess.run(command, input=mark.join(texts).encode(), capture_output=True, check=False, **with_us())
    laid_out_texts = done.stdout.decode().split(mark)
    if done.returncode or len(laid_out_texts) != len(texts):
        if len(texts) > 1:
            return [_formatted([text], python)[0] for text in texts]  # one of them is wrong
        said = done.stderr.decode().strip().removeprefix("error: Failed to parse ")
        position = re.match(r"module\.py:(\d+):\d+: ", said)
        raise (
            NotPythonError(texts[0], said[position.end() :], int(position[1]))
            if position
            else NotPythonError(texts[0], said, None)
        )
    return [f"{text.strip()}\n" for text in laid_out_texts]


_Result = TypeVar("_Result")


def once(function: Callable[[Schema], _Result]) -> Callable[[Schema], _Result]:
    """Make a function of a schema keep its result with the schema, which lives as long."""
    key = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def kept(schema: Schema) -> _Result:
        results = vars(schema)
        if key not in results:
            results[key] = function(schema)
        result: _Result = results[key]
        return result

    return kept


_ONE = Lock()


def tree(text: str) -> ast.Module:
    """The syntax tree of a module; raises SyntaxError."""
    with _ONE:
        return ast.parse(text)


def expression(text: str) -> ast.expr:
    """The syntax tree of an expression; raises SyntaxError."""
    with _ONE:
        return ast.parse(text, mode="eval").body


_VERBS = ("build_", "dump_", "from_", "load_", "pack_", "plain_", "read_", "to_")  # of functions of records
# Names that a rendered function body may mean something else by.
_LOCALS = """
    adapter attrs base64 asdict blob converter cattrs config data date datetime decoder deserialize dump_document
    dumper encoder json load_document loader mapper marshmallow mashumaro msgpack msgspec orjson pickle protocol
    pydantic schema self serialize time timedelta typing uuid
"""
_USED = {*dir(builtins), *_LOCALS.split()}
_OF_REQUESTS = frozenset({"fetch", "headers", "now", "request", "send", "status"})
"""Names that an endpoint, and what requests it, mean something else by."""


@once
def root_name(schema: Schema) -> str:
    """The name of the document in rendered functions: `client` or `clients`, `value` or `values`."""
    match schema.root:
        case List(Ref(record)):
            name = _safe(plural(snake(record)))
        case Ref(record):
            name = snake(record)
        case List(_):
            name = "values"
        case _:
            name = "value"
    return f"{name}_" if name in _OF_REQUESTS else name


@lru_cache(1000)
def snake(name: str) -> str:
    """`CamelCase` as `camel_case`; safe as a parameter's name."""
    return _safe(function_stem(name))


def _safe(name: str) -> str:
    if name.startswith(_VERBS):  # the parameter dump_user would hide the function that dumps a user
        return f"the_{name}"
    plain = unmarked(name)
    return f"{name}_" if keyword.iskeyword(plain) or plain in _USED else name


def plural(word: str) -> str:
    """The usual English plural."""
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


_MARK = "7390184426651937"
"""Digits may stand in an identifier, and are their own capitals."""
_BUILTINS = frozenset(dir(builtins))
_T = TypeVar("_T")
_DEFINED = re.compile(r"^(?: *(?:class|def) )?(\w+)", re.MULTILINE)
_IMPORTED = re.compile(r"^from \S+ import (\w+(?:, \w+)*)", re.MULTILINE)


def unmarked(text: str) -> str:
    """The text with the names that data really has."""
    return text.replace(_MARK, "")


def rename_shadowing(schema: Schema, render: Callable[[Schema], tuple[Module, _T]]) -> tuple[str, _T]:
    """The text of the module that `render` makes of the schema, in which no name of data hides one of the code.

    Raises:
        Unsupported: the code defines something of a field's name in the class of that field.
        NotPythonError: the module is not valid Python, because a template is wrong.
    """
    module, beside = render(schema)
    text, doubtful = module.text(), _doubtful(schema, module)
    if not doubtful or _MARK in text:
        return text, beside
    try:
        module, _ = render(_marked(schema, doubtful))
    except Unsupported as refused:
        raise Unsupported(unmarked(str(refused))) from None
    root = _Scope.of(module)
    hidden = sorted(name for name in doubtful if root.hides(name))
    if hidden:
        used = {unmarked(name) for scope in root.all() for name in (*scope.bound, *(name for name, *_ in scope.names))}
        _rename(module, root, {name: _free(name, used) for name in hidden})
        text = unmarked(module.text())
    return text, beside


def _doubtful(schema: Schema, module: Module) -> frozenset[str]:
    """The names of data that the code may mean something else by."""
    classes = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    names = {f.name for record in schema.records for f in record.fields} | set(schema.tags.values()) | classes
    defined = Counter(name for block in module.blocks for name in _DEFINED.findall(block))
    defined.update(module.bound())
    defined.update(name for block in module.blocks for some in _IMPORTED.findall(block) for name in some.split(", "))
    of_code = {name for name, times in defined.items() if times > (name in classes)}
    return frozenset(names & (of_code | _BUILTINS))


def _marked(schema: Schema, names: Container[str]) -> Schema:
    """The schema with the mark behind these names."""

    def mark(name: str) -> str:
        return f"{name}{_MARK}" if name in names else name

    def in_type(type_: Type) -> Type:
        match replace_inner(type_, in_type):
            case Ref(name):
                return Ref(mark(name))
            case Enum(name, members):
                return Enum(mark(name), members)
            case Union(members, str(tag)) if field_name(tag) == tag:
                return Union(members, mark(tag))
            case other:
                return other

    def in_record(record: Record) -> Record:
        fields = tuple(replace(f, name=mark(f.name), type=in_type(f.type)) for f in record.fields)
        return replace(record, name=mark(record.name), fields=fields)

    return Schema(in_type(schema.root), tuple(map(in_record, schema.records)))


def _free(name: str, used: Container[str]) -> str:
    """The name with an underscore in front, and as many behind as make it free."""
    free = f"_{name.lstrip('_')}"
    while free in used:
        free += "_"
    return free


def _rename(module: Module, root: _Scope, names: Mapping[str, str]) -> None:
    """Give the names of the module's own scope, and of the builtins, other names."""
    lines = [line.encode() for line in "\n".join(module.blocks).split("\n")]
    places = {
        (row, column): name
        for scope in root.all()
        for name, row, column in scope.names
        if name in names and scope.home(name) is root
    }
    for (row, column), name in sorted(places.items(), reverse=True):
        line = lines[row]
        new = f"{name} as {names[name]}" if line.startswith((b"from ", b"import ")) else names[name]
        lines[row] = line[:column] + new.encode() + line[column + len(name) :]
    module.blocks = [b"\n".join(lines).decode()]
    module.rename_imports(names)
    for name in names.keys() - root.bound:
        module.use("builtins", f"{name} as {names[name]}")


@dataclass
class _Scope:
    """What names stand for in a module, a class or a function: `inner` are the scopes in it.

    `names` are those in its text, each with its line, and the byte in it; `bound` those that it binds.
    """

    outer: _Scope | None = None
    of_class: bool = False
    names: list[tuple[str, int, int]] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    inner: list[_Scope] = field(default_factory=list)

    @classmethod
    def of(cls, module: Module) -> _Scope:
        """The scope of a module, whose imports are bound in it but do not stand in its text."""
        root, text = cls(bound=module.bound()), "\n".join(module.blocks)
        try:
            _Reader(root).visit(tree(text))
        except SyntaxError as error:
            raise NotPythonError(unmarked(text), error.msg, error.lineno) from None
        return root

    def all(self) -> Iterator[_Scope]:
        """The scope and all inside of it."""
        yield self
        for scope in self.inner:
            yield from scope.all()

    def home(self, name: str) -> _Scope:
        """The scope that a name here belongs to; what no scope binds is a builtin and belongs to the module."""
        scope = self
        while scope.outer is not None and name not in scope.bound:
            scope = scope.outer
            while scope.of_class and scope.outer is not None:  # functions do not look into the class around them
                scope = scope.outer
        return scope

    def hides(self, name: str) -> bool:
        """Return True if a name of data hides this name of the code, or is hidden by it, somewhere in the module.

        Raises:
            Unsupported: both are defined in one class, where the library may look for either.
        """
        data, hidden = f"{name}{_MARK}", False
        for scope in self.all():
            if scope.of_class and {name, data} <= scope.bound:
                raise Unsupported(f"a field called {name} would hide the library's own attribute")
            if any(one == name for one, *_ in scope.names) and scope.home(name) is self:
                hidden = hidden or data in scope.home(data).bound
        return hidden


class _Reader(ast.NodeVisitor):
    """Reads the names of a module into their scopes."""

    def __init__(self, scope: _Scope, row: int = -1, column: int = 0) -> None:
        self.scope, self.row, self.column = scope, row, column

    def visit_Name(self, node: ast.Name) -> None:
        self._add(node.id, node, binds=not isinstance(node.ctx, ast.Load))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._add(node.name, node, len("def "), binds=True)
        for part in node.decorator_list:
            self.visit(part)
        self._annotation(node.returns)
        self._function(node.args, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node.args, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._add(node.name, node, len("class "), binds=True)
        for part in (*node.decorator_list, *node.bases, *(given.value for given in node.keywords)):
            self.visit(part)
        self._inside(_Scope(self.scope, of_class=True), node.body)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "TypedDict":
            for part in node.args[1:]:
                for value in part.values if isinstance(part, ast.Dict) else ():
                    self._annotation(value)

    def visit_alias(self, node: ast.alias) -> None:
        self._add(node.name, node, binds=True)

    def _function(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            self.visit(default)
        inner = _Scope(self.scope)
        starred = filter(None, (arguments.vararg, arguments.kwarg))
        for posonlyarg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred):
            inner.bound.add(posonlyarg.arg)
            self._annotation(posonlyarg.annotation)
        self._inside(inner, body)

    def _inside(self, inner: _Scope, body: list[ast.stmt] | list[ast.expr]) -> None:
        self.scope.inner.append(inner)
        reader = _Reader(inner, self.row, self.column)
        for part in body:
            reader.visit(part)

    def _annotation(self, node: ast.expr | None) -> None:
        """Read an annotation, which may stand in quotes as a whole."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            inside = _Reader(self.scope, node.lineno + self.row - 1, self.column + node.col_offset + 1)
            inside.visit(expression(node.value))
        elif node is not None:
            self.visit(node)

    def _add(self, name: str, node: ast.expr | ast.stmt | ast.alias, ahead: int = 0, *, binds: bool) -> None:
        self.scope.names.append((name, node.lineno + self.row, node.col_offset + self.column + ahead))
        if binds:
            self.scope.bound.add(name)
