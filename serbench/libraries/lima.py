"""lima: schemas beside the classes, which become one generated function each; it only serializes.

- Dates and datetimes are ISO 8601 and decimals text by its own fields.
- Times are ISO 8601, UUIDs text, bytes base64, a timedelta its seconds and an enum its value by
  getters, unless the codec carries them itself; so are containers of such values.
- A record with a wire name that is no identifier has its fields in `__lima_args__`.
- A tag is a field with a constant.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, Field, List, Optional, Record, Ref, Scalar, Schema, Type, Union
from serbench.source.by_hand import ByHand
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, lay_out
from serbench.source.models import literal, ordered_records, snake, tag_field
from serbench.source.records import add_dataclasses

_DOCS = "https://lima.readthedocs.io/en/latest"
_READS_NOTHING = f"lima only marshals, it does not read ({_DOCS}/index.html)"
_FIELDS = {
    "str": "String",
    **dict.fromkeys(INTEGER_KINDS, "Integer"),
    "float": "Float",
    "bool": "Boolean",
    "date": "Date",
    "datetime": "DateTime",
    "naive_datetime": "DateTime",
    "decimal": "Decimal",
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a schema for each."""
    if not schema.records:
        raise Unsupported(f"lima marshals objects, and the document has none ({_DOCS}/index.html)")
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema)
    module.use("lima", "Schema", "fields")
    called: set[str] = set()

    def nested(name: str, value: str) -> Expression:
        called.add(name)
        return call(f"{_instance(name)}.dump", value)

    hand = ByHand(module, schema, "dump", codec.encodes, nested=nested)
    defined: set[str] = set()
    bodies = {}
    for record in ordered_records(schema):
        bodies[record.name] = _lines(hand, record, defined)
        defined.add(record.name)
    many = isinstance(schema.root, List) and isinstance(schema.root.item, Ref)
    if not many:
        hand.document("value")  # which schemas it calls
    called |= {
        m.record for t in schema.types() if isinstance(t, Union) and t.tag for m in t.members if isinstance(m, Ref)
    }
    for name, lines in bodies.items():
        module.add(class_block([f"class {name}Schema(Schema):"], lines))
        if name in called:
            module.state(f"{_instance(name)} = {name}Schema()")
    hand.add_functions()
    if isinstance(schema.root, List) and isinstance(schema.root.item, Ref):
        module.state(f"schema = {schema.root.item.record}Schema(many=True)")
    use_codec(module, codec)
    return Rendered(module, dump=(lambda value: call("schema.dump", value)) if many else hand.document)


def _instance(name: str) -> str:
    return f"{snake(name).rstrip('_')}_schema"


def _lines(hand: ByHand, record: Record, defined: set[str]) -> list[str]:
    """The body of a record's schema."""
    made: list[tuple[Field, str, tuple[Expression, ...]]] = []
    if record.name in hand.schema.tags:
        tag = tag_field(hand.schema, record)
        made.append((tag, "fields.Field", (f"val={literal(record.tag_value)}",)))
    made += [(f, *_field(hand, record, f, defined)) for f in record.fields]
    if any(name == "fields" or "__" in name for f, *_ in made for name in (f.name, f.wire)):
        raise Unsupported(f"{record.name}: lima reads `__` in a name, and `fields` is its own ({_DOCS}/api.html)")
    if all(f.alias is None for f, *_ in made):
        return [lay_out(call(function, *options), before=f"{f.name} = ", width=84) for f, function, options in made]
    entries = tuple(
        Keyword(f"{literal(f.wire)}: ", call(function, *_of_attribute(f, options))) for f, function, options in made
    )
    included = Keyword('"include": ', Bracketed("{", entries, "}"))
    return [lay_out(Bracketed("{", (included,), "}"), before="__lima_args__ = ", width=84)]


def _of_attribute(f: Field, options: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The options, with the attribute's name where that is not the key's and nothing else gives the value."""
    named = any(isinstance(o, Keyword) or str(o).startswith("val=") for o in options)
    return options if named or f.alias is None else (f'attr="{f.name}"', *options)


def _field(hand: ByHand, record: Record, f: Field, defined: set[str]) -> tuple[str, tuple[Expression, ...]]:
    """The class of a field, and its arguments."""
    type_: Type = f.type.item if isinstance(f.type, Optional) else f.type
    match type_:
        case Scalar(kind) if kind in _FIELDS:
            return f"fields.{_FIELDS[kind]}", ()
        case Ref(name):
            return "fields.Embed", (f"schema={_schema(name, defined)}",)
        case List(Ref(name)):
            return "fields.Embed", (f"schema={_schema(name, defined)}", "many=True")
    if not hand.differs(type_):
        return "fields.Field", ()
    name = snake(record.name)
    return "fields.Field", (Keyword(f"get=lambda {name}: ", hand.convert(f.type, f"{name}.{f.name}")),)


def _schema(name: str, defined: set[str]) -> str:
    return f"{name}Schema" if name in defined else f'f"{{__name__}}.{name}Schema"'


LIBRARY = Library(
    name="lima",
    summary="schemas beside the classes, for encoding only",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("lima",),
    pins=("lima==0.5",),
    cannot={"decode": _READS_NOTHING, "loads": _READS_NOTHING, "load": _READS_NOTHING},
    unchecked=("import-untyped", "misc", "no-any-return", "RUF012"),
)
