"""Functions that touch every field of a decoded document, as written by hand: what a lazy format pays later."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from serbench.schema import Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, Union
from serbench.source.expressions import Bracketed, Keyword
from serbench.source.layout import Module, field_line, function
from serbench.source.models import annotation, generic, literal, ordered_records, snake


@dataclass
class Reading:
    """Renders `read` and a function per record into `module`; with `items`, records are dicts by wire name."""

    module: Module
    schema: Schema
    items: bool = False

    def add_functions(self, name: str) -> None:
        """Add `read`, whose parameter is the document's name, and what it calls."""
        for record in ordered_records(self.schema):
            body = [line for f in record.fields for line in self._field(record, f)] or ["    pass"]
            parameter = f"{snake(record.name)}: {record.name}"
            self.module.add(function(f"read_{snake(record.name)}", [parameter], "None", *body))
        for union in self._unions:
            self._dispatch(union)
        type_ = annotation(self.schema.root, self.module)
        body = self._touch(self.schema.root, name, 1) or ["    pass"]
        self.module.add(function("read", [f"{name}: {type_}"], "None", *body))

    def _field(self, record: Record, f: Field) -> list[str]:
        owner = snake(record.name)
        value = f"{owner}[{literal(f.wire)}]" if self.items else f"{owner}.{f.name}"
        if not self._deeper(f.type):
            return [f"    _ = {value}"]
        if isinstance(f.type, Optional):
            return [
                f"    value = {value}",
                "    if value is not None:",
                *self._touch(f.type.item, "value", 2),
            ]
        return self._touch(f.type, value, 1)

    def _deeper(self, type_: Type) -> bool:
        """Whether there is something to touch inside a value of the type."""
        match type_:
            case Optional(item):
                return self._deeper(item)
            case Union(_, tag):
                return tag is not None
            case _:
                return isinstance(type_, List | Set | Map | Tuple | Ref)

    def _touch(self, type_: Type, value: str, level: int) -> list[str]:
        """The lines that touch what is inside a value."""
        pad, name = "    " * level, self._loop(level)
        match type_:
            case Ref(record):
                return [f"{pad}read_{snake(record)}({value})"]
            case Union(_, tag) if tag is not None:
                key = f"{value}[{literal(tag)}]" if self.items else f"type({value})"
                return [f"{pad}{self._table(type_)}[{key}]({value})"]
            case Optional(item) if self._deeper(item):
                return [f"{pad}if {value} is not None:", *self._touch(item, value, level + 1)]
            case List(item) | Set(item):
                inner = self._touch(item, name, level + 1) or [f"{pad}    pass"]
                return [f"{pad}for {name} in {value}:", *inner]
            case Map(item):
                inner = self._touch(item, name, level + 1) or [f"{pad}    pass"]
                return [f"{pad}for {name} in {value}.values():", *inner]
            case Tuple(items):
                parts = [(item, f"{value}[{index}]") for index, item in enumerate(items)]
                return [
                    line
                    for item, part in parts
                    for line in (self._touch(item, part, level) if self._deeper(item) else [f"{pad}_ = {part}"])
                ]
        return []

    def _loop(self, level: int) -> str:
        """A loop variable of its own for each level, and no record's parameter."""
        taken = {snake(record.name) for record in self.schema.records}
        names = [name for name in ("item", "entry", "element", "part", "piece", "bit", "atom") if name not in taken]
        return names[level - 1] if level <= len(names) else f"item_{level}"

    @cached_property
    def _unions(self) -> list[Union]:
        return [t for t in dict.fromkeys(self.schema.types()) if isinstance(t, Union) and t.tag]

    def _table(self, union: Union) -> str:
        index = self._unions.index(union)
        return "READERS" + (f"_{index + 1}" if index else "")

    def _dispatch(self, union: Union) -> None:
        records = [self.schema.record(m.record) for m in union.members if isinstance(m, Ref)]
        entries = tuple(
            Keyword(f"{literal(r.tag_value) if self.items else r.name}: ", f"read_{snake(r.name)}") for r in records
        )
        self.module.use("collections.abc" if self.module.python >= (3, 9) else "typing", "Callable")
        self.module.use("typing", "Any")
        keys = "Any" if self.items else "type"
        table = generic(self.module, "dict", keys, "Callable[[Any], None]")
        self.module.state(field_line(self._table(union), table, Bracketed("{", entries, "}"), 0))
