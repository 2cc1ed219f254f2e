"""voluptuous: schemas that are written as the data looks, for checking dicts that come in; it does not encode.

- Dates and times are made of ISO 8601 text, UUIDs and decimals of text, bytes of base64, a timedelta
  of its seconds, an enum of its value, after a check of the type that they are made of.
- A tuple and a set are arrays, checked and then made into one.
- A tag is a constant in the schema; a Union chooses the member by it.
- The records are dicts by wire name; an absent item becomes its default, an unknown one is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Enum, Field, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type, Union
from serbench.source.by_hand import TEXT_KINDS, from_text
from serbench.source.expressions import Bracketed, Expression, Keyword, call, flat
from serbench.source.layout import Module, field_line, lay_out
from serbench.source.models import annotation, default_literal, generic, literal, ordered_records, snake
from serbench.source.typed_dicts import add_typed_dicts

_DOCS = "https://github.com/alecthomas/voluptuous"
_WRITES_NOTHING = (
    f"voluptuous only validates, it does not write ({_DOCS}#voluptuous-is-a-python-data-validation-library)"
)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, and a schema for each."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dicts as they are: voluptuous has no part in it")
    module = Module(future="recursion" in schema.features)
    add_typed_dicts(module, schema)
    use_codec(module, codec)
    module.use("voluptuous as vol")
    defined: set[str] = set()
    for record in ordered_records(schema):
        entries = tuple(_item(*entry) for entry in _entries(module, schema, codec, record, defined))
        module.state(lay_out(call("vol.Schema", Bracketed("{", entries, "}")), before=f"{_name(record.name)} = "))
        defined.add(record.name)
    _add_tables(module, schema)
    if isinstance(schema.root, Ref):
        name = _name(schema.root.record)
    else:
        name = "schema"
        validator = _validator(module, schema, codec, schema.root, defined)
        module.state(lay_out(call("vol.Schema", validator), before="schema = "))
    return Rendered(module, load=lambda value: call(name, value), untyped=True)


def _name(record: str) -> str:
    return f"valid_{snake(record).rstrip('_')}"


def _entries(
    module: Module, schema: Schema, codec: Codec, record: Record, defined: set[str]
) -> Iterator[tuple[Bracketed, Expression]]:
    """Keys and validators of a record's schema."""
    if record.name in schema.tags:
        yield call("vol.Required", literal(schema.tags[record.name])), literal(record.tag_value)
    for f in record.fields:
        yield _marker(f), _validator(module, schema, codec, f.type, defined, record.name)


def _item(key: Bracketed, value: Expression) -> Keyword:
    """An entry of a dict; its key is opened where not even the beginning of the value fits behind it."""
    begins = value.opening if isinstance(value, Bracketed) else f"{flat(value)},"
    return Keyword(f"{lay_out(key, 8, after=f': {begins}').strip().removesuffix(begins)}", value)


def _marker(f: Field) -> Bracketed:
    """The key of an entry, with its default where it may be absent."""
    if f.required:
        return call("vol.Required", literal(f.wire))
    if not isinstance(f.default, list | dict | set):
        return call("vol.Optional", literal(f.wire), f"default={default_literal(f)}")
    if f.default:
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r}; leave it out")
    return call("vol.Optional", literal(f.wire), f"default={type(f.default).__name__}")


def _validator(
    module: Module, schema: Schema, codec: Codec, type_: Type, defined: set[str], current: str = ""
) -> Expression:
    """What validates a value; `current` is the record whose own schema `Self` means here."""

    def inner(type_: Type) -> Expression:
        return _validator(module, schema, codec, type_, defined, current)

    match type_:
        case Scalar(kind):
            return _scalar(module, codec, kind)
        case Enum(name):
            return f"vol.Coerce({name})"
        case Optional(Scalar("any")):
            return "object"
        case Optional(item):
            return call("vol.Maybe", inner(item))
        case List(item):
            return Bracketed("[", (inner(item),), "]")
        case Set(item):
            return call("vol.All", Bracketed("[", (inner(item),), "]"), "vol.Coerce(set)")
        case Map(item):
            return Bracketed("{", (Keyword("str: ", inner(item)),), "}")
        case Tuple(items):
            parts = tuple(_validator(module, schema, codec, item, defined) for item in items)
            return call("vol.All", call("vol.ExactSequence", Bracketed("[", parts, "]")), "vol.Coerce(tuple)")
        case Ref(name):
            forward = "vol.Self" if name == current else f"lambda value: {_name(name)}(value)"
            return _name(name) if name in defined else forward
        case Union(members):
            return _union(schema, type_, tuple(inner(member) for member in members))


def _scalar(module: Module, codec: Codec, kind: str) -> Expression:
    if kind == "any":
        return "object"
    if kind not in TEXT_KINDS or kind in codec.decodes:
        return annotation(Scalar(kind), module)
    class_, function = from_text(module, kind)
    held = "vol.Any(float, int)" if kind == "timedelta" else "str"
    return call("vol.All", held, f"vol.Coerce({class_})" if function == class_ else function)


def _union(schema: Schema, union: Union, validators: tuple[Expression, ...]) -> Expression:
    if union.tag is None:
        if Scalar("timedelta") in union.members:
            raise Unsupported(f"vol.Any takes the first member that fits, and a timedelta is a number ({_DOCS})")
        return call("vol.Any", *validators)
    chosen = Bracketed(f"{_table(schema, union)}[", (Bracketed("value[", (literal(union.tag),), "]"),), "]")
    lambda_ = Keyword("discriminant=lambda value, _: ", Bracketed("[", (chosen,), "]"))
    return call("vol.Union", *validators, lambda_)


def _table(schema: Schema, union: Union) -> str:
    """The name of the table by which a Union chooses."""
    tagged = [t for t in dict.fromkeys(schema.types()) if isinstance(t, Union) and t.tag]
    return f"SCHEMAS_{tagged.index(union) + 1}" if len(tagged) > 1 else "SCHEMAS"


def _add_tables(module: Module, schema: Schema) -> None:
    for union in dict.fromkeys(t for t in schema.types() if isinstance(t, Union) and t.tag):
        records = [schema.record(member.record) for member in union.members if isinstance(member, Ref)]
        entries = tuple(Keyword(f"{literal(r.tag_value)}: ", _name(r.name)) for r in records)
        type_ = generic(module, "dict", "str", "vol.Schema")
        module.state(field_line(_table(schema, union), type_, Bracketed("{", entries, "}"), 0))


LIBRARY = Library(
    name="voluptuous",
    summary="schemas written as the data looks, for decoding only",
    docs=_DOCS,
    model="typeddict",
    render=render,
    distributions=("voluptuous",),
    pins=("voluptuous==0.16.0",),
    unchecked=("has-type",),
    cannot={"encode": _WRITES_NOTHING, "dump": _WRITES_NOTHING, "dumps": _WRITES_NOTHING},
    items=True,
)
