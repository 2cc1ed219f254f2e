"""What rendered models have in common: annotations, enum classes, field lines and their order."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Container
from typing import Any

from serbench.schema import (
    INTEGER_KINDS,
    STR,
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
from serbench.schema.names import field_name, function_stem
from serbench.schema.types import walk
from serbench.source.layout import Expression, Module, call, class_block, field_line


class Unsupported(Exception):
    """A library cannot do what the schema or codec asks; the message is the row's reason."""


_VERBS = (
    "build_",
    "dump_",
    "from_",
    "load_",
    "pack_",
    "plain_",
    "read_",
    "to_",
)  # what functions of records begin with
# Names that a rendered function body may mean something else by.
_TAKEN = frozenset(
    [
        "adapter",
        "attrs",
        "base64",
        "asdict",
        "blob",
        "converter",
        "cattrs",
        "config",
        "data",
        "date",
        "datetime",
        "decoder",
        "deserialize",
        "dump_document",
        "dumper",
        "encoder",
        "json",
        "load_document",
        "loader",
        "mapper",
        "marshmallow",
        "mashumaro",
        "msgpack",
        "msgspec",
        "orjson",
        "pickle",
        "protocol",
        "pydantic",
        "schema",
        "self",
        "serialize",
        "time",
        "timedelta",
        "typing",
        "uuid",
    ]
) | frozenset(dir(builtins))

