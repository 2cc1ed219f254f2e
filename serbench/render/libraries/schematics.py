"""schematics: models of typed fields that convert and validate, in the way of Django's.

- Dates and times are ISO 8601 (an offset without its colon), UUIDs and decimals text.
- Custom types, as its documentation shows them, carry what it has no type for: a time, bytes as base64, an enum
  as its value, a timedelta as its seconds (its own TimedeltaType cuts off fractions of a unit), a set and a tuple
  as a list.
- `to_primitive` makes builtins; coming back, the model converts them and `validate` checks the rest.
- A tag is a field with a default; the claim function of a PolyModelType finds the model by it.
"""

from __future__ import annotations

from serbench.model.records import Field, Optional, Schema, Type, Union, parts, referred, walk
from serbench.model.scalars import JSON_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.marshmallow import Entry, FieldClass, FieldTable, attempt, named
from serbench.render.source.models import Models, default_of, helper_blocks, members, numbered, tagged_unions
from serbench.render.source.module import Unsupported, literal, snake

_DOCS = "https://schematics.readthedocs.io/en/latest"
_MODELS = f"{_DOCS}/usage/models.html"
_TYPES = f"{_DOCS}/usage/types.html"
_TABLE: dict[str, Entry] = {
    **named("{}Type()", str="String", int="Int", float="Float", bool="Boolean", bytes="Base64", any="Base"),
    **named("{}Type()", date="Date", time="Time", timedelta="Seconds", decimal="Decimal", uuid="UUID"),
    **named("{}Type({})", enum="Enum", list="List", map="Dict", set="Set", tuple="Tuple", record="Model"),
    "datetime": 'DateTimeType(tzd="require")',
    "naive_datetime": 'DateTimeType(tzd="reject")',
    "optional": "",
    "union": Unsupported(
        f"schematics 2.1.1: a UnionType tries its types in order and converts to the first that can ({_TYPES})"
    ),
}
_ERROR = "ConversionError(str(error)) from None"
_PLAIN = {Scalar(kind) for kind in JSON_KINDS | {"any"}}  # kinds that need no conversion
_ARGUMENTS = "(self, value: Any, context: Any = None)"
_CLASS = FieldClass("BaseType", f"to_native{_ARGUMENTS}", f"to_primitive{_ARGUMENTS}")
_LIST = FieldClass("ListType", f"convert{_ARGUMENTS}")


def _of_class(name: str, class_: str, native: str, primitive: str) -> str:
    made = attempt(native, "(TypeError, ValueError) as error", _ERROR)
    return _CLASS.source(name, "", f"if isinstance(value, {class_}):\n    return value\n{made}", primitive)


