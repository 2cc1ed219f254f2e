"""Python expressions as they are laid out: what stands in brackets, and text that is taken apart into that."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Bracketed:
    """Items between an opening and a closing bracket: a call, a display or a subscription."""

    opening: str
    items: tuple[Expression, ...]
    closing: str


@dataclass(frozen=True)
class Keyword:
    """`name=value` in a call, or `"key": value` in a dict display; a long key may be laid out on several lines."""

    label: str
    value: Expression


@dataclass(frozen=True)
class Comprehension:
    """`[element for name in iterable]` with any brackets."""

    opening: str
    element: Expression
    clause: str
    closing: str


@dataclass(frozen=True)
class Conditional:
    """`yes if condition else no`."""

    yes: Expression
    condition: str
    no: Expression


@dataclass(frozen=True)
class Chain:
    """Calls of what calls give, `a(b).c(d)`: each link has its brackets, and what stands behind the last is the tail."""

    links: tuple[Bracketed | Comprehension, ...]
    tail: str = ""

    @property
    def fluent(self) -> bool:
        """Whether at least two names are looked up in what calls give, so that a formatter gives each a line."""
        between = ")".join(["", *(link.opening for link in self.links[1:]), self.tail])
        return len(re.findall(r"[)\]]\.", self.links[0].opening + between)) > 1


Expression: TypeAlias = str | Bracketed | Keyword | Comprehension | Conditional | Chain


def call(function: str, *arguments: Expression) -> Bracketed:
    """A call of `function`."""
    return Bracketed(f"{function}(", arguments, ")")


def flat(expression: Expression) -> str:
    """The expression on one line, however long."""
    match expression:
        case str():
            return expression
        case Bracketed(opening, items, closing):
            return opening + ", ".join(flat(item) for item in items) + closing
        case Keyword(label, value):
            return label + flat(value)
        case Comprehension(opening, element, clause, closing):
            return f"{opening}{flat(element)} {clause}{closing}"
        case Conditional(yes, condition, no):
            return f"{flat(yes)} if {condition} else {flat(no)}"
        case Chain(links, tail):
            return "".join(map(flat, links)) + tail


def taken_apart(text: str) -> Expression:
    """An expression as far as its brackets go; the text itself where there is nothing to open, or it is no expression."""
    try:
        found = _tree(ast.parse(text, mode="eval").body, text)
    except SyntaxError:
        return text
    return found if flat(found) == text else text


def _tree(node: ast.expr, text: str) -> Expression:
    source = ast.get_source_segment(text, node) or ""

    def below(*nodes: ast.expr) -> tuple[Expression, ...]:
        return tuple(_tree(one, text) for one in nodes)

    match node:
        case ast.Call() | ast.Attribute() | ast.Subscript():
            return _chain(node, text)
        case ast.List(items) | ast.Set(items):
            return Bracketed(source[0], below(*items), source[-1])
        case ast.Tuple(items) if source.startswith("("):
            return Bracketed("(", below(*items), ",)" if len(items) == 1 else ")")
        case ast.Dict(keys, values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return Bracketed("{", tuple(Keyword(f"{_source(k, text)}: ", _tree(v, text)) for k, v in pairs), "}")
        case ast.IfExp(test, body, orelse):
            return Conditional(_tree(body, text), _source(test, text), _tree(orelse, text))
        case ast.ListComp(element) | ast.SetComp(element):
            return _comprehension(source, _tree(element, text))
        case ast.DictComp(key, value):
            return _comprehension(source, Keyword(f"{_source(key, text)}: ", _tree(value, text)))
    return source


def _source(node: ast.expr | None, text: str) -> str:
    return "" if node is None else ast.get_source_segment(text, node) or ""


def _comprehension(source: str, element: Expression) -> Expression:
    clause = source[1:-1].removeprefix(flat(element)).strip()
    return Comprehension(source[0], element, clause, source[-1])


def _chain(node: ast.expr, text: str) -> Expression:
    """The links from the first call to the last; subscripts, and calls without arguments, belong to the text around them."""
    match node:
        case ast.Attribute(value, name):
            return _behind(_tree(value, text), f".{name}")
        case ast.Subscript(value, index):
            return _behind(_tree(value, text), f"[{_source(index, text)}]")
        case ast.Call(function, arguments, keywords):
            given = [_tree(one, text) for one in arguments]
            given += [Keyword(f"{one.arg}=" if one.arg else "**", _tree(one.value, text)) for one in keywords]
            before = _tree(function, text)
            if not given:
                return _behind(before, "()")
            match before:
                case Chain(links, tail):
                    return Chain((*links, Bracketed(f"{tail}(", tuple(given), ")")))
                case Bracketed() | Comprehension():
                    return Chain((before, Bracketed("(", tuple(given), ")")))
                case _:
                    return Bracketed(f"{flat(before)}(", tuple(given), ")")
    raise AssertionError(node)


def _behind(before: Expression, tail: str) -> Expression:
    match before:
        case Chain(links, already):
            return Chain(links, already + tail)
        case Bracketed() | Comprehension():
            return Chain((before,), tail)
    return f"{flat(before)}{tail}"
