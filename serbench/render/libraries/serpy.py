"""serpy: serializers beside the classes, written to be fast; it only serializes.

- Custom fields write what the codec does not carry: dates and times as ISO 8601, UUIDs and decimals as text,
  bytes as base64, a timedelta as its seconds and an enum as its value.
- A container of such values, a map of records or a record that refers to itself is a MethodField.
- A tag is a MethodField with a constant.
"""

from __future__ import annotations

from serbench.model.records import Enum, List, Optional, Record, Ref, Schema, Type, bare
from serbench.model.scalars import Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import ByHand
from serbench.render.source.models import Models, tag_field
from serbench.render.source.module import Unsupported, block, call, literal, snake

_DOCS = "https://serpy.readthedocs.io/en/latest"
_READS_NOTHING = f"serpy only encodes ({_DOCS}/api.html)"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, the custom fields that they need, and a serializer for each."""
    if not schema.records:
        raise Unsupported(f"serpy encodes objects, but the document has none ({_DOCS}/index.html)")
    m = models(schema, codec)
    m.dataclasses()
    use_codec(m, codec)
    m.use("serpy")
    hand = ByHand(m, schema, "dump", codec.kinds.encodes, nested=_serialized)
    customs = _add_custom_fields(m, hand)
    for record in m.records():
        m.define(f"class {record.name}Serializer(serpy.Serializer):", _lines(m, hand, record, customs))
    hand.add_functions()
    return Rendered(m, dump=_serialized(m.root_record, "{}", "many=True") if m.many else hand.document("{}"))


def _serialized(name: str, value: str, *options: str) -> str:
    return f"{call(f'{name}Serializer', value, *options)}.data"


def _add_custom_fields(m: Models, hand: ByHand) -> dict[Type, str]:
    """A class of field for each kind of value that takes a conversion, as a field of its own."""
    single = (bare(type_) for record in hand.schema.records for type_ in record.types)
    names: dict[Type, str] = {}
    for type_ in dict.fromkeys(t for t in single if isinstance(t, Scalar | Enum) and hand.differs(t)):
        class_ = "Enum" if isinstance(type_, Enum) else m.annotation(type_)
        name = f"{class_[0].upper()}{class_[1:]}Field"
        if name not in names.values():
            returns = "float" if class_ == "timedelta" else "Any" if class_ == "Enum" else "str"
            method = f"def to_value(self, value: {class_}) -> {returns}:"
            m.define(f"class {name}(serpy.Field):", [block(method, [f"return {hand.convert(type_, 'value')}"])])
        if class_ == "Enum":
            m.use("typing", "Any")
        names[type_] = name
    return names


def _lines(m: Models, hand: ByHand, record: Record, customs: dict[Type, str]) -> list[str]:
    tag = [tag_field(m.schema, record)] if record.name in m.schema.tags else []
    fields, methods = [], {}
    for f in (*tag, *record.fields):
        label = [] if f.alias is None else [f"label={literal(f.wire)}"]
        made = None if f in tag else _field(m, hand, f.type, customs, *label)
        if made is None:
            value = literal(record.tag_value) if f in tag else hand.convert(f.type, f"{snake(record.name)}.{f.name}")
            method = f"def get_{f.name}(self, {snake(record.name)}: {record.name}) -> Any:"
            methods[f"get_{f.name}"] = block(method, [f"return {value}"])
            m.use("typing", "Any")
            made = call("serpy.MethodField", *label)
        fields.append(f"{f.name} = {made}")
    for f in record.fields:
        if f.name in methods or not f.wire:
            raise Unsupported(
                f"{record.name}: a serializer cannot have a field {f.name} for {f.wire!r} ({_DOCS}/api.html)"
            )
    return [*fields, *(line for method in methods.values() for line in ("", method))]


def _field(m: Models, hand: ByHand, type_: Type, customs: dict[Type, str], *label: str) -> str | None:
    """The field of a type; None if it takes a method."""
    if not hand.differs(type_):
        return call("serpy.Field", *label)
    optional = ["required=False"] if isinstance(type_, Optional) else []
    match bare(type_):
        case Ref(name) if name in m.defined:
            return call(f"{name}Serializer", *optional, *label)
        case List(Ref(name)) if name in m.defined:
            return call(f"{name}Serializer", "many=True", *optional, *label)
        case inner if inner in customs:
            return call(customs[inner], *optional, *label)
    return None


LIBRARY = Library(
    name="serpy",
    summary="serializers beside the classes, for encoding only",
    docs=_DOCS,
    render=render,
    pins=("serpy==0.3.1", "six==1.17.0"),
    unchecked=("import-untyped", "misc"),
    cannot={"decode": _READS_NOTHING, "loads": _READS_NOTHING, "load": _READS_NOTHING},
)
