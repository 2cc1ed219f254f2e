"""What rendered models have in common: annotations, enum classes, field lines and their order."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable
from typing import Any

from serbench.schema import (
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
)
from serbench.schema.types import walk
from serbench.source.layout import Module, class_block


class Unsupported(Exception):
    """A library cannot do what the schema or codec asks; the message is the row's reason."""


# Names that a rendered function body may mean something else by.
_TAKEN = frozenset(
    [
        "adapter",
        "attrs",
        "base64",
        "blob",
        "converter",
        "cattrs",
        "data",
        "date",
        "datetime",
        "decoder",
        "encoder",
        "json",
        "marshmallow",
        "mashumaro",
        "msgpack",
        "msgspec",
        "orjson",
        "pickle",
        "pydantic",
        "schema",
        "time",
        "timedelta",
        "typing",
        "uuid",
    ]
) | frozenset(dir(builtins))

_SCALARS = {
    "str": ("", "str"),
    "int": ("", "int"),
    "float": ("", "float"),
    "bool": ("", "bool"),
    "bytes": ("", "bytes"),
    "datetime": ("datetime", "datetime"),
    "naive_datetime": ("datetime", "datetime"),
    "date": ("datetime", "date"),
    "time": ("datetime", "time"),
    "timedelta": ("datetime", "timedelta"),
    "decimal": ("decimal", "Decimal"),
    "uuid": ("uuid", "UUID"),
    "any": ("typing", "Any"),
}


def annotation(type_: Type, module: Module) -> str:
    """The annotation of a type, importing into `module` what it names."""
    match type_:
        case Scalar(kind):
            source, name = _SCALARS[kind]
            if source:
                module.use(source, name)
            return name
        case Enum(name) | Ref(name):
            return name
        case Optional(item):
            return f"{annotation(item, module)} | None"
        case List(item) | Set(item):
            return f"{type(type_).__name__.lower()}[{annotation(item, module)}]"
        case Tuple(items):
            return f"tuple[{', '.join(annotation(item, module) for item in items)}]"
        case Map(value):
            return f"dict[str, {annotation(value, module)}]"
        case Union(members):
            return " | ".join(annotation(member, module) for member in members)


def ordered_records(schema: Schema) -> list[Record]:
    """The records, each after those it refers to (but for recursion)."""
    done: dict[str, Record] = {}
    visiting: set[str] = set()
    stack = [(record, False) for record in reversed(schema.records)]
    while stack:
        record, ready = stack.pop()
        if ready:
            done.setdefault(record.name, record)
        elif record.name not in visiting:
            visiting.add(record.name)
            stack.append((record, True))
            inner = [t.record for f in record.fields for t in walk(f.type) if isinstance(t, Ref)]
            stack += [(schema.record(name), False) for name in reversed(inner) if name not in visiting]
    return list(done.values())


def literal(value: Any) -> str:
    """A str, int, float, bool or None as source; text is escaped, whatever it holds."""
    if isinstance(value, str):
        text = repr(value)
        if text[0] == "'" and '"' not in text:
            return f'"{text[1:-1]}"'
        if text[0] == "'":
            body = text[1:-1].replace("\\'", "'").replace('"', '\\"')
            return f'"{body}"' if body.count('\\"') <= body.count("'") else text
        return text
    return repr(value)


def default_source(field: Field, factory: str) -> str | None:
    """The default of a field as source, None where it is required.

    `factory` is the text that makes a fresh container, with `{}` for its type, such as
    `field(default_factory={})`.
    """
    if field.required:
        return None
    value = field.default
    for type_ in walk(field.type):
        if isinstance(type_, Enum) and value is not None:
            return next(f"{type_.name}.{name}" for name, member in type_.members if member == value)
    if value is None or isinstance(value, str | int | float | bool):
        return literal(value)
    if value in ([], {}, set()):
        return factory.format(type(value).__name__)
    raise Unsupported(f"field {field.name}: no source for the default {value!r}")


def add_enums(schema: Schema, module: Module) -> None:
    """Define the schema's enumerations."""
    for enum in schema.enums:
        module.use("enum", "Enum")
        lines = [f"{name} = {literal(value)}" for name, value in enum.members]
        module.add(class_block([f"class {enum.name}(Enum):"], lines))


def root_name(schema: Schema) -> str:
    """What the rendered functions call the document: `client` or `clients`, `value` or `values`."""
    match schema.root:
        case List(Ref(name)):
            return plural(snake(name))
        case Ref(name):
            return snake(name)
        case List(_):
            return "values"
        case _:
            return "value"


def snake(name: str) -> str:
    """`CamelCase` as `camel_case`; safe as a parameter's name."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return f"{text}_" if keyword.iskeyword(text) or text in _TAKEN else text


def plural(word: str) -> str:
    """The usual English plural."""
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def field_order(fields: Iterable[Field]) -> list[Field]:
    """Required fields first, as a class with positional arguments wants them."""
    return sorted(fields, key=lambda f: not f.required)
