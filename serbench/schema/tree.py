"""Prints a schema as a tree that people can read."""

from __future__ import annotations

from collections.abc import Iterator

from serbench.schema.types import (
    Enum,
    Field,
    List,
    Map,
    Optional,
    Ref,
    Scalar,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
    walk,
)


def tree(schema: Schema) -> str:
    """A line for each field, indented below the record that has it.

    A record is unfolded where it is first met; elsewhere stands its name alone.
    """
    seen: set[str] = set()
    return "\n".join([said(schema.root), *_below(schema.root, schema, seen, 1)])


def said(type_: Type) -> str:
    """A type in one line."""
    match type_:
        case Scalar("any"):
            return "any JSON"
        case Scalar("naive_datetime"):
            return "datetime without a zone"
        case Scalar("uint64"):
            return "int without a sign"
        case Scalar("bigint"):
            return "int beyond 64 bits"
        case Scalar(kind):
            return kind
        case Enum(name, members):
            return f"{name}: {' | '.join(repr(value) for _, value in members)}"
        case Ref(name):
            return name
        case Optional(item):
            return f"{said(item)} or null"
        case List(item) | Set(item) | Map(item):
            return f"{type(type_).__name__.lower()} of {said(item)}"
        case Tuple(items):
            return f"tuple of {', '.join(map(said, items))}"
        case Union(members, tag):
            names = " | ".join(map(said, members))
            return f"({names})" if tag is None else f"({names}) by {tag!a}"


def _below(type_: Type, schema: Schema, seen: set[str], level: int) -> Iterator[str]:
    for inner in walk(type_):
        if not isinstance(inner, Ref) or inner.record in seen:
            continue
        seen.add(inner.record)
        record = schema.record(inner.record)
        if not (inner is type_ or _only(type_, inner)):
            tag = f" ({schema.tags[record.name]}: {record.tag_value!a})" if record.name in schema.tags else ""
            yield f"{'  ' * level}{record.name}{tag}"
        deeper = level + (not (inner is type_ or _only(type_, inner)))
        for f in record.fields:
            yield f"{'  ' * deeper}{_key(f)}: {said(f.type)}{_default(f)}"
            yield from _below(f.type, schema, seen, deeper + 1)


def _only(type_: Type, inner: Ref) -> bool:
    """Whether there is no other record in the type."""
    return all(part is inner or not isinstance(part, Ref) for part in walk(type_))


def _key(f: Field) -> str:
    return f.name if f.alias is None else f"{f.name} ({f.alias!a})"


def _default(f: Field) -> str:
    return "" if f.required or f.default is None else f" = {f.default!a}"
