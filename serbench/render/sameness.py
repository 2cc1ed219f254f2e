"""The code of an operation: by it, cases that run the very same code are found, and whether a library has a part in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from serbench.render.case import Case
from serbench.render.source.module import tree

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
