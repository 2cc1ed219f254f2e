"""Python source laid out as `ruff format` lays it out, so that rendered modules need no formatter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from serbench.source.expressions import (
    Bracketed,
    Chain,
    Comprehension,
    Conditional,
    Expression,
    Keyword,
    flat,
    taken_apart,
)

WIDTH = 88
_target: ContextVar[tuple[int, int]] = ContextVar("target", default=(3, 11))


@contextmanager
def rendering_for(python: tuple[int, int]) -> Iterator[None]:
    """Modules made inside are for that Python, whose syntax they use."""
    token = _target.set(python)
    try:
        yield
    finally:
        _target.reset(token)


def lay_out(expression: Expression, indent: int = 0, before: str = "", after: str = "", width: int = WIDTH) -> str:
    """The expression at `indent`, behind the text `before` and in front of `after` on its lines.

    On one line where that fits in `width`; otherwise its brackets are opened, an item a line, with
    the trailing comma that keeps them open. The only argument of a call takes none, nor does the
    only one of a subscription, which it would make a tuple.
    """
    pad = " " * indent
    line = f"{pad}{before}{flat(expression)}{after}"
    if len(line) <= width:
        return line
    return _broken(expression, indent, before, after, width)


def _broken(expression: Expression, indent: int, before: str, after: str, width: int) -> str:
    pad = " " * indent
    if isinstance(expression, str) or (isinstance(expression, Bracketed) and not _closes(expression)):
        apart = taken_apart(flat(expression))
        if not isinstance(apart, str):
            return _broken(apart, indent, before, after, width)
    match expression:
        case Bracketed(opening, (item,), closing) if opening[-2:-1].isidentifier():
            return f"{pad}{before}{opening}\n{lay_out(item, indent + 4, width=width)}\n{pad}{closing}{after}"
        case Bracketed(opening, items, closing) if items:
            inner = "\n".join(lay_out(item, indent + 4, after=",", width=width) for item in items)
            return f"{pad}{before}{opening}\n{inner}\n{pad}{closing.removeprefix(',')}{after}"
        case Keyword(label, Conditional() as value):
            return f"{pad}{before}{label}(\n{lay_out(value, indent + 4, width=width)}\n{pad}){after}"
        case Keyword(label, value) if "\n" in label:
            head, _, last = label.rpartition("\n")
            return f"{pad}{before}{head}\n{lay_out(value, indent, last.lstrip(), after, width)}"
        case Keyword(label, value):
            return lay_out(value, indent, before + label, after, width)
        case Comprehension(opening, element, clause, closing):
            inner = f"{pad}    {flat(element)} {clause}"
            if len(inner) > width:
                name, _, iterable = clause.partition(" in ")
                last = lay_out(iterable, indent + 4, f"{name} in ", width=width)
                inner = f"{lay_out(element, indent + 4, width=width)}\n{last}"
            return f"{pad}{before}{opening}\n{inner}\n{pad}{closing}{after}"
        case Conditional():
            return _opened(expression, indent, before, after, width)
        case Chain():
            return _linked(expression, indent, before, after, width)
    return f"{pad}{before}{flat(expression)}{after}"


def _closes(expression: Bracketed) -> bool:
    """Whether the closing bracket is that of the opening one and nothing else."""
    opened = sum((char in "([{") - (char in ")]}") for char in expression.opening)
    return opened == 1 and expression.opening[-1] in "([{" and expression.closing in (")", "]", "}", ",)")


def _linked(chain: Chain, indent: int, before: str, after: str, width: int) -> str:
    """The links one behind the other; brackets are opened where the text up to the next ones does not fit."""
    above, last = "", f"{' ' * indent}{before}"
    behind = [*(link.opening for link in chain.links[1:]), chain.tail + after]
    for link, following in zip(chain.links, behind, strict=True):
        if len(f"{last}{flat(link)}{following}") <= width:
            last += flat(link)
        else:
            head, _, last = _broken(link, indent, last.lstrip(), "", width).rpartition("\n")
            above += f"{head}\n"
    return f"{above}{last}{chain.tail}{after}"


def _opened(chain: Conditional, indent: int, before: str, after: str, width: int) -> str:
    """A conditional with a line for each of its parts, and for those of one that stands behind `else`."""
    first = lay_out(chain.yes, indent, before, width=width)
    if isinstance(chain.no, Conditional):
        last = _opened(chain.no, indent, "else ", after, width)
    else:
        last = lay_out(chain.no, indent, "else ", after, width)
    return f"{first}\n{' ' * indent}if {chain.condition}\n{last}"


def field_line(name: str, annotation: str, default: Expression | None = None, indent: int = 4) -> str:
    """`name: annotation = default` from the first column on, to be indented afterwards."""
    value = "" if default is None else f" = {flat(default)}"
    room = WIDTH - indent
    if len(f"{name}: {annotation}{value}") <= room:
        return f"{name}: {annotation}{value}"
    head = f"{name}: {annotation} = "
    members = split(annotation, " | ")
    breakable = len(members) > 1 or "[" in annotation
    if isinstance(default, Bracketed) and len(head + default.opening) <= room:
        return lay_out(default, before=head, width=room)
    movable = not breakable or isinstance(default, Bracketed) or value[3:4] in ("'", '"')
    if default is not None and movable and len(head) < room:
        return f"{head}(\n    {flat(default)}\n)"
    if isinstance(default, Bracketed) and not breakable:
        return lay_out(default, before=head, width=room)
    if not breakable and value:
        return f"{name}: {annotation}{value}"
    if len(members) == 1 and breakable:
        text = lay_out(parsed(annotation), before=f"{name}: ", after=value, width=room)
        *above, last = text.split("\n")
        if len(last) > room and isinstance(default, Bracketed):
            last = lay_out(default, before=f"{last.removesuffix(value)} = ", width=room)
        return "\n".join([*above, last])
    joined = members if len(annotation) + 4 > room else [annotation]
    lines = [lay_out(parsed(part), 4, "| " if index else "", width=room) for index, part in enumerate(joined)]
    return "\n".join([f"{name}: (", *lines, f"){value}"])


def parsed(text: str) -> Expression:
    """A type, as far as brackets go, so that it can be laid out."""
    opening = re.match(r"(\w+=)?[\w.]+[\[(]", text)
    if opening is None or not text.endswith(("]", ")")) or len(split(text, " | ")) > 1:
        return text
    items = tuple(parsed(item) for item in split(text[opening.end() : -1], ", "))
    return Bracketed(opening[0], items, text[-1])


def split(text: str, separator: str) -> list[str]:
    """The parts of a type between separators that stand in no bracket and no string."""
    parts, depth, quoted, start, index = [], 0, False, 0, 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] == '"':
            quoted = not quoted
        elif not quoted:
            depth += (text[index] in "[(") - (text[index] in ")]")
            if depth == 0 and text.startswith(separator, index):
                parts.append(text[start:index])
                start = index + len(separator)
        index += 1
    return [*parts, text[start:]]


def returned(expression: Expression, width: int = WIDTH) -> str:
    """A `return` statement in a function's body."""
    if len(flat(expression)) + 11 <= width:
        return f"    return {flat(expression)}"
    whole = isinstance(expression, Bracketed) and _closes(expression)
    found = expression if whole else taken_apart(flat(expression))
    if isinstance(found, Conditional):
        return f"    return (\n{lay_out(found, 8, width=width)}\n    )"
    if isinstance(found, Chain) and found.fluent:
        line = f"        {flat(found)}"
        return f"    return (\n{line if len(line) <= width else _fluent(found, width)}\n    )"
    return lay_out(expression, 4, "return ", width=width)


