"""class-validated: an ordinary class whose `__init__` checks the types of its arguments by hand.

- Every value is looked at, inside containers too, and a wrong one raises TypeError; a subclass passes,
  so True passes for an int.
- No codec but pickle knows such classes, so every record is converted, both ways; pickle does not call
  `__init__`.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, by_hand
from serbench.schema import STR, Field, List, Map, Optional, Record, Scalar, Schema, Set, Tuple, Type, Union
from serbench.source.expressions import Comprehension, Expression, call, flat
from serbench.source.layout import Module, lay_out
from serbench.source.models import add_enums, annotation, literal, ordered_records
from serbench.source.plain_classes import class_with_init, has_fresh_default

_DOCS = "https://docs.python.org/3"
_SCOPES = f"{_DOCS}/reference/executionmodel.html#resolution-of-names"
_PICKLE = f"{_DOCS}/library/pickle.html#pickling-class-instances"
_WIDTH = 80  # what the indentation of a method leaves


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The classes with their checks, and conversions by hand."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle makes the objects without their __init__, so that nothing is checked ({_PICKLE})")
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.add(_class(module, record))
    return by_hand(module, schema, codec, "class")


def _class(module: Module, record: Record) -> str:
    taken = frozenset(f.name for f in record.fields) | {"self"}

    def checks(f: Field) -> list[str]:
        type_ = Optional(f.type) if has_fresh_default(f) else f.type
        return list(_Checks(module, f.name, taken).of(type_, f.name))

    return class_with_init(module, record, checks=checks)


@dataclass(frozen=True)
class _Checks:
    """Renders the statements that look at the argument `name` of a function with the arguments `taken`."""

    module: Module
    name: str
    taken: frozenset[str]

    def of(self, type_: Type, value: str, clauses: tuple[str, ...] = (), room: int = _WIDTH) -> Iterator[str]:
        """Check each `value` that the `for` and `if` clauses give, and then what is inside of it."""
        members, nullable = _members(type_)
        if Scalar("any") in members:
            return
        if nullable and not clauses:
            inner = Union(tuple(members)) if len(members) > 1 else members[0]
            yield from _guarded(f"{value} is not None", partial(self.of, inner, value, ()), room)
            return
        classes = [self._class(member) for member in members]
        test = call("isinstance", value, classes[0] if len(classes) == 1 else f"({', '.join(classes)})")
        unless = f"{value} is None or " if nullable else ""
        yield from self._statement(test, value, type_, clauses, room, unless)
        for member, class_ in zip(members, classes, strict=True):
            guard = "" if len(members) == 1 else f"isinstance({value}, {class_})"
            guard = f"{value} is not None" if nullable and not guard else guard
            if not guard or clauses:
                yield from self._inside(member, value, (*clauses, *([f"if {guard}"] if guard else [])), room)
            else:
                yield from _guarded(guard, partial(self._inside, member, value, ()), room)

    def _class(self, type_: Type) -> str:
        """The class that `isinstance` is asked for."""
        if isinstance(type_, List | Set | Tuple | Map):
            class_ = "dict" if isinstance(type_, Map) else type(type_).__name__.lower()
        else:
            class_ = annotation(type_, self.module)
        if hidden := self.taken & {class_, "isinstance", "all", "len", "TypeError"}:
            raise Unsupported(f"the check of {self.name} needs {min(hidden)}, which an argument hides ({_SCOPES})")
        return class_

    def _inside(self, type_: Type, value: str, clauses: tuple[str, ...], room: int) -> Iterator[str]:
        each = self._each(clauses)
        match type_:
            case List(item) | Set(item):
                yield from self.of(item, each, (*clauses, f"for {each} in {value}"), room)
            case Map(item):
                key = self._each(clauses, "key")
                yield from self.of(STR, key, (*clauses, f"for {key} in {value}"), room)
                yield from self.of(item, each, (*clauses, f"for {each} in {value}.values()"), room)
            case Tuple(items):
                yield from self._statement(f"len({value}) == {len(items)}", value, type_, clauses, room)
                for index, item in enumerate(items):
                    yield from self.of(item, f"{value}[{index}]", clauses, room)

    def _statement(
        self, test: Expression, value: str, type_: Type, clauses: tuple[str, ...], room: int, unless: str = ""
    ) -> Iterator[str]:
        message = f"{self.name}: expected {annotation(type_, self.module)}"
        if clauses:
            yield _all(unless + flat(test), clauses, room)
            text = literal(f"{message} inside")
        else:
            negated = f"if {flat(test).replace(' == ', ' != ')}:" if isinstance(test, str) else ""
            yield negated or lay_out(test, before="if not ", after=":", width=room)
            text = f'f"{message}, got {{{value}!r}}"'
        yield "\n".join(f"    {line}" for line in lay_out(call("raise TypeError", text), width=room - 4).split("\n"))

    def _each(self, clauses: tuple[str, ...], *preferred: str) -> str:
        """A loop variable that is no argument and of no loop around."""
        taken = self.taken | {clause.split()[1] for clause in clauses}
        names = (*preferred, "item", "entry", "element", "part", "piece", "bit")
        return next(name for name in names if name not in taken)


def _guarded(condition: str, lines: Callable[[int], Iterator[str]], room: int) -> Iterator[str]:
    """The statements under a condition, which joins that of a single one where there is room."""
    first, *rest = list(lines(room)) or [""]
    joined = f"if {condition} and {first.removeprefix('if ')}"
    if len(rest) == 1 and "\n" not in first and len(joined) <= room:
        yield from (joined, *rest)
    elif rest:
        yield f"if {condition}:"
        yield from (f"    {line}" for text in lines(room - 4) for line in text.split("\n"))


def _members(type_: Type) -> tuple[list[Type], bool]:
    """The types that a value may be of, and whether it may be None."""
    match type_:
        case Optional(item):
            return _members(item)[0], True
        case Union(members):
            found = [_members(member) for member in members]
            return [one for types, _ in found for one in types], any(nullable for _, nullable in found)
    return [type_], False


def _all(test: str, clauses: tuple[str, ...], room: int) -> str:
    """`if not all(…):`, on as many lines as it takes."""
    joined = " ".join(clauses)
    if len(test) + len(joined) + 5 <= room:
        return lay_out(Comprehension("all(", test, joined, ")"), before="if not ", after=":", width=room)
    return "\n".join(["if not all(", *(f"    {line}" for line in (test, *clauses)), "):"])


LIBRARY = Library(
    name="class-validated",
    summary="an ordinary class whose __init__ checks types, converted by hand",
    docs=f"{_DOCS}/reference/datamodel.html#object.__init__",
    model="class",
    render=render,
)
