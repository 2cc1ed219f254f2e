"""class-validated: an ordinary class whose `__init__` checks the types of its arguments by hand.

- `__init__` checks every value, inside containers too, and raises TypeError for a wrong one; a subclass passes,
  so True passes for an int.
- No codec but pickle knows such classes, so every record is converted, both ways; pickle does not call `__init__`.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from serbench.model.records import Enum, Field, List, Map, Optional, Ref, Schema, Set, Tuple, Type, Union, bare, kind_of
from serbench.model.scalars import STR, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models
from serbench.render.source.classes import class_with_init, has_fresh_default
from serbench.render.source.models import annotation
from serbench.render.source.module import Module, Unsupported, literal, tuple_of

_DOCS = "https://docs.python.org/3"
_SCOPES = f"{_DOCS}/reference/executionmodel.html#resolution-of-names"
_PICKLE = f"{_DOCS}/library/pickle.html#pickling-class-instances"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The classes with their checks, and conversions by hand."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle creates objects without calling __init__, so nothing is checked ({_PICKLE})")
    m = models(schema, codec)
    for record in m.records():
        m.add(class_with_init(m, record, checks=partial(_checks, m, frozenset(f.name for f in record.fields))))
    return by_hand(m, codec, "class")


def _checks(module: Module, names: frozenset[str], f: Field) -> list[str]:
    type_ = Optional(f.type) if has_fresh_default(f) else f.type
    return list(_Checks(module, f.name, names | {"self"}).of(type_, f.name))


@dataclass(frozen=True)
class _Checks:
    """Renders the statements that look at the argument `name` of a function with these `arguments`."""

    module: Module
    name: str
    arguments: frozenset[str]

    def of(self, type_: Type, value: str, clauses: tuple[str, ...] = ()) -> Iterator[str]:
        """Check each `value` that the `for` and `if` clauses give, and then what is inside of it."""
        members, nullable = _members(type_)
        if Scalar("any") in members:
            return
        if nullable and not clauses:
            inner = Union(tuple(members)) if len(members) > 1 else members[0]
            yield from _guarded(f"{value} is not None", self.of(inner, value))
            return
        classes = [self._class(member) for member in members]
        test = f"isinstance({value}, {classes[0] if len(classes) == 1 else tuple_of(classes)})"
        unless = f"{value} is None or " if nullable else ""
        yield from self._statement(test, value, type_, clauses, unless)
        for member, class_ in zip(members, classes, strict=True):
            guard = "" if len(members) == 1 else f"isinstance({value}, {class_})"
            guard = f"{value} is not None" if nullable and not guard else guard
            if not guard or clauses:
                yield from self._inside(member, value, (*clauses, *([f"if {guard}"] if guard else [])))
            else:
                yield from _guarded(guard, self._inside(member, value, ()))

    def _class(self, type_: Type) -> str:
        if isinstance(type_, List | Set | Tuple | Map):
            return "dict" if isinstance(type_, Map) else kind_of(type_)
        class_ = annotation(type_, self.module)
        if isinstance(type_, Enum | Ref) and class_ in self.arguments:
            raise Unsupported(f"the check of {self.name} needs {class_}, but an argument has the same name ({_SCOPES})")
        return class_

    def _inside(self, type_: Type, value: str, clauses: tuple[str, ...]) -> Iterator[str]:
        each = self._each(clauses)
        match type_:
            case List(item) | Set(item):
                yield from self.of(item, each, (*clauses, f"for {each} in {value}"))
            case Map(item):
                key = self._each(clauses, "key")
                yield from self.of(STR, key, (*clauses, f"for {key} in {value}"))
                yield from self.of(item, each, (*clauses, f"for {each} in {value}.values()"))
            case Tuple(items):
                yield from self._statement(f"len({value}) == {len(items)}", value, type_, clauses)
                for index, item in enumerate(items):
                    yield from self.of(item, f"{value}[{index}]", clauses)

    def _statement(
        self, test: str, value: str, type_: Type, clauses: tuple[str, ...], unless: str = ""
    ) -> Iterator[str]:
        message = f"{self.name}: expected {annotation(type_, self.module)}"
        if clauses:
            yield f"if not all({unless}{test} {' '.join(clauses)}):"
            text = literal(f"{message} inside")
        else:
            yield f"if {test.replace(' == ', ' != ')}:" if test.startswith("len(") else f"if not {test}:"
            text = f'f"{message}, got {{{value}!r}}"'
        yield f"    raise TypeError({text})"

    def _each(self, clauses: tuple[str, ...], *preferred: str) -> str:
        """A loop variable that is no argument and of no loop around."""
        used = self.arguments | {clause.split()[1] for clause in clauses}
        names = (*preferred, "item", "entry", "element", "part", "piece", "bit")
        return next(name for name in names if name not in used)


def _guarded(condition: str, lines: Iterable[str]) -> Iterator[str]:
    """The statements under a condition; the condition joins that of a single statement."""
    first, *rest = list(lines) or [""]
    if len(rest) == 1:
        yield from (f"if {condition} and {first.removeprefix('if ')}", *rest)
    elif rest:
        yield f"if {condition}:"
        yield from (f"    {line}" for line in (first, *rest))


def _members(type_: Type) -> tuple[list[Type], bool]:
    inner = bare(type_)
    if not isinstance(inner, Union):
        return [inner], inner is not type_
    parts = list(map(_members, inner.members))
    return [one for types, _ in parts for one in types], inner is not type_ or any(null for _, null in parts)


LIBRARY = Library(
    name="class-validated",
    summary="an ordinary class whose __init__ validates types, converted by hand",
    docs=f"{_DOCS}/reference/datamodel.html#object.__init__",
    model="class",
    render=render,
)
