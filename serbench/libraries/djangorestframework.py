"""djangorestframework: Django REST framework's serializers, which validate dicts and make dicts.

- The settings are configured in the module, as Django documents for use outside of a project.
- Dates and times are ISO 8601, in UTC; UUIDs and decimals text, a timedelta an ISO 8601 duration.
- Custom fields, as the documentation shows them, carry what it has no field for: a datetime without a zone,
  bytes as base64, an enum as its value, sets and tuples as lists, records that refer to themselves, and
  the members of a tagged union.
- The records are dicts by wire name: those that are given to a serializer, and its `validated_data`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import (
    INTEGER_KINDS,
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
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, function, lay_out
from serbench.source.models import annotation, default_literal, literal, ordered_records, root_name
from serbench.source.typed_dicts import add_typed_dicts, is_attribute

_DOCS = "https://www.django-rest-framework.org/api-guide"
_SCALARS: dict[str, tuple[str, ...]] = {
    "str": ("CharField", "allow_blank=True", "trim_whitespace=False"),
    **dict.fromkeys(INTEGER_KINDS, ("IntegerField",)),
    "float": ("FloatField",),
    "bool": ("BooleanField",),
    "datetime": ("DateTimeField",),
    "date": ("DateField",),
    "time": ("TimeField",),
    "timedelta": ("DurationField", 'format="iso-8601"'),
    "decimal": ("DecimalField", "max_digits=None", "decimal_places=None"),
    "uuid": ("UUIDField",),
    "any": ("JSONField", "allow_null=True"),
}
_INIT = "def __init__(self, {}, **options: Any) -> None:"
_IN, _OUT = "def to_internal_value(self, data: Any) -> Any:", "def to_representation(self, value: Any) -> Any:"
# name of a custom field → its base, its lines and its imports
_CUSTOM: dict[str, tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    "NaiveDateTimeField": (
        "Field",
        (
            *(_IN, "    try:", "        return datetime.fromisoformat(data)", "    except (TypeError, ValueError):"),
            *('        raise serializers.ValidationError("not a datetime") from None', ""),
            *(_OUT, "    return value.isoformat()"),
        ),
        (("datetime", "datetime"),),
    ),
    "Base64Field": (
        "Field",
        (
            *(_IN, "    try:", "        return base64.b64decode(data, validate=True)"),
            *(
                "    except (TypeError, ValueError):",
                '        raise serializers.ValidationError("not base64") from None',
            ),
            *("", _OUT, "    return base64.b64encode(value).decode()"),
        ),
        (("base64",),),
    ),
    "EnumField": (
        "Field",
        (
            *(_INIT.format("enum: type[Enum]"), "    super().__init__(**options)", "    self.enum = enum", ""),
            *(_IN, "    try:", "        return self.enum(data)", "    except ValueError as error:"),
            *("        raise serializers.ValidationError(str(error)) from None", "", _OUT, "    return value.value"),
        ),
        (),
    ),
    "SetField": ("ListField", (_IN, "    return set(super().to_internal_value(data))"), ()),
    "TupleField": (
        "Field",
        (
            *(
                _INIT.format("*items: serializers.Field"),
                "    super().__init__(**options)",
                "    self.items = items",
                "",
            ),
            *(_IN, "    if not isinstance(data, (list, tuple)) or len(data) != len(self.items):"),
            '        raise serializers.ValidationError(f"expected {len(self.items)} items")',
            *("    return tuple(item.run_validation(part) for item, part in zip(self.items, data))", ""),
            *(_OUT, "    return [item.to_representation(part) for item, part in zip(self.items, value)]"),
        ),
        (),
    ),
    "LateField": (
        "Field",
        (
            _INIT.format("make: Callable[[], serializers.Field]"),
            *("    super().__init__(**options)", "    self.make = make", ""),
            *(_IN, "    return self.make().run_validation(data)", ""),
            *(_OUT, "    return self.make().to_representation(value)"),
        ),
        (("collections.abc", "Callable"),),
    ),
    "TaggedField": (
        "Field",
        (
            *("def __init__(", "    self,", "    tag: str,"),
            *("    members: dict[str, Callable[[], serializers.Field]],", "    **options: Any,", ") -> None:"),
            *("    super().__init__(**options)", "    self.tag = tag", "    self.members = members", ""),
            *(_IN, "    if not isinstance(data, dict) or data.get(self.tag) not in self.members:"),
            '        raise serializers.ValidationError(f"no known {self.tag}")',
            *("    return self.members[data[self.tag]]().run_validation(data)", ""),
            *(_OUT, "    return self.members[value[self.tag]]().to_representation(value)"),
        ),
        (("collections.abc", "Callable"),),
    ),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, a serializer for each, and its `data` and `validated_data`."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dicts as they are: a serializer has no part in it ({_DOCS}/serializers/)")
    module = Module(future="recursion" in schema.features)
    module.use("django")
    module.use("django.conf", "settings")
    module.use("rest_framework", "serializers")
    module.use("typing", "Any")
    serializers = _Serializers(module, schema)
    blocks = [_serializer(serializers, record) for record in ordered_records(schema)]
    document = None if _is_records(schema.root) else serializers.field(schema.root)
    module.state('if not settings.configured:\n    settings.configure(TIME_ZONE="UTC")\n    django.setup()')
    add_typed_dicts(module, schema)
    serializers.add_custom()
    for definition, text in blocks:
        (module.add if definition else module.state)(text)
    use_codec(module, codec)
    if document is not None:
        module.state(lay_out(document, before="document = "))
        validated, represented = partial(call, "document.run_validation"), partial(call, "document.to_representation")
        return Rendered(module, represented, validated, untyped=True)
    many = ("many=True",) if isinstance(schema.root, List) else ()
    name = f"{serializers.root}Serializer"
    type_, variable = annotation(schema.root, module), root_name(schema)
    body = [
        lay_out(call(name, "data=data", *many), 4, "serializer = "),
        "    serializer.is_valid(raise_exception=True)",
        f"    {variable}: {type_} = serializer.validated_data",
        f"    return {variable}",
    ]
    module.add(function("validated", ["data: Any"], type_, *body))

    def dumped(value: str) -> Expression:
        made = call(name, value, *many)
        exact = "list" if many else "dict"
        if exact in codec.exact:
            return call(exact, Bracketed(made.opening, made.items, ").data"))
        return Bracketed(made.opening, made.items, ").data")

    return Rendered(module, dumped, partial(call, "validated"))


def _is_records(root: Type) -> bool:
    return isinstance(root.item if isinstance(root, List) else root, Ref)


@dataclass
class _Serializers:
    """Renders the fields of a schema's serializers, and collects the custom ones that they need."""

    module: Module
    schema: Schema
    custom: set[str] = field(default_factory=set)

    @property
    def root(self) -> str:
        """The record at the root."""
        root = self.schema.root.item if isinstance(self.schema.root, List) else self.schema.root
        return root.record if isinstance(root, Ref) else ""

    def add_custom(self) -> None:
        """Add the custom fields."""
        for name in (name for name in _CUSTOM if name in self.custom):
            base, lines, imports = _CUSTOM[name]
            for source in imports:
                self.module.use(*source)
            if name == "EnumField":
                self.module.use("enum", "Enum")
            self.module.add(class_block([f"class {name}(serializers.{base}):"], lines))

    def field(self, type_: Type, *options: Expression, inside: Record | None = None) -> Bracketed:
        """The field of a type, in the definition of the serializer of `inside`."""
        match type_:
            case Optional(item):
                null = () if item == Scalar("any") else ("allow_null=True",)
                return self.field(item, *null, *options, inside=inside)
            case Scalar("naive_datetime" | "bytes" as kind):
                return self._own("Base64Field" if kind == "bytes" else "NaiveDateTimeField", *options)
            case Scalar(kind):
                name, *own = _SCALARS[kind]
                return call(f"serializers.{name}", *own, *options)
            case Enum(name):
                return self._own("EnumField", name, *options)
            case List(Ref(name)) if self._known(name, inside):
                return call(f"{name}Serializer", "many=True", *options)
            case List(item) | Map(item):
                kind = "ListField" if isinstance(type_, List) else "DictField"
                return call(f"serializers.{kind}", Keyword("child=", self.field(item, inside=inside)), *options)
            case Set(item):
                return self._own("SetField", Keyword("child=", self.field(item, inside=inside)), *options)
            case Tuple(items):
                return self._own("TupleField", *(self.field(item, inside=inside) for item in items), *options)
            case Ref(name) if self._known(name, inside):
                return call(f"{name}Serializer", *options)
            case Ref(name):
                return self._own("LateField", f"lambda: {name}Serializer()", *options)
            case Union(members, tag) if tag is not None:
                records = [self.schema.record(m.record) for m in members if isinstance(m, Ref)]
                entries = [f"{literal(r.tag_value)}: lambda: {r.name}Serializer()" for r in records]
                return self._own("TaggedField", literal(tag), Bracketed("{", tuple(entries), "}"), *options)
            case _:
                raise Unsupported(_NO_UNION)

    def _own(self, name: str, *arguments: Expression) -> Bracketed:
        self.custom.add(name)
        return call(name, *arguments)

    def _known(self, name: str, inside: Record | None) -> bool:
        order = [record.name for record in ordered_records(self.schema)]
        return inside is None or order.index(name) < order.index(inside.name)


