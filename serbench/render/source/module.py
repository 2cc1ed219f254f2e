"""A module of Python source as it is put together: imports and blocks of plain text, which `ruff format` lays out later."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

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
