"""Shared parts of formats with a schema language: names of types, conversions between builtins and objects, documents."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Type, kind_of
from serbench.model.scalars import Scalar
from serbench.render.source.models import ordered_records
from serbench.render.source.module import Unsupported, block, braced, literal, snake, tuple_of


def document_name(used: Container[str]) -> str:
    """A name for the type of a document that is not a record; none of these types has it."""
    return next(name for name in ("Document", "Envelope", "Wrapper", "Wrapping") if name not in used)


def enclosed(schema: Schema) -> Schema:
    """The schema with its document as the `content` of one more record, the last, for a library that wants one at the root."""
    used = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    name = document_name(used)
    return Schema(Ref(name), (*schema.records, Record(name, (Field("content", schema.root),))))


def declared(head: str, lines: Iterable[str]) -> str:
    """A type in a schema language: its head, and a line for each of its parts in braces."""
    return "\n".join([f"{head} {{", *(f"  {line}" for line in lines), "}"])


def as_dict(record: Record, expression: Callable[[Field], str]) -> list[str]:
    """The body of a function that returns the builtins of a record: an expression for each of its fields."""
    return [f"return {braced(f'{literal(f.wire)}: {expression(f)}' for f in record.fields)}"]


def structs(schema: Schema, document: str, entries: Mapping[str, Type] | None = None) -> Iterator[Record]:
    """The records of a schema, its document as the `items` of one more if it is none, and the entries of maps.

    `entries` has the type of the values by the name of an entry; what is written of a record may add to it.
    """
    yield from ordered_records(schema)
    if not isinstance(schema.root, Ref):
        yield Record(document, (Field("items", schema.root),))
    done = 0
    while entries and done < len(entries):
        name = list(entries)[done]
        yield Record(name, (Field("key", Scalar("str")), Field("value", entries[name])))
        done += 1


def per_record(
    head: str, records: Iterable[Record], lines: Callable[[Record], list[str]], returns: str = "Any"
) -> list[str]:
    """A function for each record.

    `head` is its name and parameters, with `{0}` for the record's name in snake_case and `{1}` for the name as it is.
    """
    return [block(f"def {head.format(snake(r.name), r.name)} -> {returns}:", lines(r)) for r in records]


def readers(schema: Schema, parameter: str, touch: Callable[[Type, str], list[str]], root: list[str]) -> list[str]:
    """The function `read`, and one for each record, which touch every field of the format's objects.

    Args:
        parameter: the name of an object of a record.
        touch: gives the lines that touch a field, by its type and name.
        root: the lines of `read` if the document is not a record.
    """

    def touched(record: Record) -> list[str]:
        return [line for f in record.fields for line in touch(f.type, f.name)]

    if isinstance(schema.root, Ref):
        root = [f"read_{snake(schema.root.record)}({parameter})"]
    whole = block(f"def read({parameter}: Any) -> None:", root)
    return [*per_record(f"read_{{}}({parameter}: Any)", ordered_records(schema), touched, "None"), whole]


def touched(type_: Type, value: str) -> list[str]:
    """The lines that touch the records in a value, by the functions that `readers` gives; none if it has no record."""
    match type_:
        case Ref(name):
            return [f"read_{snake(name)}({value})"]
        case Optional(Ref(name)):
            return [f"if {value} is not None:", f"    read_{snake(name)}({value})"]
        case List(Ref(name)):
            return [f"for item in {value}:", f"    read_{snake(name)}(item)"]
        case Map(Ref(name)):
            return [f"for item in {value}.values():", f"    read_{snake(name)}(item)"]
    return []


@dataclass(frozen=True)
class TypeNames:
    """Writes a type in a schema language, by a table: kind → template, a function from the type to its name, or a refusal.

    - A kind is that of a scalar, or the type's class in small letters ("ref" for a record); a kind of scalar that the
      table does not have is what stands for it in JSON. In a template, `{}` stands for the item.
    - What the table does not have otherwise: a record has its own name, an enumeration is its values ("str" or "int"),
      a set is a list, and so is a tuple whose items are of one type.
    - `refusal` is the reason if the table does not have the type, with `{}` for what it is.
    """

    table: Mapping[str, str | Unsupported | Callable[[Any], str]]
    refusal: str

    def __call__(self, type_: Type) -> str:
        """The name of a type.

        Raises:
            Unsupported: the table does not have the type, or a part of it.
        """
        kind = kind_of(type_)
        entry = self.table.get(kind)
        if isinstance(entry, Unsupported):
            raise entry
        if callable(entry):
            return entry(type_)
        match type_:
            case Scalar() if kind != "any":
                return entry or self(Scalar(KINDS[kind].builtin or "str"))
            case Optional(item) | List(item) | Map(item) if entry:
                return entry.replace("{}", self(item))
            case Ref(name):
                return name
            case Enum(_, members):
                return self(Scalar("str" if isinstance(members[0][1], str) else "int"))
            case Set(item) | Tuple((item, *_)) if isinstance(type_, Set) or len(set(type_.items)) == 1:
                return self(List(item))
        what = "any JSON" if kind == "any" else f"{'an' if kind == 'optional' else 'a'} {kind} there"
        raise Unsupported(self.refusal.replace("{}", what))


@dataclass(frozen=True)
class Conversion:
    """Writes the expressions between builtins and objects, in one direction.

    Attributes:
        verb: the first word of the name of a record's function.
        array: a list or set whose items need no conversion, with `{}` for the value.
        tuple: a tuple, with `{}` for the value or `{each}` for its converted items; empty to convert it item by item.
        entry: the value of an item of a map.
        map: a map, with `{each}` for the converted value and `{}` for the map; empty if it is a dict on both sides.
    """

    verb: str
    array: str = "{}"
    tuple: str = ""
    entry: str = "item"
    map: str = ""

    def __call__(self, type_: Type, value: str) -> str:
        """A value of the type, which the expression `value` gives, converted."""
        match type_:
            case Ref(name):
                return f"{self.verb}_{snake(name)}({value})"
            case Optional(item):
                inner = self(item, value)
                return value if inner == value else f"None if {value} is None else {inner}"
            case List(item) | Set(item):
                inner = self(item, "item")
                return self.array.replace("{}", value) if inner == "item" else f"[{inner} for item in {value}]"
            case Tuple(items):
                parts = [f"{value}[{index}]" for index in range(len(items))]
                converted = [self(item, part) for item, part in zip(items, parts, strict=True)]
                if self.tuple:
                    return self.tuple.replace("{each}", ", ".join(converted)).replace("{}", value)
                return value if converted == parts else tuple_of(converted)
            case Map(item):
                inner = self(item, self.entry)
                if inner == self.entry and not self.map:
                    return value
                template = self.map or "{key: {each} for key, item in {}.items()}"
                return template.replace("{each}", inner).replace("{}", value)
        return value