def _serializer(serializers: _Serializers, record: Record) -> tuple[bool, str]:
    """The serializer of a record, and whether it is a class definition."""
    fields: dict[str, Expression] = {}
    if record.name in serializers.schema.tags:
        choices = f"choices=[{literal(record.tag_value)}]"
        fields[serializers.schema.tags[record.name]] = call("serializers.ChoiceField", choices)
    for f in record.fields:
        fields[f.wire] = serializers.field(f.type, *_options(f), inside=record)
    for key in fields:
        if not key or "." in key or key == "*":
            raise Unsupported(f"{key!r} says which attribute is meant, not what it is called ({_DOCS}/fields/#source)")
    name = f"{record.name}Serializer"
    if all(is_attribute(key) for key in fields):
        lines = [lay_out(value, before=f"{key} = ", width=84) for key, value in fields.items()]
        return True, class_block([f"class {name}(serializers.Serializer):"], lines)
    entries = Bracketed("{", tuple(Keyword(f"{literal(key)}: ", value) for key, value in fields.items()), "}")
    made = call("type", literal(name), "(serializers.Serializer,)", entries)
    return False, lay_out(made, before=f"{name}: type[serializers.Serializer] = ")


def _options(f: Field) -> list[Expression]:
    if f.required:
        return []
    if isinstance(f.default, list | dict | set):
        if f.default:
            raise Unsupported(f"field {f.name}: no source for the default {f.default!r}; leave it out")
        return [f"default={type(f.default).__name__}"]
    return [f"default={default_literal(f)}"]


_NO_UNION = f"Django REST framework has no field for a union ({_DOCS}/fields/)"

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
