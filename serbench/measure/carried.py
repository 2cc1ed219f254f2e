"""Code of the user's that lives in no file of its own, with what it uses, as the text of a module for a fresh process.

A function or class of a notebook or a script travels as its source, what it imports is imported again, and other values are
pickled. A value that cannot be pickled is made again by the statements that made it.
"""

from __future__ import annotations
import __future__

import ast
import importlib.util
import inspect
import io
import linecache
import pickle
import symtable
import sys
import sysconfig
import textwrap
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from serbench.render.environments.files import write_file
from serbench.render.source.syntax import expression, tree

TARGET = "_serbench_target"
_MAIN = "__main__"


class CannotTravel(Exception):
    """A name whose value another process cannot have; the message names it."""


class Carrier:
    """Collects, piece by piece, what some code uses.

    Args:
        namespace: the values of the names that the code uses.
        folder: where pickled values are written.

    Attributes:
        remade: the names of live objects, which are made again by the statements that made them here.
    """

    def __init__(self, namespace: Mapping[str, Any], folder: Path) -> None:
        self._namespace, self._folder = namespace, folder
        self._module = str(namespace.get("__name__", _MAIN))
        self._known: set[str] = set()
        self._pieces: list[str] = []
        self.remade: list[str] = []

    @property
    def text(self) -> str:
        """All that was collected, as the text of a module; a worker has `_serbench_user_code`, which it may need."""
        text = "\n\n".join(self._pieces) + "\n"
        return f"import _serbench_user_code\n\n{text}" if "_serbench_user_code." in text else text

    @property
    def folders(self) -> list[str]:
        """The folders of the user's modules, without which a worker knows none of them; empty if none is imported."""
        imports = [node for node in ast.walk(tree(self.text)) if isinstance(node, ast.Import | ast.ImportFrom)]
        names = [one.module or "" if isinstance(one, ast.ImportFrom) else one.names[0].name for one in imports]
        files = [getattr(sys.modules.get(name.partition(".")[0]), "__file__", None) or "" for name in names]
        folders = user_folders()
        return folders if any(Path(file).is_relative_to(folder) for file in files for folder in folders) else []

    @property
    def annotated(self) -> bool:
        """True if annotations are not evaluated where they stand: `from __future__ import annotations`."""
        return self._namespace.get("annotations") is __future__.annotations

    def use(self, source: str) -> None:
        """Collect what some source uses.

        Raises:
            CannotTravel: something of it cannot.
        """
        for name in _global_names(source):
            self._need(name)
        for chain in _chains(source):
            if isinstance(sys.modules.get(chain), ModuleType) and chain.partition(".")[0] in self._namespace:
                self._add(f"import {chain}")

    def callable(self, function: Callable[..., Any], target: str) -> str:
        """Collect a function, or anything that can be called, and return its name: its own or `target`.

        Raises:
            CannotTravel: it, or something that it uses, cannot.
        """
        name = str(getattr(function, "__name__", target))
        if self._namespace.get(name) is function:
            self._need(name)
            return name
        bound = getattr(function, "__self__", None)
        holder = None if bound is None else next((one for one, it in self._namespace.items() if it is bound), None)
        if holder is not None and not isinstance(bound, ModuleType):
            self._need(holder)
            return f"{holder}.{name}"
        self._bind(target, self._value(target, function))
        return target

    def _add(self, piece: str) -> None:
        if piece not in self._pieces:
            self._pieces.append(piece)

    def _need(self, name: str) -> None:
        """Collect a name, after what it uses; a name that there is not is told by the code that uses it."""
        if name in self._known or name not in self._namespace or name in ("__builtins__", "__name__"):
            return
        self._known.add(name)
        self._bind(name, self._value(name, self._namespace[name]))

    def _bind(self, name: str, text: str) -> None:
        """Add the statements or the expression that give a name its value."""
        try:
            expression(text)
            self._add(f"{name} = {text}")
        except SyntaxError:
            self._add(text)
            bound = set().union(*map(_bound, tree(text).body))
            if name not in bound:
                self._add(f"{name} = {bound.pop()}")

    def _value(self, name: str, value: Any) -> str:
        """The statements that bind a name, or an expression of its value."""
        if isinstance(value, ModuleType):
            return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
        if self._module != _MAIN and self._namespace.get(name) is value and not _is_closed(self._namespace, name):
            return _named(self._module, name, name)
        home = getattr(value, "__module__", None)
        path = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if isinstance(home, str) and isinstance(path, str):
            if home != _MAIN and _attribute(sys.modules.get(home), path) is value:
                return _named(home, path, name)
            if isinstance(value, FunctionType):
                return self._function(value)
            if home == _MAIN and self._namespace.get(path) is value and (made := self._made(path)):
                return made
        return self._pickled(name, value)

    def _function(self, function: FunctionType) -> str:
        """The source of a function, which is a statement unless it is a lambda, after what it uses."""
        closed = inspect.getclosurevars(function).nonlocals
        if clash := sorted(name for name in closed if name in function.__globals__):
            raise CannotTravel(f"{clash[0]} of {function.__qualname__} is also a name outside of it")
        if closed:
            self._namespace = ChainMap(dict(closed), self._namespace)  # type: ignore[arg-type]
        source = source_of(function)
        self.use(source)
        if function.__name__ == "<lambda>":
            return f"({source})"
        return source

    def _made(self, name: str) -> str | None:
        """The statement that defines a name, after what it uses; None if there is none that can be found."""
        statements = [one for one in _statements(self._namespace) if name in _bound(one.node)]
        if not statements:
            return None
        self.use(statements[-1].text)
        return statements[-1].text

    def _pickled(self, name: str, value: Any) -> str:
        path = self._folder / f"{name}.pickle"
        file = io.BytesIO()
        try:
            _Pickler(file, self._need).dump(value)
        except CannotTravel:
            raise
        except Exception as error:
            stock = type(value).__module__.partition(".")[0] in sys.stdlib_module_names  # files, locks and the like
            made = None if stock or name.startswith(TARGET) else self._remade(name)
            if made is None:
                told = " ".join(f"{type(error).__name__}: {error}".split())
                what = getattr(value, "__qualname__", repr(value)) if name.startswith(TARGET) else name
                raise CannotTravel(f"{what} cannot be taken to a fresh process ({told})") from None
            return made
        write_file(path, file.getvalue())
        return f"_serbench_user_code.value_of({str(path)!r}, globals())"

    def _remade(self, name: str) -> str | None:
        """The statements that made a live object and changed it, after what they use."""
        program = _statements(self._namespace)
        positions = [position for position, one in enumerate(program) if name in _bound(one.node)]
        if not positions or not isinstance(program[positions[-1]].node, ast.Assign | ast.AnnAssign):
            return None
        first, *later = program[positions[-1] :]
        texts = [first.text, *(one.text for one in later if _changes(one.node, name) and not self._measures(one.node))]
        for text in texts:
            self.use(text)
        self.remade.append(name)
        return "\n".join(texts)

    def _measures(self, node: ast.AST) -> bool:
        """True of a statement that calls serbench, or a magic of the notebook."""
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and (one.id == "get_ipython" or self._is_ours(one.id)):
                return True
        return False

    def _is_ours(self, name: str) -> bool:
        value = self._namespace.get(name)
        home = value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", ""))
        return home.partition(".")[0] == "serbench"


