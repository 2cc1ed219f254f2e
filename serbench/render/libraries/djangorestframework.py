"""djangorestframework: Django REST framework's serializers, which validate dicts and make dicts.

- The module configures the settings, as Django documents it for use outside of a project.
- Dates and times are ISO 8601, in UTC; UUIDs and decimals text, a timedelta an ISO 8601 duration; what a
  typed codec has a type for stays as it is by `format=None`, and a timedelta is its seconds for the others.
- Custom fields, as its documentation shows them, carry what it has no field for: a naive datetime, bytes as
  base64 unless the codec carries them, an enum as its value, sets and tuples as lists, records that refer to themselves, and the members of
  a tagged union.
- Records are dicts by wire name: what a serializer is given, and its `validated_data`.
"""

from __future__ import annotations

from serbench.model.records import Record, Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.classes import add_typed_dicts, is_attribute
from serbench.render.source.marshmallow import Entry, FieldClass, FieldTable, attempt, named
from serbench.render.source.models import default_of, helper_blocks
from serbench.render.source.module import Unsupported, block, braced, call, literal, root_name

_DOCS = "https://www.django-rest-framework.org/api-guide"
_NO_UNION = f"Django REST framework has no field for a union ({_DOCS}/fields/)"
_TABLE: dict[str, Entry] = {
    **named("serializers.{}Field()", int="Integer", float="Float", bool="Boolean", uuid="UUID"),
    **named("serializers.{}Field()", datetime="DateTime", date="Date", time="Time"),
    "str": "serializers.CharField(allow_blank=True, trim_whitespace=False)",
    "bytes": "Base64Field()",
    "naive_datetime": "NaiveDateTimeField()",
    "timedelta": 'serializers.DurationField(format="iso-8601")',
    "decimal": "serializers.DecimalField(max_digits=None, decimal_places=None)",
    "any": "serializers.JSONField(allow_null=True)",
    "enum": "EnumField({})",
    "optional": "allow_null=True",
    "list": "serializers.ListField(child={})",
    "map": "serializers.DictField(child={})",
    "set": "SetField(child={})",
    "tuple": "TupleField({})",
    "record": "{}Serializer()",
    "records": "{}Serializer(many=True)",
    "late_record": "LateField(lambda: {}Serializer())",
    "tagged_union": lambda fields, union: (
        f"TaggedField({literal(union.tag)}, {fields.m.tag_table(union, 'lambda: {}Serializer()')})"
    ),
    "untagged_union": Unsupported(_NO_UNION),
}
_NATIVE: dict[str, Entry] = {
    **named("serializers.{}Field(format=None)", datetime="DateTime", date="Date", time="Time", timedelta="Duration"),
    **dict.fromkeys(("bytes", "naive_datetime", "uuid"), "NativeField()"),
}
_ERROR = "serializers.ValidationError({}) from None"
_CLASS = FieldClass("serializers.Field", "to_internal_value(self, data: Any)", "to_representation(self, value: Any)")
_LIST = FieldClass("serializers.ListField", "to_internal_value(self, data: Any)")
_NAIVE = attempt("datetime.fromisoformat(data)", "(TypeError, ValueError)", _ERROR.format('"not a datetime"'))
_BASE64 = attempt("base64.b64decode(data, validate=True)", "(TypeError, ValueError)", _ERROR.format('"not base64"'))
_SECONDS = attempt("timedelta(seconds=data)", "TypeError", _ERROR.format('"not a number"'))
_ENUM = attempt("self.enum(data)", "ValueError as error", _ERROR.format("str(error)"))
_TUPLE = """if not isinstance(data, (list, tuple)) or len(data) != len(self.items):
    raise serializers.ValidationError(f"expected {len(self.items)} items")
return tuple(item.run_validation(part) for item, part in zip(self.items, data))"""
_PARTS = "[item.to_representation(part) for item, part in zip(self.items, value)]"
_LATE = ("return self.make().run_validation(data)", "self.make().to_representation(value)")
_TAGGED = """if not isinstance(data, dict) or data.get(self.tag) not in self.members:
    raise serializers.ValidationError(f"no known {self.tag}")
return self.members[data[self.tag]]().run_validation(data)"""
_MEMBERS = "tag: str, members: dict[str, Callable[[], serializers.Field]]"
_HELPERS = helper_blocks(
    [
        _CLASS.source("NaiveDateTimeField", "", _NAIVE, "value.isoformat()"),
        _CLASS.source("Base64Field", "", _BASE64, "base64.b64encode(value).decode()"),
        _CLASS.source("SecondsField", "", _SECONDS, "value.total_seconds()"),
        _CLASS.source("NativeField", "", "return data", "value"),
        _CLASS.source("EnumField", "enum: type[Enum]", _ENUM, "value.value"),
        _LIST.source("SetField", "", "return set(super().to_internal_value(data))"),
        _CLASS.source("TupleField", "*items: serializers.Field", _TUPLE, _PARTS),
        _CLASS.source("LateField", "make: Callable[[], serializers.Field]", *_LATE),
        _CLASS.source("TaggedField", _MEMBERS, _TAGGED, "self.members[value[self.tag]]().to_representation(value)"),
    ],
    *("datetime:datetime", "datetime:timedelta", "base64", "collections.abc:Callable", "enum:Enum"),
)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, a serializer for each, and its `data` and `validated_data`."""
    m = models(schema, codec, "dicts", helpers=_HELPERS)
    m.use("django")
    m.use("django.conf", "settings")
    m.use("rest_framework", "serializers")
    m.use("typing", "Any")
    seconds = {"timedelta": "SecondsField()"} if codec.typed else {}
    native = {kind: _NATIVE[kind] for kind in codec.native if kind in _NATIVE}
    fields = FieldTable(m, {**_TABLE, **seconds, **native})
    m.blocks.insert(0, 'if not settings.configured:\n    settings.configure(TIME_ZONE="UTC")\n    django.setup()')
    add_typed_dicts(m)
    m.emit_helpers()
    for record in m.records():
        m.add(_serializer(fields, record))
    document = "" if m.root_record else fields.field(schema.root)
    use_codec(m, codec)
    if document:
        m.add(f"document = {document}")
        return Rendered(m, "document.to_representation({})", "document.run_validation({})", untyped=True)
    many = ["many=True"] if m.many else []
    name, type_, variable = f"{m.root_record}Serializer", m.annotation(schema.root), root_name(schema)
    lines = [f"serializer = {call(name, 'data=data', *many)}", "serializer.is_valid(raise_exception=True)"]
    lines += [f"{variable}: {type_} = serializer.validated_data", f"return {variable}"]
    m.define(f"def validated(data: Any) -> {type_}:", lines)
    made, exact = f"{call(name, '{}', *many)}.data", "list" if many else "dict"
    return Rendered(m, f"{exact}({made})" if exact in codec.objects.exact else made, "validated({})")


def _serializer(fields: FieldTable, record: Record) -> str:
    """The serializer of a record: a class, or a call of `type` if a key is not a valid attribute name."""
    made = {}
    if record.name in fields.m.schema.tags:
        made[fields.m.schema.tags[record.name]] = f"serializers.ChoiceField(choices=[{literal(record.tag_value)}])"
    for f in record.fields:
        made[f.wire] = fields.field(f.type, *([] if f.required else [f"default={default_of(fields.m, f)}"]))
    for key in made:
        if not key or "." in key or key == "*":
            raise Unsupported(
                f"{key!r} is a path to an attribute in `source`, not a plain name ({_DOCS}/fields/#source)"
            )
    name = f"{record.name}Serializer"
    if all(is_attribute(key) for key in made):
        return block(f"class {name}(serializers.Serializer):", [f"{key} = {value}" for key, value in made.items()])
    entries = braced(f"{literal(key)}: {value}" for key, value in made.items())
    return f"{name}: type[serializers.Serializer] = type({literal(name)}, (serializers.Serializer,), {entries})"


LIBRARY = Library(
    name="djangorestframework",
    summary="serializers that validate dicts, on top of Django",
    docs=f"{_DOCS}/serializers/",
    model="typeddict",
    render=render,
    distributions=("djangorestframework", "django"),
    modules=("rest_framework", "django"),
    pins=("djangorestframework==3.18.3", "django==5.2.19", "asgiref==3.13.0", "sqlparse==0.6.1"),
    unchecked=("import-untyped", "misc"),
    lacks={"untagged_union": _NO_UNION},
    items=True,
)
