"""voluptuous: schemas that are written as the data looks, for checking dicts that come in; it does not encode.

- Dates and times are made of ISO 8601 text, UUIDs and decimals of text, bytes of base64, a timedelta of its
  seconds and an enum of its value, once the type of these is checked.
- Arrays are checked and then made into tuples and sets.
- A tag is a constant in the schema; a Union chooses the member by it.
- Records are dicts by wire name; an absent item becomes its default, an unknown one is refused.
"""

from __future__ import annotations

from serbench.model.records import Field, Ref, Schema, Tuple, Union
from serbench.model.scalars import TEXT_KINDS, TIMEDELTA, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import from_text
from serbench.render.source.classes import add_typed_dicts, refuse_confusion
from serbench.render.source.marshmallow import Entry, FieldTable
from serbench.render.source.models import Models, default_of, generic, members, tagged_unions
from serbench.render.source.module import braced, listed, literal, snake

_DOCS = "https://github.com/alecthomas/voluptuous"
_WRITES_NOTHING = (
    f"voluptuous only validates; it does not encode ({_DOCS}#voluptuous-is-a-python-data-validation-library)"
)


def _name(record: str) -> str:
    return f"valid_{snake(record).rstrip('_')}"


def _late(fields: FieldTable, ref: Ref) -> str:
    return "vol.Self" if ref.record == fields.m.current else f"lambda value: {_name(ref.record)}(value)"


def _tuple(fields: FieldTable, type_: Tuple) -> str:
    m = fields.m
    current, m.current = m.current, ""  # each item of an ExactSequence is a schema: Self would mean that one
    items = fields.parts(type_)
    m.current = current
    return f"vol.All(vol.ExactSequence({listed(items)}), vol.Coerce(tuple))"


def _union(fields: FieldTable, union: Union) -> str:
    validators = ", ".join(fields.parts(union))
    if union.tag is not None:
        chosen = f"{_choice(fields.m.schema, union)}[value[{literal(union.tag)}]]"
        return f"vol.Union({validators}, discriminant=lambda value, _: [{chosen}])"
    return f"vol.Any({validators})"


def _choice(schema: Schema, union: Union) -> str:
    unions = tagged_unions(schema)
    return f"SCHEMAS_{unions.index(union) + 1}" if len(unions) > 1 else "SCHEMAS"


_TABLE: dict[str, Entry] = {
    **{kind: kind for kind in ("str", "int", "float", "bool")},
    "any": "object",
    "enum": "vol.Coerce({})",
    "optional": "vol.Maybe({})",
    "list": "[{}]",
    "set": "vol.All([{}], vol.Coerce(set))",
    "map": "{str: {}}",
    "tuple": _tuple,
    "record": lambda _, ref: _name(ref.record),
    "late_record": _late,
    "union": _union,
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, and a schema for each."""
    m = models(schema, codec, "dicts")
    refuse_confusion(schema, _DOCS, lambda one, other: TIMEDELTA in (one, other))  # a timedelta is a number
    add_typed_dicts(m)
    use_codec(m, codec)
    m.use("voluptuous as vol")
    fields = _fields(m, codec)
    for record in m.records():
        entries = [f"{_marker(m, f)}: {fields.field(f.type)}" for f in record.fields]
        if record.name in schema.tags:
            entries.insert(0, f"vol.Required({literal(schema.tags[record.name])}): {literal(record.tag_value)}")
        m.add(f"{_name(record.name)} = vol.Schema({braced(entries)})")
    for union in tagged_unions(schema):
        entries = [f"{literal(r.tag_value)}: {_name(r.name)}" for r in members(schema, union)]
        m.add(f"{_choice(schema, union)}: {generic(m, 'dict', 'str', 'vol.Schema')} = {braced(entries)}")
    if isinstance(schema.root, Ref):
        return Rendered(m, load=f"{_name(schema.root.record)}({{}})", untyped=True)
    m.add(f"schema = vol.Schema({fields.field(schema.root)})")
    return Rendered(m, load="schema({})", untyped=True)


def _marker(m: Models, f: Field) -> str:
    key = literal(f.wire)
    return f"vol.Required({key})" if f.required else f"vol.Optional({key}, default={default_of(m, f)})"


def _fields(m: Models, codec: Codec) -> FieldTable:
    def text(_: FieldTable, type_: Scalar) -> str:
        if type_.kind in codec.kinds.decodes:
            return m.annotation(type_)
        class_, function = from_text(m, type_.kind)
        held = "vol.Any(float, int)" if type_ == TIMEDELTA else "str"
        return f"vol.All({held}, {(f'vol.Coerce({class_})' if function == class_ else function)})"

    sets: dict[str, Entry] = (
        {"set": "vol.All(vol.Any([{}], {{}}), vol.Coerce(set))"} if "set" in codec.kinds.decodes else {}
    )
    return FieldTable(m, {**_TABLE, **sets, **dict.fromkeys(TEXT_KINDS, text)})


LIBRARY = Library(
    name="voluptuous",
    summary="schemas written as the data looks, for decoding only",
    docs=_DOCS,
    model="typeddict",
    render=render,
    pins=("voluptuous==0.16.0",),
    unchecked=("has-type",),
    cannot={"encode": _WRITES_NOTHING, "dump": _WRITES_NOTHING, "dumps": _WRITES_NOTHING},
    items=True,
)
