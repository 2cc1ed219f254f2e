"""schematics: models of typed fields that convert and validate, in the way of Django's.

- Dates and times are ISO 8601 (an offset without its colon), UUIDs and decimals text.
- What it has no type for is carried by custom types, as its documentation shows: a time, bytes as base64, an enum
  as its value, a timedelta as its seconds (its own TimedeltaType cuts off what is less than a unit), a set and
  a tuple as a list.
- `to_primitive` makes builtins; coming back, the model converts them and `validate` checks the rest.
- A tag is a field with a default, by which the claim function of a PolyModelType finds the model.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from serbench.schema.types import walk
from serbench.source.layout import (
    Bracketed,
    Comprehension,
    Expression,
    Keyword,
    Module,
    call,
    class_block,
    function,
    lay_out,
)
from serbench.source.models import add_enums, default_literal, literal, ordered_records, snake, tag_field

_DOCS = "https://schematics.readthedocs.io/en/latest"
_MODELS = f"{_DOCS}/usage/models.html"
_TYPES = f"{_DOCS}/usage/types.html"
_SCALARS: dict[str, tuple[str, ...]] = {
    "str": ("StringType",),
    **dict.fromkeys(INTEGER_KINDS, ("IntType",)),
    "float": ("FloatType",),
    "bool": ("BooleanType",),
    "datetime": ("DateTimeType", 'tzd="require"'),
    "naive_datetime": ("DateTimeType", 'tzd="reject"'),
    "date": ("DateType",),
    "decimal": ("DecimalType",),
    "uuid": ("UUIDType",),
    "any": ("BaseType",),
}
_PLAIN = frozenset({"str", *INTEGER_KINDS, "float", "bool", "any"})
# kind → name, class, to native, to primitive and imports of a custom type
_CUSTOM = {
    "time": ("TimeType", "time", "time.fromisoformat(value)", "value.isoformat()", ("datetime", "time")),
    "timedelta": (
        "SecondsType",
        "timedelta",
        "timedelta(seconds=value)",
        "value.total_seconds()",
        ("datetime", "timedelta"),
    ),
    "bytes": (
        "Base64Type",
        "bytes",
        "base64.b64decode(value)",
        "base64.b64encode(value).decode()",
        ("base64",),
    ),
}
_OF_CLASS = """\
class {name}(BaseType):
    def to_native(self, value: Any, context: Any = None) -> Any:
        if isinstance(value, {class_}):
            return value
        try:
            return {native}
        except (TypeError, ValueError) as error:
            raise ConversionError(str(error)) from None

    def to_primitive(self, value: Any, context: Any = None) -> Any:
        return {primitive}"""
_OF_ENUM = """\
class EnumType(BaseType):
    def __init__(self, enum: Any, **options: Any) -> None:
        super().__init__(**options)
        self.enum = enum

    def to_native(self, value: Any, context: Any = None) -> Any:
        try:
            return self.enum(value)
        except ValueError as error:
            raise ConversionError(str(error)) from None

    def to_primitive(self, value: Any, context: Any = None) -> Any:
        return value.value"""
_OF_SET = """\
class SetType(ListType):
    def convert(self, value: Any, context: Any = None) -> Any:
        return set(super().convert(value, context))"""
_OF_TUPLE = """\
class TupleType(BaseType):
    def __init__(self, *fields: BaseType, **options: Any) -> None:
        super().__init__(**options)
        self.fields = fields

    def to_native(self, value: Any, context: Any = None) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.fields):
            raise ConversionError(f"expected {len(self.fields)} items")
        return tuple(
            field.convert(item, context) for field, item in zip(self.fields, value)
        )

    def to_primitive(self, value: Any, context: Any = None) -> Any:
        return [
            field.to_primitive(item, context) for field, item in zip(self.fields, value)
        ]"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models, the custom types that they need, and conversions of the document."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle refuses a model: it cannot pickle the 'mappingproxy' in it ({_MODELS})")
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    models = _Models(module, schema, codec.encodes & codec.decodes & {"bytes"})
    models.add()
    use_codec(module, codec)
    root = schema.root.item if isinstance(schema.root, List) else schema.root
    if not isinstance(root, Ref):
        if any(isinstance(t, Ref) for t in walk(root)) and not isinstance(root, Union):
            raise Unsupported(f"outside of a model, the field of a model does not validate ({_MODELS})")
        module.state(lay_out(models.field(schema.root), before="document = "))
        return Rendered(
            module,
            lambda value: call("document.to_primitive", value),
            lambda value: call("document.validate", value),
            untyped=True,
        )
    name = snake(root.record)
    body = [f"    {name} = {root.record}(data)", f"    {name}.validate()", f"    return {name}"]
    module.use("typing", "Any")
    module.add(function(f"load_{name}", ["data: Any"], root.record, *body))
    if isinstance(schema.root, Ref):
        return Rendered(module, lambda value: call(f"{value}.to_primitive"), lambda value: call(f"load_{name}", value))
    return Rendered(
        module,
        lambda value: Comprehension("[", f"{name}.to_primitive()", f"for {name} in {value}", "]"),
        lambda value: Comprehension("[", f"load_{name}(item)", f"for item in {value}", "]"),
    )


