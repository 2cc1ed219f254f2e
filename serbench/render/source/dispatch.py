"""Parts that conversions and readers share: tables of functions for the members of a union, and names of loop variables."""

from __future__ import annotations

from collections.abc import Iterable

from serbench.model.records import Schema
from serbench.model.types import Union
from serbench.render.source.annotations import generic
from serbench.render.source.models import members
from serbench.render.source.module import Module, braced, literal
from serbench.render.source.names import snake


def add_dispatch(module: Module, schema: Schema, union: Union, name: str, verb: str, types: tuple[str, str]) -> None:
    """Add the dict from the classes of a union, or from its tags, to the functions of its records.

    `types` are those of its keys and values: classes are keys if the first is "type".
    """
    keys, values = types
    entries = (
        f"{record.name if keys == 'type' else literal(record.tag_value)}: {verb}_{snake(record.name)}"
        for record in members(schema, union)
    )
    module.use("collections.abc" if module.python >= (3, 9) else "typing", "Callable")
    module.use("typing", "Any")
    module.add(f"{name}: {generic(module, 'dict', keys, values)} = {braced(entries)}")


def loop_variable(schema: Schema, used: Iterable[str], level: int = 1) -> str:
    """A variable for a loop at this depth of nesting that is neither a record's parameter nor `taken`."""
    others = {*used, *(snake(record.name) for record in schema.records)}
    names = [name for name in ("item", "entry", "element", "part", "piece", "bit", "atom") if name not in others]
    return names[level - 1] if level <= len(names) else f"item_{level}"
