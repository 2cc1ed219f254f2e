"""Prints a schema as a human-readable tree."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.model.records import Schema
from serbench.model.scalars import Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union, walk

_WORDS = {
    "any": "any JSON",
    "naive_datetime": "naive datetime",
    "uint64": "unsigned int",
    "bigint": "int of more than 64 bits",
}


def tree(schema: Schema) -> str:
    """Return one line per field, indented below its record.

    A record is expanded at its first occurrence; later ones show only its name.
    """
    seen: set[str] = set()
    return "\n".join([type_text(schema.root), *_below(schema.root, schema, seen, 1)])


def type_text(type_: Type) -> str:
    """Describe a type in one line."""
    match type_:
        case Scalar(kind):
            return _WORDS.get(kind, kind)
        case Enum(name, members):
            return f"{name}: {' | '.join(repr(value) for _, value in members)}"
        case Ref(name):
            return name
        case Optional(item):
            return f"{type_text(item)} or null"
        case List(item) | Set(item) | Map(item):
            return f"{type(type_).__name__.lower()} of {type_text(item)}"
        case Tuple(items):
            return f"tuple of {', '.join(map(type_text, items))}"
        case Union(members, tag):
            names = " | ".join(map(type_text, members))
            return f"({names})" if tag is None else f"({names}) by {tag!a}"


def _below(type_: Type, schema: Schema, seen: set[str], level: int) -> Iterator[str]:
    for inner in walk(type_):
        if not isinstance(inner, Ref) or inner.record in seen:
            continue
        seen.add(inner.record)
        record = schema.record(inner.record)
        headed = any(isinstance(part, Ref) and part is not inner for part in walk(type_))
        if headed:
            tag = f" ({schema.tags[record.name]}: {record.tag_value!a})" if record.name in schema.tags else ""
            yield f"{'  ' * level}{record.name}{tag}"
        deeper = level + headed
        for f in record.fields:
            alias = "" if f.alias is None else f" ({f.alias!a})"
            default = "" if f.required or f.default is None else f" = {f.default!a}"
            yield f"{'  ' * deeper}{f.name}{alias}: {type_text(f.type)}{default}"
            yield from _below(f.type, schema, seen, deeper + 1)
