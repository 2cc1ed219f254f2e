"""lima: schemas beside the classes, which become one generated function each; it only serializes.

- Its own fields write dates and datetimes as ISO 8601 and decimals as text; what a typed codec has a type for is a
  plain Field, which leaves it as it is.
- Getters write times as ISO 8601, UUIDs as text, bytes as base64, a timedelta as its seconds and an enum as its
  value, unless the codec carries them itself, and containers of such values.
- A record with a wire name that is no identifier has its fields in `__lima_args__`.
- A tag is a field with a constant.
"""

from __future__ import annotations

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import MOMENTS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import ByHand
from serbench.render.source.marshmallow import Entry, FieldTable, named
from serbench.render.source.models import members, tag_field, tagged_unions
from serbench.render.source.module import Unsupported, braced, literal, snake

_DOCS = "https://lima.readthedocs.io/en/latest"
_READS_NOTHING = f"lima only encodes ({_DOCS}/index.html)"
_TABLE: dict[str, Entry] = {
    **named("fields.{}()", str="String", int="Integer", float="Float", bool="Boolean"),
    **named("fields.{}()", date="Date", decimal="Decimal"),
    **dict.fromkeys(MOMENTS, "fields.DateTime()"),
    "optional": "",
    "record": "fields.Embed(schema={}Schema)",
    "records": "fields.Embed(schema={}Schema, many=True)",
    "late_record": 'fields.Embed(schema=f"{__name__}.{}Schema")',
    "late_records": 'fields.Embed(schema=f"{__name__}.{}Schema", many=True)',
    "other": "fields.Field()",
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a schema for each."""
    if not schema.records:
        raise Unsupported(f"lima encodes objects, but the document has none ({_DOCS}/index.html)")
    m = models(schema, codec)
    m.dataclasses()
    m.use("lima", "Schema", "fields")
    called: set[str] = set()

    def nested(name: str, value: str) -> str:
        called.add(name)
        return f"{_instance(name)}.dump({value})"

    hand = ByHand(m, schema, "dump", codec.kinds.encodes, nested=nested)
    fields = FieldTable(m, {**_TABLE, **dict.fromkeys(codec.native, "fields.Field()")})
    bodies = {record.name: _lines(fields, hand, record) for record in m.records()}
    if not m.many:
        hand.document("value")  # which schemas it calls
    called |= {record.name for union in tagged_unions(schema) for record in members(schema, union)}
    for name, lines in bodies.items():
        m.define(f"class {name}Schema(Schema):", lines)
        if name in called:
            m.add(f"{_instance(name)} = {name}Schema()")
    hand.add_functions()
    if m.many:
        m.add(f"schema = {m.root_record}Schema(many=True)")
    use_codec(m, codec)
    return Rendered(m, dump="schema.dump({})" if m.many else hand.document("{}"))


def _instance(name: str) -> str:
    return f"{snake(name).rstrip('_')}_schema"


def _lines(fields: FieldTable, hand: ByHand, record: Record) -> list[str]:
    made = [(f, _field(fields, hand, record, f)) for f in record.fields]
    if record.name in hand.schema.tags:
        made.insert(0, (tag_field(hand.schema, record), f"fields.Field(val={literal(record.tag_value)})"))
    if any(name == "fields" or "__" in name for f, _ in made for name in (f.name, f.wire)):
        raise Unsupported(
            f"{record.name}: lima gives `__` in a name a meaning, and reserves `fields` ({_DOCS}/api.html)"
        )
    if all(f.alias is None for f, _ in made):
        return [f"{f.name} = {text}" for f, text in made]
    entries = braced(f"{literal(f.wire)}: {text}" for f, text in made)
    return [f'__lima_args__ = {{"include": {entries}}}']


def _field(fields: FieldTable, hand: ByHand, record: Record, f: Field) -> str:
    """The field of a type, with the attribute's name if that is not the key and nothing else gives the value."""
    made = fields.field(f.type, *([] if f.alias is None else [f'attr="{f.name}"']))
    if not made.startswith("fields.Field(") or not hand.differs(f.type):
        return made
    name = snake(record.name)
    return f"fields.Field(get=lambda {name}: {hand.convert(f.type, f'{name}.{f.name}')})"


LIBRARY = Library(
    name="lima",
    summary="schemas beside the classes, for encoding only",
    docs=_DOCS,
    render=render,
    pins=("lima==0.5",),
    separate="it has no wheel, so installing it runs its setup.py",
    cannot={"decode": _READS_NOTHING, "loads": _READS_NOTHING, "load": _READS_NOTHING},
    unchecked=("import-untyped", "misc", "no-any-return", "RUF012"),
)