class _Pickler(pickle.Pickler):
    """Pickles a value, and collects the classes and functions of `__main__` that it needs."""

    def __init__(self, file: io.BytesIO, need: Callable[[str], None]) -> None:
        super().__init__(file, protocol=4)
        self._need = need

    def reducer_override(self, value: Any) -> Any:
        path = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if getattr(value, "__module__", None) == _MAIN and isinstance(path, str):
            self._need(path.partition(".")[0])
        return NotImplemented


def user_folders() -> list[str]:
    """The folders from which modules are imported, without those of the interpreter and its packages."""
    stock = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [str(Path(path).absolute()) for path in sys.path if Path(path).is_dir()]
    return [one for one in folders if not any(Path(one).is_relative_to(path) for path in stock)]


def source_of(function: Callable[..., Any]) -> str:
    """The source of a function with its decorators, or of a lambda alone.

    Raises:
        CannotTravel: it is not known.
    """
    inner = inspect.unwrap(function)
    name = getattr(inner, "__qualname__", repr(inner))
    try:
        if getattr(inner, "__name__", "") == "<lambda>":
            return _lambda(inner.__code__)
        return textwrap.dedent(inspect.getsource(inner)).rstrip()
    except (OSError, TypeError, SyntaxError):
        raise CannotTravel(f"the source of {name} is not known; define it in a cell or a file") from None


