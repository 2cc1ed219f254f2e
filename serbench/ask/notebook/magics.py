"""`%serbench` and `%%serbench`: expressions compared as %timeit times one, with intervals and ties."""

from __future__ import annotations

import ast
import re
from typing import Any

from serbench.errors import PlanError
from serbench.keep.timings import WAVES, Timings, labelled, time_expressions
from serbench.render.source.syntax import tree

USAGE = "%serbench [-o] [-w WAVES] expression ; expression …, or %%serbench with one expression on each line"


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext serbench` calls."""

    def serbench(line: str, cell: str | None = None) -> Timings | None:
        """Compare expressions: %serbench a ; b, or %%serbench with one on each line; -o returns the result."""
        options, text = _options(line)
        try:
            waves = int(options.get("-w", WAVES))
            texts = expressions(text if cell is None else f"{text}\n{cell}")
            timings = time_expressions(labelled(texts), shell.user_ns, waves=waves)
        except (PlanError, ValueError) as error:
            print(f"serbench: {' '.join(str(error).split())}; {USAGE}")
            return None
        if "-o" in options:
            return timings
        from IPython.display import display

        display(timings)  # type: ignore[no-untyped-call]
        return None

    shell.register_magic_function(serbench, "line_cell", "serbench")


def expressions(text: str) -> list[str]:
    """The expressions of a line or a cell, each as it was written.

    Raises:
        PlanError: no expression at all, or something else than expressions.
    """
    source = text.strip()
    try:
        body = tree(source).body
    except SyntaxError as error:
        raise PlanError(f"{error.msg} in {(error.text or source).strip()!r}") from None
    others = [ast.unparse(node) for node in body if not isinstance(node, ast.Expr)]
    if others or not body:
        raise PlanError(f"{others[0]!r} is not an expression" if others else "there is no expression to compare")
    return [ast.get_source_segment(source, node) or ast.unparse(node) for node in body]


def _options(line: str) -> tuple[dict[str, str], str]:
    options: dict[str, str] = {}
    rest = line.strip()
    while match := re.match(r"(-o)(?:\s+|$)|(-w)\s*(\d+)\s*", rest):
        options[match[1] or match[2]] = match[3] or ""
        rest = rest[match.end() :]
    return options, rest
