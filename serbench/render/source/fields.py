"""Field objects: for a library whose schemas are made of them, the one of a type is written by a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from serbench.model.scalars import Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.models import Models
from serbench.render.source.module import Unsupported, block

Entry: TypeAlias = "str | Unsupported | Callable[[FieldTable, Any], str]"
"""A template, a refusal to raise, or a function from the table and the type to the field."""

_ELSE = {
    **dict.fromkeys(("uint64", "bigint"), "int"),
    "records": "list",
    "late_records": "list",
    "late_record": "record",
    **dict.fromkeys(("tagged_union", "untagged_union"), "union"),
}


@dataclass(frozen=True)
class FieldTable:
    """Writes the field object of a type by a table: kind → template, refusal or function.

    - A kind is that of a scalar, or "enum", "optional", "list", "set", "tuple", "map", "record", "records" (a list of
      a record), "late_record" and "late_records" (the record is not yet in `Models.defined`), "tagged_union" or
      "untagged_union".
    - A kind that the table does not have is looked up as "int", "list", "record" or "union" if it is one of these,
      and then as "other".
    - In a template, `{}` stands for the name of the enum or record, or for the fields of the parts. The template of
      "optional" may also be an option of the item's field, or empty; any JSON takes None by itself.
    - A function is given the table and the type; what it returns is finished but for the options.
    - The first word of a field is added if it is a helper block, and otherwise imported from `package`, if there is one.
    """

    m: Models
    table: Mapping[str, Entry]
    package: str = ""

    def field(self, type_: Type, *options: str) -> str:
        """The field of a type, a call that gets the options as further arguments.

        Raises:
            Unsupported: the table refuses the type, or a part of it.
        """
        if isinstance(type_, Optional):
            entry = self.table["optional"]
            if type_.item == Scalar("any") or entry == "":
                return self.field(type_.item, *options)
            if isinstance(entry, str) and "{}" not in entry:
                return self.field(type_.item, entry, *options)
        entry = self._entry(type_)
        if isinstance(entry, Unsupported):
            raise Unsupported(*entry.args)  # a new one: each raise of the same would add to its traceback
        made = entry.replace("{}", self._inside(type_, entry)) if isinstance(entry, str) else entry(self, type_)
        word = re.split(r"\W", made, maxsplit=1)[0]
        if word in self.m.helpers:
            self.m.helper(word)
        elif self.package:
            self.m.use(self.package, word)
        if not options:
            return made
        return f"{made[:-1]}{'' if made.endswith('()') else ', '}{', '.join(options)})"

    def parts(self, type_: Type) -> list[str]:
        """The fields of the types that a type is directly made of."""
        return [self.field(part) for part in parts(type_)]

    def _entry(self, type_: Type) -> Entry:
        kind = self._kind(type_)
        for name in (kind, _ELSE.get(kind, kind)):
            if name in self.table:
                return self.table[name]
        return self.table["other"]

    def _kind(self, type_: Type) -> str:
        match type_:
            case Scalar(kind):
                return kind
            case Ref(name):
                return "record" if name in self.m.defined else "late_record"
            case List(Ref(name)):
                return "records" if name in self.m.defined else "late_records"
            case Union(_, tag):
                return "untagged_union" if tag is None else "tagged_union"
        return type(type_).__name__.lower()

    def _inside(self, type_: Type, template: str) -> str:
        match type_:
            case Enum(name) | Ref(name):
                return name
            case List(Ref(name)) if template != self.table.get("list"):
                return name
        return ", ".join(self.parts(type_)) if "{}" in template else ""


def named(template: str, **names: str) -> dict[str, Entry]:
    """Entries of a table for kinds whose fields differ in a name alone, which stands for the first `{}`."""
    return {kind: template.replace("{}", name, 1) for kind, name in names.items()}


def parts(type_: Type) -> Iterator[Type]:
    """The types that a type is directly made of."""
    match type_:
        case Optional(item) | List(item) | Set(item) | Map(item):
            yield item
        case Tuple(items) | Union(items):
            yield from items


@dataclass(frozen=True)
class FieldClass:
    """Writes the source of field classes that a library lacks.

    Attributes:
        base: what they derive from.
        load, dump: the parts of their methods behind `def`, such as "to_native(self, value: Any)".
        options: whether the base takes keyword arguments.
    """

    base: str
    load: str
    dump: str = ""
    options: bool = True

    def source(self, name: str, parameters: str, load: str, dump: str = "", base: str = "") -> str:
        """The class, whose `__init__` keeps its parameters; `load` is a method's body, `dump` the result of another."""
        kept = [f"self.{parameter} = {parameter}" for parameter in re.findall(r"(\w+):", parameters)]
        methods = []
        if parameters and self.options:
            kept = ["super().__init__(**options)", *kept]
            parameters += ", **options: Any"
        if parameters:
            methods.append(block(f"def __init__(self, {parameters}) -> None:", kept))
        methods.append(block(f"def {self.load} -> Any:", [load]))
        if dump:
            methods.append(block(f"def {self.dump} -> Any:", [f"return {dump}"]))
        return block(f"class {name}({base or self.base}):", ["\n\n".join(methods)])


def attempt(expression: str, errors: str, raised: str) -> str:
    """A body that returns the expression, and for these errors raises another."""
    return f"try:\n    return {expression}\nexcept {errors}:\n    raise {raised}"