def _lambda(code: CodeType) -> str:
    """The text of a lambda, found by the positions of its code."""
    text = "".join(linecache.getlines(code.co_filename))
    positions = [(line, column) for line, _, column, _ in code.co_positions() if line and column is not None]
    ends = [(line, column) for _, line, _, column in code.co_positions() if line and column is not None]
    lines = text.encode().splitlines()  # columns count bytes
    nodes = [
        node
        for node in ast.walk(tree(text))
        if isinstance(node, ast.Lambda)
        and (node.body.lineno, node.body.col_offset) <= min(p for p in positions if p != (code.co_firstlineno, 0))
        and (node.body.end_lineno or 0, node.body.end_col_offset or 0) >= max(ends)
        and node.lineno == code.co_firstlineno
        and lines
    ]
    if not nodes:
        raise OSError(code.co_filename)
    best = max(nodes, key=lambda node: node.col_offset)
    return ast.get_source_segment(text, best) or ast.unparse(best)


class _Statement:
    """A statement at the top of the user's program, and its text."""

    def __init__(self, node: ast.stmt, text: str) -> None:
        self.node, self.text = node, text


def _statements(namespace: Mapping[str, Any]) -> list[_Statement]:
    """The statements of a script, or of all cells of a notebook in the order in which they ran."""
    shell = namespace.get("get_ipython")
    if shell is not None:
        texts: Iterable[str] = shell().history_manager.input_hist_parsed
    else:
        file = namespace.get("__file__")
        texts = ["".join(linecache.getlines(str(file)))] if file else []
    statements = []
    for text in texts:
        try:
            body = tree(text).body
        except SyntaxError:  # it did not run either
            continue
        statements += [_Statement(node, _whole(text, node)) for node in body]
    return statements


def _whole(text: str, node: ast.stmt) -> str:
    """The lines of a statement, with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    if not decorators:
        return ast.get_source_segment(text, node) or ast.unparse(node)
    first = min(one.lineno for one in decorators)
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement binds by itself."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {one.asname or one.name.partition(".")[0] for one in node.names}
    single = ast.AnnAssign, getattr(ast, "TypeAlias", ast.AnnAssign)  # Python 3.11 has no statement `type`
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets += [node.target if isinstance(node, ast.AnnAssign) else node.name] if isinstance(node, single) else []
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name) and _stores(one)}


def _stores(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _changes(node: ast.stmt, name: str) -> bool:
    """True of a statement that may change the object of a name: it does not merely use it to define something else."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        parts: list[ast.AST] = [*node.decorator_list]
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete):
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
        parts = [target for target in targets if not isinstance(target, ast.Name)]
    elif isinstance(node, ast.Import | ast.ImportFrom):
        parts = []
    else:
        parts = [node]
    return any(isinstance(one, ast.Name) and one.id == name for part in parts for one in ast.walk(part))


def _global_names(source: str) -> list[str]:
    """The names that some source looks up outside of itself, those in texts of annotations too."""
    names: dict[str, None] = {}

    def collect(table: symtable.SymbolTable, *, top: bool) -> None:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                names[symbol.get_name()] = None
        for inner in table.get_children():
            collect(inner, top=False)

    collect(symtable.symtable(source, "<serbench>", "exec"), top=True)
    for text in _annotation_texts(source):
        try:
            more = [node.id for node in ast.walk(expression(text)) if isinstance(node, ast.Name)]
        except SyntaxError:
            continue
        names |= dict.fromkeys(more)
    return list(names)


def _annotation_texts(source: str) -> Iterator[str]:
    for node in ast.walk(tree(source)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for one in ast.walk(part) if part is not None else ():
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.value


def _chains(source: str) -> Iterator[str]:
    """The names with points in some source, such as "xml.etree" and "xml.etree.ElementTree"."""
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if all(part.isidentifier() for part in text.split(".")):
                yield text


def _named(module: str, path: str, name: str) -> str:
    """The import of what a module has under a name, or an expression of it; of a module that is not on the path, with its file."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    file = getattr(sys.modules[module], "__file__", None)
    beside = file is not None and (spec is None or spec.origin != file) and Path(file).is_file()
    if not beside and path.isidentifier() and all(part.isidentifier() for part in module.split(".")):
        return f"from {module} import {path}" + ("" if path == name else f" as {name}")
    return f"_serbench_user_code.named({module!r}, {path!r}{f', {file!r}' if beside else ''})"


def _is_closed(namespace: Mapping[str, Any], name: str) -> bool:
    """True of a name that a function has from the function around it."""
    return isinstance(namespace, ChainMap) and any(name in one for one in namespace.maps[:-1])


def _attribute(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = getattr(value, name, None)
    return value