def _fluent(chain: Chain, width: int) -> str:
    """A line for each name that is looked up in what a call gives."""
    *links, last = chain.links
    first = lay_out(Chain((*links, last)) if links else last, 8, width=width)
    return "\n".join([first, *(f"        {name}" for name in re.findall(r"\.\w+\(\)|\.\w+", chain.tail))])


def function(name: str, parameters: Iterable[str], returns: str, *body: str, width: int = WIDTH) -> str:
    """A function definition; `body` lines come indented."""
    head = lay_out(Bracketed(f"def {name}(", tuple(parameters), f") -> {returns}:"), width=width)
    return "\n".join([head, *body])


def class_block(head: Iterable[str], lines: Iterable[str]) -> str:
    """A class definition: decorators and the `class` line, then the body's lines, not indented."""
    body = [f"    {line}" if line else "" for text in lines for line in text.split("\n")]
    return "\n".join([*head, *(body or ["    pass"])])


@dataclass
class Module:
    """A module being rendered: imports, and blocks of top-level code in order.

    A block is a class or a function (`add`), set off by two blank lines, or a statement (`state`),
    which stands directly below the statement before it. `python` is the version that it is written for.
    """

    docstring: str = ""
    future: bool = False
    plain: set[str] = field(default_factory=set)
    names: dict[str, set[str]] = field(default_factory=dict)
    blocks: list[tuple[bool, str]] = field(default_factory=list)
    python: tuple[int, int] = field(default_factory=_target.get)

    def use(self, module: str, *names: str) -> None:
        """Import `module`, or the given names from it."""
        if names:
            self.names.setdefault(module, set()).update(names)
        else:
            self.plain.add(module)

    def add(self, block: str) -> None:
        """Append a class or function definition."""
        self.blocks.append((True, block))

    def state(self, statement: str) -> None:
        """Append a top-level statement."""
        self.blocks.append((False, statement))

    def text(self) -> str:
        """The whole module, ending in one newline."""
        parts = [f'"""{self.docstring}"""\n'] if self.docstring else []
        imports = self._imports()
        if imports:
            parts.append(imports)
        body = ""
        definition_above = bool(parts)
        for index, (definition, text) in enumerate(self.blocks):
            if index == 0:
                gap = ("\n\n" if definition else "\n") if parts else ""
            else:
                gap = "\n\n" if definition or definition_above else ""
            body += gap + text + "\n"
            definition_above = definition
        return "\n".join(parts) + body

    def _imports(self) -> str:
        """The imports that the blocks need, in groups; a library of one direction may have asked for more."""
        standard = _import_lines(self, True)
        foreign = _import_lines(self, False)
        future = ["from __future__ import annotations"] if self.future else []
        return "\n".join("\n".join(group) + "\n" for group in (future, standard, foreign) if group)


def _import_lines(module: Module, standard: bool) -> list[str]:
    def belongs(name: str) -> bool:
        return (name.partition(".")[0] in sys.stdlib_module_names) is standard

    used = set(re.findall(r"\w+", "\n".join(text for _, text in module.blocks)))
    plain = [f"import {name}" for name in sorted(module.plain) if belongs(name) and _bound(name) in used]
    named = [
        _import_line(name, sorted(needed, key=_import_order))
        for name, names in sorted(module.names.items())
        if belongs(name) and (needed := {one for one in names if _bound(one) in used})
    ]
    return plain + named


def _bound(name: str) -> str:
    """What an import of the name binds."""
    return name.rpartition(" as ")[2].partition(".")[0]


def _import_line(source: str, names: list[str]) -> str:
    line = f"from {source} import {', '.join(names)}"
    return line if len(line) <= WIDTH else lay_out(Bracketed(f"from {source} import (", tuple(names), ")"))


def _import_order(name: str) -> tuple[int, str]:
    """Constants before classes before functions, as isort orders them, each without regard to case."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, name.lower())
