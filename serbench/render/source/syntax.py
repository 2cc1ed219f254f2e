"""Reading Python code as a tree, in several threads.

CPython 3.11 has one counter for the depth of all trees, and raises SystemError if two threads build trees at once. So one
thread reads at a time.
"""

from __future__ import annotations

import ast
from threading import Lock

_ONE = Lock()


def tree(text: str) -> ast.Module:
    """The syntax tree of a module; raises SyntaxError."""
    with _ONE:
        return ast.parse(text)


def expression(text: str) -> ast.expr:
    """The syntax tree of an expression; raises SyntaxError."""
    with _ONE:
        return ast.parse(text, mode="eval").body
