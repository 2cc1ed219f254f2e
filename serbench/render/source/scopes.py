"""Names of data in the scopes of a rendered module: a name of the code that one of them hides gets an underscore.

The names of the code are those that a module imports, defines or takes from the builtins; a field or a class may have
the same name. Such a module is rendered again with a mark behind the names of data, which tells the two apart.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from serbench.model.names import field_name
from serbench.model.records import Record, Schema
from serbench.model.types import Enum, Ref, Type, Union, replace_inner
from serbench.render.source.laying_out import NotPythonError
from serbench.render.source.module import Module, Unsupported
from serbench.render.source.syntax import expression, tree

_MARK = "7390184426651937"
"""Digits may stand in an identifier, and are their own capitals."""
_BUILTINS = frozenset(dir(builtins))
_T = TypeVar("_T")
_DEFINED = re.compile(r"^(?: *(?:class|def) )?(\w+)", re.MULTILINE)


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
        used = {unmarked(name) for scope in root.all() for name in (*scope.bound, *(one.name for one in scope.names))}
        _rename(module, root, {name: _free(name, used) for name in hidden})
        text = unmarked(module.text())
    return text, beside


def _doubtful(schema: Schema, module: Module) -> frozenset[str]:
    """The names of data that the code may mean something else by."""
    classes = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    names = {f.name for record in schema.records for f in record.fields} | set(schema.tags.values()) | classes
    defined = Counter(name for block in module.blocks for name in _DEFINED.findall(block))
    defined.update(module.bound())
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
        (one.row, one.column): one.name
        for scope in root.all()
        for one in scope.names
        if one.name in names and scope.home(one.name) is root
    }
    for (row, column), name in sorted(places.items(), reverse=True):
        line = lines[row]
        lines[row] = line[:column] + names[name].encode() + line[column + len(name) :]
    module.blocks = [b"\n".join(lines).decode()]
    module.rename_imports(names)
    for name in names.keys() - root.bound:
        module.use("builtins", f"{name} as {names[name]}")


@dataclass(frozen=True)
class _Name:
    """A name where it stands in the text: its line, and the byte in it."""

    name: str
    row: int
    column: int


@dataclass
class _Scope:
    """What names stand for in a module, a class or a function: `found` are those in it, `inner` the scopes in it."""

    outer: _Scope | None = None
    of_class: bool = False
    names: list[_Name] = field(default_factory=list)
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
            if any(one.name == name for one in scope.names) and scope.home(name) is self:
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

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.scope.bound.update(filter(None, [node.name]))
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.scope.bound.add(node.asname or node.name.partition(".")[0])

    def _function(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            self.visit(default)
        inner = _Scope(self.scope)
        starred = filter(None, (arguments.vararg, arguments.kwarg))
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred):
            inner.bound.add(one.arg)
            self._annotation(one.annotation)
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

    def _add(self, name: str, node: ast.expr | ast.stmt, ahead: int = 0, *, binds: bool) -> None:
        position = (node.lineno + self.row, node.col_offset + self.column + ahead)
        self.scope.names.append(_Name(name, *position))
        if binds:
            self.scope.bound.add(name)
