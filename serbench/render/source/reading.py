"""Functions that touch every field of a decoded document, as written by hand: the cost that a lazy format defers."""

from __future__ import annotations

from dataclasses import dataclass

from serbench.model.records import Field, Schema
from serbench.model.types import List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.annotations import annotation
from serbench.render.source.dispatch import add_dispatch, loop_variable
from serbench.render.source.models import numbered, ordered_records, tagged_unions
from serbench.render.source.module import Module, block, literal
from serbench.render.source.names import snake


@dataclass
class Reading:
    """Renders `read` and a function per record into `module`; with `items`, records are dicts by wire name."""

    module: Module
    schema: Schema
    items: bool = False

    def add_functions(self, document: str) -> None:
        """Add `read`, whose parameter is the document's name, and what it calls."""
        for record in ordered_records(self.schema):
            name = snake(record.name)
            body = [line for f in record.fields for line in self._field(name, f)]
            self.module.define(f"def read_{name}({name}: {record.name}) -> None:", body)
        types = ("Any" if self.items else "type", "Callable[[Any], None]")
        for union in tagged_unions(self.schema):
            add_dispatch(self.module, self.schema, union, numbered("READERS", self.schema, union), "read", types)
        type_ = annotation(self.schema.root, self.module)
        self.module.define(f"def read({document}: {type_}) -> None:", self._touch(self.schema.root, document, 1))

    def _field(self, owner: str, f: Field) -> list[str]:
        value = f"{owner}[{literal(f.wire)}]" if self.items else f"{owner}.{f.name}"
        if isinstance(f.type, Optional) and self._deeper(f.type):
            return [f"value = {value}", block("if value is not None:", self._touch(f.type.item, "value", 2))]
        return self._touch(f.type, value, 1) if self._deeper(f.type) else [f"_ = {value}"]

    def _deeper(self, type_: Type) -> bool:
        """Return True if there is something to touch inside a value of the type."""
        match type_:
            case Optional(item):
                return self._deeper(item)
            case Union(_, tag):
                return tag is not None
            case _:
                return isinstance(type_, List | Set | Map | Tuple | Ref)

    def _touch(self, type_: Type, value: str, level: int) -> list[str]:
        name = loop_variable(self.schema, (), level)
        match type_:
            case Ref(record):
                return [f"read_{snake(record)}({value})"]
            case Union(_, tag) if tag is not None:
                key = f"{value}[{literal(tag)}]" if self.items else f"type({value})"
                return [f"{numbered('READERS', self.schema, type_)}[{key}]({value})"]
            case Optional(item) if self._deeper(item):
                return [block(f"if {value} is not None:", self._touch(item, value, level + 1))]
            case List(item) | Set(item):
                return [block(f"for {name} in {value}:", self._touch(item, name, level + 1))]
            case Map(item):
                return [block(f"for {name} in {value}.values():", self._touch(item, name, level + 1))]
            case Tuple(items):
                parts = [(item, f"{value}[{index}]") for index, item in enumerate(items)]
                return [
                    line
                    for item, part in parts
                    for line in (self._touch(item, part, level) if self._deeper(item) else [f"_ = {part}"])
                ]
        return []