@dataclass(frozen=True)
class _Models:
    """Renders the models of a schema; `native` kinds need no custom type, because the codec carries them."""

    module: Module
    schema: Schema
    native: frozenset[str]

    def add(self) -> None:
        """Add the custom types and the models."""
        for kind in sorted(self.schema.features & _CUSTOM.keys() - self.native):
            name, class_, native, primitive, source = _CUSTOM[kind]
            self.module.use(*source)
            text = _OF_CLASS.format(name=name, class_=class_, native=native, primitive=primitive)
            self._custom("BaseType", text, error=True)
        if self.schema.enums:
            self._custom("BaseType", _OF_ENUM, error=True)
        if "set" in self.schema.features:
            self._custom("ListType", _OF_SET)
        if "tuple" in self.schema.features:
            self._custom("BaseType", _OF_TUPLE, error=True)
        for union in self._unions:
            self._add_claim(union)
        for record in ordered_records(self.schema):
            tag = [tag_field(self.schema, record)] if record.name in self.schema.tags else []
            lines = [lay_out(self._field(f, record), before=f"{f.name} = ", width=84) for f in (*record.fields, *tag)]
            self.module.use("schematics.models", "Model")
            self.module.add(class_block([f"class {record.name}(Model):"], lines))

    @property
    def _unions(self) -> list[Union]:
        return [t for t in dict.fromkeys(self.schema.types()) if isinstance(t, Union) and t.tag is not None]

    def _claim(self, union: Union) -> str:
        """The name of a union's claim function."""
        index = self._unions.index(union)
        return "claim" + (f"_{index + 1}" if index else "")

    def _add_claim(self, union: Union) -> None:
        records = [self.schema.record(m.record) for m in union.members if isinstance(m, Ref)]
        entries = tuple(Keyword(f"{literal(record.tag_value)}: ", record.name) for record in records)
        models = lay_out(Bracketed("{", entries, "}"), 4, "models = ")
        body = ["    if isinstance(data, Model):", "        return type(data)", models]
        self.module.use("schematics.models", "Model")
        self.module.use("typing", "Any")
        parameters = ["field: Any", "data: Any"]
        body.append(f"    return models[data[{literal(union.tag)}]]")
        self.module.add(function(self._claim(union), parameters, "Any", *body))

    def _custom(self, base: str, text: str, *, error: bool = False) -> None:
        self.module.use("typing", "Any")
        self.module.use("schematics.types", base)
        if error:
            self.module.use("schematics.exceptions", "ConversionError")
        self.module.add(text)

    def _field(self, f: Field, record: Record) -> Bracketed:
        if f.name.startswith("_") or f.name in ("validate", "to_primitive"):
            raise Unsupported(f"a model has no field called {f.name} ({_MODELS})")
        if f.alias == "":
            raise Unsupported(f"an empty serialized_name is taken for none ({_TYPES})")
        options: list[Expression] = [] if f.alias is None else [f"serialized_name={literal(f.alias)}"]
        if f.required and not isinstance(f.type, Optional) and f.type != Scalar("any"):
            options.append("required=True")
        if isinstance(f.default, list | dict | set):
            if f.default:
                raise Unsupported(f"field {f.name}: no source for the default {f.default!r}; leave it out")
            options.append(f"default={type(f.default).__name__}")
        elif not f.required and f.default is not None:
            options.append(f"default={default_literal(f)}")
        return self.field(f.type, *options, inside=record)

    def field(self, type_: Type, *options: Expression, inside: Record | None = None) -> Bracketed:
        """The field of a type, in the definition of the model `inside`."""

        def inner(item: Type) -> Bracketed:
            if isinstance(item, Optional) and not (isinstance(item.item, Scalar) and item.item.kind in _PLAIN):
                raise Unsupported(f"a None among the items of a field is converted as the others are ({_TYPES})")
            return self.field(item, inside=inside)

        match type_:
            case Optional(item):
                return self.field(item, *options, inside=inside)
            case Scalar(kind) if kind in _CUSTOM:
                name = "BaseType" if kind in self.native else _CUSTOM[kind][0]
                if kind in self.native:
                    self.module.use("schematics.types", name)
                return call(name, *options)
            case Scalar(kind):
                name, *own = _SCALARS[kind]
                self.module.use("schematics.types", name)
                return call(name, *own, *options)
            case Enum(name):
                return call("EnumType", name, *options)
            case Set(item):
                return call("SetType", inner(item), *options)
            case List(item) | Map(item):
                name = "ListType" if isinstance(type_, List) else "DictType"
                self.module.use("schematics.types", name)
                return call(name, inner(item), *options)
            case Tuple(items):
                return call("TupleType", *(inner(item) for item in items), *options)
            case Ref(name):
                self.module.use("schematics.types", "ModelType")
                return call("ModelType", self._model(name, inside), *options)
            case Union(members, tag) if tag is not None:
                self.module.use("schematics.types", "PolyModelType")
                names = [self._model(m.record, inside) for m in members if isinstance(m, Ref)]
                claim = f"claim_function={self._claim(type_)}"
                return call("PolyModelType", Bracketed("[", tuple(names), "]"), claim, *options)
            case _:
                raise Unsupported(f"a UnionType tries its types in order and converts to the first that can ({_TYPES})")

    def _model(self, name: str, inside: Record | None) -> str:
        """The model, or its name where it is the one that is being defined."""
        order = [record.name for record in ordered_records(self.schema)]
        if inside is None or order.index(name) < order.index(inside.name):
            return name
        if name != inside.name:
            raise Unsupported(f"by its name, a model finds only itself, and {name} comes later ({_TYPES})")
        return literal(name)


LIBRARY = Library(
    name="schematics",
    summary="models of typed fields that convert and validate",
    docs=_DOCS,
    model="schematics",
    render=render,
    distributions=("schematics",),
    pins=("schematics==2.1.1",),
    unchecked=("import-untyped", "misc"),
    cannot={"build": f"a model is made of a mapping, not of keyword arguments ({_MODELS})"},
)