_SCALARS = {
    "str": ("", "str"),
    **dict.fromkeys(INTEGER_KINDS, ("", "int")),
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


def annotation(type_: Type, module: Module, tagged: Callable[[Union, str], str] | None = None) -> str:
    """The annotation of a type, importing into `module` what it names.

    `tagged` writes a tagged union from its description and its members' union; without it, that is
    the members' union.
    """
    match type_:
        case Scalar(kind):
            source, name = _SCALARS[kind]
            if source:
                module.use(source, name)
            return name
        case Enum(name) | Ref(name):
            return name
        case Optional(item):
            return alternatives(module, annotation(item, module, tagged), "None")
        case List(item) | Set(item):
            return generic(module, type(type_).__name__.lower(), annotation(item, module, tagged))
        case Tuple(items):
            return generic(module, "tuple", *(annotation(item, module, tagged) for item in items))
        case Map(value):
            return generic(module, "dict", "str", annotation(value, module, tagged))
        case Union(members, tag):
            union = alternatives(module, *(annotation(member, module, tagged) for member in members))
            return tagged(type_, union) if tagged and tag is not None else union


def generic(module: Module, container: str, *arguments: str) -> str:
    """`list[int]`, or `List[int]` on Python 3.8."""
    if module.python < (3, 9):
        container = container.title()
        module.use("typing", container)
    return f"{container}[{', '.join(arguments)}]"


def alternatives(module: Module, *members: str) -> str:
    """`int | None`, or `Optional[int]` before Python 3.10; `Union[…]` likewise."""
    if module.python >= (3, 10):
        return " | ".join(members)
    name = "Optional" if members[-1] == "None" and len(members) == 2 else "Union"
    module.use("typing", name)
    return f"{name}[{', '.join(members[:1] if name == 'Optional' else members)}]"


def refuse_lookalikes(schema: Schema, native: frozenset[str], format_: str) -> None:
    """Check that the bytes of a value say of which member of its untagged union it is.

    Raises:
        Unsupported: two members have the same form in the format, which carries `native` kinds.
    """
    for union in schema.types():
        if isinstance(union, Union) and union.tag is None:
            seen: dict[str, Type] = {}
            for member in union.members:
                form = _form(member, native)
                other = seen.setdefault(form, member)
                if other is not member:
                    raise Unsupported(
                        f"in {format_}, {_said(other)} and {_said(member)} are both {form}: their union needs a tag"
                    )


def _form(type_: Type, native: frozenset[str]) -> str:
    match type_:
        case Scalar(kind):
            kind = "int" if kind in INTEGER_KINDS else kind
            return kind if kind in native | {"int", "float", "bool", "timedelta"} else "text"
        case Enum(_, members):
            return "text" if isinstance(members[0][1], str) else "int"
        case List() | Tuple() | Set():
            return "an array"
        case Optional(item):
            return _form(item, native)
        case _:
            return "a map"


def _said(type_: Type) -> str:
    if isinstance(type_, Scalar):
        return type_.kind
    return type_.record if isinstance(type_, Ref) else getattr(type_, "name", type(type_).__name__.lower())


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


def is_plain(key: str) -> bool:
    """Whether a wire name has nothing that JSON escapes, such as a quote or a newline."""
    return not any(char in '"\\' or char < " " for char in key)


def assignment(module: Module, f: Field, function: str, factory: str, *options: Expression) -> Expression | None:
    """What stands behind `=` in the class body: nothing, a default, or a call of the library's `function`.

    `function` is a dotted name, or "module:name" where the name has to be imported; `factory` is its
    keyword for what makes a fresh container; `options` are further arguments.
    """
    default = f.default
    if f.required:
        arguments = options
    elif isinstance(default, list | dict | set):
        if default:
            raise Unsupported(f"field {f.name}: no source for the default {default!r}; leave it out")
        arguments = (*options, f"{factory}={type(default).__name__}")
    elif options:
        arguments = (*options, f"default={default_literal(f)}")
    else:
        return default_literal(f)
    if not arguments:
        return None
    source, _, name = function.rpartition(":")
    if source:
        module.use(source, name)
    return call(name, *arguments)


def default_literal(f: Field) -> str:
    """The default of a field that has one that is no container, as source."""
    value = f.default
    enum = f.type.item if isinstance(f.type, Optional) else f.type
    if isinstance(enum, Enum) and value is not None:
        return next(f"{enum.name}.{name}" for name, member in enum.members if member == value)
    if value is None or isinstance(value, str | int | float | bool):
        return literal(value)
    raise Unsupported(f"field {f.name}: no source for the default {value!r}; leave it out")


def field_lines(
    module: Module,
    schema: Schema,
    record: Record,
    assigned: Callable[[Field], Expression | None],
    *,
    tag: bool = False,
    tagged: Callable[[Union, str], str] | None = None,
    alias: str = "",
    defined: Container[str] | None = None,
) -> list[str]:
    """`name: type = assigned` for each field; with `tag`, a tagged record has its tag as a Literal field.

    `alias` is the class, as "module:name", that annotates a field with its wire name where it has one.
    With `defined`, what refers to records that are not among them is a string, for a library that
    reads the annotations as they are.
    """
    lines = []
    for f in record.fields:
        type_ = annotation(f.type, module, tagged)
        if alias and f.alias is not None:
            type_ = _with_alias(module, type_, alias, f.alias)
        if defined is not None and any(isinstance(t, Ref) and t.record not in defined for t in walk(f.type)):
            type_ = literal(type_)
        lines.append(field_line(f.name, type_, assigned(f)))
    if tag and record.name in schema.tags:
        module.use("typing", "Literal")
        f = tag_field(schema, record)
        lines.append(field_line(f.name, f"Literal[{literal(record.tag_value)}]", assigned(f)))
    return lines


def _with_alias(module: Module, type_: str, class_: str, wire: str) -> str:
    source, _, name = class_.partition(":")
    module.use(source, name)
    module.use("typing", "Annotated")
    return f"Annotated[{type_}, {name}({literal(wire)})]"


def tag_field(schema: Schema, record: Record) -> Field:
    """The tag of a member of a tagged union as a field: an identifier, with an alias where the key is none."""
    key = schema.tags[record.name]
    name = field_name(key, [f.name for f in record.fields])
    return Field(name, STR, alias=None if name == key else key, default=record.tag_value)


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
            return _safe(plural(snake(name)))
        case Ref(name):
            return snake(name)
        case List(_):
            return "values"
        case _:
            return "value"


def snake(name: str) -> str:
    """`CamelCase` as `camel_case`; safe as a parameter's name."""
    return _safe(function_stem(name))


def _safe(name: str) -> str:
    if name.startswith(_VERBS):  # the parameter dump_user would hide the function that dumps a user
        return f"the_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def plural(word: str) -> str:
    """The usual English plural."""
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"