_ENUM = attempt("self.enum(value)", "ValueError as error", _ERROR)
_TUPLE = """if not isinstance(value, (list, tuple)) or len(value) != len(self.fields):
    raise ConversionError(f"expected {len(self.fields)} items")
return tuple(field.convert(item, context) for field, item in zip(self.fields, value))"""
_PARTS = "[field.to_primitive(item, context) for field, item in zip(self.fields, value)]"
_HELPERS = helper_blocks(
    [
        _of_class("Base64Type", "bytes", "base64.b64decode(value)", "base64.b64encode(value).decode()"),
        _of_class("TimeType", "time", "time.fromisoformat(value)", "value.isoformat()"),
        _of_class("SecondsType", "timedelta", "timedelta(seconds=value)", "value.total_seconds()"),
        _CLASS.source("EnumType", "enum: Any", _ENUM, "value.value"),
        _LIST.source("SetType", "", "return set(super().convert(value, context))"),
        _CLASS.source("TupleType", "*fields: BaseType", _TUPLE, _PARTS),
    ],
    *("typing:Any", "base64", "datetime:time", "datetime:timedelta"),
    *("schematics.types:BaseType", "schematics.types:ListType", "schematics.exceptions:ConversionError"),
)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models, the custom types that they need, and conversions of the document."""
    if codec.format == "pickle":
        raise Unsupported(
            f"schematics 2.1.1: pickle cannot encode a model, because it contains a 'mappingproxy' ({_MODELS})"
        )
    m = models(schema, codec, helpers=_HELPERS)
    m.use("typing", "Any")
    for union in tagged_unions(schema):
        known = "if isinstance(data, Model):\n    return type(data)"
        lines = [known, f"models = {m.tag_table(union)}", f"return models[data[{literal(union.tag)}]]"]
        m.define(f"def {numbered('claim', schema, union)}(field: Any, data: Any) -> Any:", lines)
    m.use("schematics.models", "Model")
    fields = FieldTable(m, {**_TABLE, **dict.fromkeys(codec.native, "BaseType()")}, "schematics.types")
    for record in m.records(_TYPES, empty="serialized_name"):
        m.define(f"class {record.name}(Model):", [_line(fields, f) for f in m.fields(record)])
    use_codec(m, codec)
    if not m.root_record:
        if any(referred(schema.root)) and not isinstance(schema.item, Union):
            raise Unsupported(f"schematics 2.1.1: outside a model, a model's field does not validate ({_MODELS})")
        _refuse_none(schema.root)
        m.add(f"document = {fields.field(schema.root)}")
        return Rendered(m, "document.to_primitive({})", "document.validate({})", untyped=True)
    name, class_ = snake(m.root_record), m.root_record
    lines = [f"{name} = {class_}(data)", f"{name}.validate()", f"return {name}"]
    m.define(f"def load_{name}(data: Any) -> {class_}:", lines)
    if m.many:
        return Rendered(m, f"[{name}.to_primitive() for {name} in {{}}]", f"[load_{name}(item) for item in {{}}]")
    return Rendered(m, "{}.to_primitive()", f"load_{name}({{}})")


def _model(m: Models, name: str) -> str:
    if name in m.defined:
        return name
    if name != m.current:
        raise Unsupported(
            f"schematics 2.1.1: a model can refer by name only to itself, and {name} is defined later ({_TYPES})"
        )
    return literal(name)


def _tagged(fields: FieldTable, union: Union) -> str:
    m = fields.m
    classes = ", ".join(_model(m, record.name) for record in members(m.schema, union))
    return f"PolyModelType([{classes}], claim_function={numbered('claim', m.schema, union)})"


_TABLE |= {"late_record": lambda fields, ref: f"ModelType({_model(fields.m, ref.record)})", "tagged_union": _tagged}


def _line(fields: FieldTable, f: Field) -> str:
    if f.name.startswith("_") or f.name in ("validate", "to_primitive"):
        raise Unsupported(f"schematics 2.1.1: a model cannot have a field called {f.name} ({_MODELS})")
    _refuse_none(f.type)
    options = [] if f.alias is None else [f"serialized_name={literal(f.alias)}"]
    if f.required and not isinstance(f.type, Optional) and f.type != Scalar("any"):
        options.append("required=True")
    if not f.required and f.default is not None:
        options.append(f"default={default_of(fields.m, f)}")
    return f"{f.name} = {fields.field(f.type, *options)}"


def _refuse_none(type_: Type) -> None:
    """Check that None among the items of a field, if it may be there, is of a type that is not converted."""
    items = (part for t in walk(type_) if not isinstance(t, Optional | Union) for part in parts(t))
    if any(isinstance(item, Optional) and item.item not in _PLAIN for item in items):
        raise Unsupported(
            f"schematics 2.1.1: it converts None among the items of a field like any other item ({_TYPES})"
        )


LIBRARY = Library(
    name="schematics",
    summary="models of typed fields that convert and validate",
    docs=_DOCS,
    model="schematics",
    render=render,
    pins=("schematics==2.1.1",),
    unchecked=("import-untyped", "misc"),
    cannot={"build": f"a model is created from a mapping, not from keyword arguments ({_MODELS})"},
)
