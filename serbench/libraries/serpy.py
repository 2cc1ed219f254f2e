"""serpy: serializers beside the classes, written to be fast; it only serializes.

- What the codec does not carry is text by a custom field: dates and times ISO 8601, UUIDs and
  decimals, bytes as base64; a timedelta is its seconds, an enum its value.
- A container of such values, a map of records or a record that refers to itself is a MethodField.
- A tag is a MethodField with a constant.
"""

from __future__ import annotations

from collections.abc import Sequence

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Enum, List, Optional, Record, Ref, Scalar, Schema, Type
from serbench.source.by_hand import ByHand
from serbench.source.expressions import Bracketed, Expression, call
from serbench.source.layout import WIDTH, Module, class_block, function, lay_out, returned
from serbench.source.models import annotation, literal, ordered_records, snake, tag_field
from serbench.source.records import add_dataclasses

_DOCS = "https://serpy.readthedocs.io/en/latest"
_READS_NOTHING = f"serpy only serializes, it does not read ({_DOCS}/api.html)"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, the custom fields that they need, and a serializer for each."""
    if not schema.records:
        raise Unsupported(f"serpy serializes objects, and the document has none ({_DOCS}/index.html)")
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema)
    use_codec(module, codec)
    module.use("serpy")
    hand = ByHand(module, schema, "dump", codec.encodes, nested=_serialized)
    customs = _add_custom_fields(module, hand)
    defined: set[str] = set()
    for record in ordered_records(schema):
        lines = _lines(hand, record, customs, defined)
        module.add(
            class_block([lay_out(Bracketed(f"class {record.name}Serializer(", ("serpy.Serializer",), "):"))], lines)
        )
        defined.add(record.name)
    hand.add_functions()
    if isinstance(schema.root, List) and isinstance(schema.root.item, Ref):
        name = schema.root.item.record
        return Rendered(module, dump=lambda value: _serialized(name, value, "many=True"))
    return Rendered(module, dump=hand.document)


def _serialized(name: str, value: str, *options: str) -> Bracketed:
    return Bracketed(f"{name}Serializer(", (value, *options), ").data")


def _add_custom_fields(module: Module, hand: ByHand) -> dict[Type, str]:
    """A class of field for each kind of value that takes a conversion, as a field of its own."""
    fields = (f.type for record in hand.schema.records for f in record.fields)
    single = (t.item if isinstance(t, Optional) else t for t in fields)
    names: dict[Type, str] = {}
    for type_ in dict.fromkeys(t for t in single if isinstance(t, Scalar | Enum) and hand.differs(t)):
        class_ = "Enum" if isinstance(type_, Enum) else annotation(type_, module)
        name = f"{class_[0].upper()}{class_[1:]}Field"
        if name not in names.values():
            returns = "float" if class_ == "timedelta" else "Any" if class_ == "Enum" else "str"
            body = returned(hand.convert(type_, "value"), WIDTH - 4)
            method = function("to_value", ["self", f"value: {class_}"], returns, body)
            module.add(class_block([f"class {name}(serpy.Field):"], method.split("\n")))
        if class_ == "Enum":
            module.use("typing", "Any")
        names[type_] = name
    return names


def _lines(hand: ByHand, record: Record, customs: dict[Type, str], defined: set[str]) -> list[str]:
    """The body of a record's serializer: its fields, then the methods that some of them call."""
    tag = [tag_field(hand.schema, record)] if record.name in hand.schema.tags else []
    fields, methods = [], {}
    for f in (*tag, *record.fields):
        label = [f"label={literal(f.wire)}"] if f.alias is not None else []
        made = None if f in tag else _field(hand, f.type, customs, defined, label)
        if made is None:
            value = literal(record.tag_value) if f in tag else hand.convert(f.type, f"{snake(record.name)}.{f.name}")
            parameters = ["self", f"{snake(record.name)}: {record.name}"]
            body = returned(value, WIDTH - 4)
            hand.module.use("typing", "Any")
            methods[f"get_{f.name}"] = function(f"get_{f.name}", parameters, "Any", body, width=WIDTH - 4)
            made = call("serpy.MethodField", *label)
        fields.append(lay_out(made, before=f"{f.name} = ", width=WIDTH - 4))
    hidden = {"serpy", *customs.values(), *methods, *(f"{name}Serializer" for name in defined)}
    for f in record.fields:
        if f.name in hidden or not f.wire:
            raise Unsupported(f"{record.name}: a serializer has no field {f.name} for {f.wire!r} ({_DOCS}/api.html)")
    return [*fields, *(line for method in methods.values() for line in ("", *method.split("\n")))]


def _field(
    hand: ByHand, type_: Type, customs: dict[Type, str], defined: set[str], label: Sequence[Expression]
) -> Bracketed | None:
    """The field of a type; None where it takes a method."""
    if not hand.differs(type_):
        return call("serpy.Field", *label)
    optional = ["required=False"] if isinstance(type_, Optional) else []
    match type_.item if isinstance(type_, Optional) else type_:
        case Ref(name) if name in defined:
            return call(f"{name}Serializer", *optional, *label)
        case List(Ref(name)) if name in defined:
            return call(f"{name}Serializer", "many=True", *optional, *label)
        case inner if inner in customs:
            return call(customs[inner], *optional, *label)
    return None


LIBRARY = Library(
    name="serpy",
    summary="serializers beside the classes, for encoding only",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("serpy",),
    pins=("serpy==0.3.1", "six==1.17.0"),
    unchecked=("import-untyped", "misc"),
    cannot={"decode": _READS_NOTHING, "loads": _READS_NOTHING, "load": _READS_NOTHING},
)
