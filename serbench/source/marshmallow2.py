"""Schemas as marshmallow 2 has them, with the field classes that its later generations bring themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from serbench.schema import INTEGER_KINDS, Enum, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type
from serbench.source.layout import Bracketed, Expression, Module, call
from serbench.source.marshmallow import Dialect, is_json, none_allowed, refuse_namesakes
from serbench.source.models import Unsupported

_DOCS = "https://marshmallow.readthedocs.io/en/2.x-line"
_LOAD_FROM = f"{_DOCS}/quickstart.html#specifying-deserialization-keys"
_NAIVE = "%Y-%m-%dT%H:%M:%S.%f"
_SCALARS: Mapping[str, tuple[str, ...]] = {
    "str": ("fields.String",),
    **dict.fromkeys(INTEGER_KINDS, ("fields.Integer",)),
    "float": ("fields.Float",),
    "bool": ("fields.Boolean",),
    "datetime": ("fields.LocalDateTime",),
    "naive_datetime": ("fields.DateTime", f'format="{_NAIVE}"'),
    "date": ("fields.Date",),
    "time": ("fields.Time",),
    "timedelta": ("fields.TimeDelta", 'precision="microseconds"'),
    "decimal": ("fields.Decimal", "as_string=True"),
    "uuid": ("fields.UUID",),
    "any": ("fields.Raw", "allow_none=True"),
}
# feature → the class of its field; a nested schema takes `ordered` from what its field stands in
_CLASSES: Mapping[str, str] = {
    "enum": """class EnumField(fields.Field):
    def __init__(self, enum: Any, **options: Any) -> None:
        super().__init__(**options)
        self.enum = enum

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        return None if value is None else value.value

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        try:
            return self.enum(value)
        except ValueError as error:
            raise ValidationError("Not a valid choice.") from error""",
    "tuple": """class TupleField(fields.Field):
    ordered = True

    def __init__(self, *items: fields.Field, **options: Any) -> None:
        super().__init__(**options)
        self.items = items
        for item in items:
            item.parent = self

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        if value is None:
            return None
        pairs = zip(self.items, value)
        return [item._serialize(part, attr, obj) for item, part in pairs]

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.items):
            raise ValidationError("Not a valid tuple.")
        return tuple(item.deserialize(part) for item, part in zip(self.items, value))""",
    "map": """class MapField(fields.Field):
    ordered = True

    def __init__(self, item: fields.Field, **options: Any) -> None:
        super().__init__(**options)
        self.item = item
        item.parent = self

    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        if value is None:
            return None
        dump = self.item._serialize
        return {key: dump(part, attr, obj) for key, part in value.items()}

    def _deserialize(self, value: Any, attr: str, data: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Not a valid mapping.")
        return {key: self.item.deserialize(part) for key, part in value.items()}""",
}


def _field(scalars: Mapping[str, tuple[str, ...]], type_: Type, defined: set[str], *options: Expression) -> Bracketed:
    """The field of a type with these options, `defined` being the records whose schemas stand above."""
    field = partial(_field, scalars)
    match type_:
        case Scalar(kind):
            return call(*scalars[kind], *options)
        case Enum(name):
            return call("EnumField", name, *options)
        case Optional(item):
            return field(item, defined, *none_allowed(item), *options)
        case List(Ref(name)):
            return call("fields.Nested", _schema_of(name, defined), "many=True", *options)
        case List(item) | Set(item):
            return call("fields.List", field(item, defined), *options)
        case Tuple(items):
            return call("TupleField", *(field(item, defined) for item in items), *options)
        case Map(value):
            return call("MapField", field(value, defined), *options)
        case Ref(name):
            return call("fields.Nested", _schema_of(name, defined), *options)
        case _ if is_json(type_):
            return call("fields.Raw", *options)
        case _:
            raise Unsupported(
                f"marshmallow 2 has no field for a union ({_DOCS}/api_reference.html#module-marshmallow.fields)"
            )


def _schema_of(name: str, defined: set[str]) -> str:
    """A schema, by its whole name where it stands below: another module may have one that is called so."""
    return f"{name}Schema" if name in defined else f'f"{{__name__}}.{name}Schema"'


def _prepare(classes: Mapping[str, str], module: Module, schema: Schema) -> None:
    """Add the field classes that the schema needs.

    Raises:
        Unsupported: a wire name that is not found again, or a class called as one of them.
    """
    for record in schema.records:
        _check_wire_names(record)
    needed = sorted(schema.features & classes.keys())
    refuse_namesakes(schema, (f"{feature.title()}Field" for feature in needed))
    for feature in needed:
        module.add(classes[feature])
        if "ValidationError" in classes[feature]:
            module.use("marshmallow", "ValidationError")


def _check_wire_names(record: Record) -> None:
    wires = {f.wire for f in record.fields}
    for f in record.fields:
        if f.alias == "":
            raise Unsupported(f"{record.name}: an empty load_from is taken for none ({_LOAD_FROM})")
        if f.alias is not None and f.name in wires:
            raise Unsupported(
                f"{record.name}: load_from is looked at only where no key {f.name} is found, and there is one ({_LOAD_FROM})"
            )


def refuse_exact(codec: str, exact: frozenset[str]) -> None:
    """Check that the codec, which takes no subclasses of those in `exact`, takes what ordered schemas give.

    Raises:
        Unsupported: it does not.
    """
    if "dict" in exact:
        raise Unsupported(
            f"ordered schemas give OrderedDicts, and {codec} takes dicts alone ({_DOCS}/quickstart.html#ordering-output)"
        )


def dialect(*meta: str, decimal: str = "") -> Dialect:
    """The dialect of the second generation: strict, and ordered so that bytes are the same in each process.

    `meta` holds further lines of `Meta`, `decimal` the source of a class DecimalField where the library's own will not do.
    """
    scalars = {**_SCALARS, "decimal": ("DecimalField",)} if decimal else _SCALARS
    classes = {**_CLASSES, "decimal": decimal} if decimal else _CLASSES
    return Dialect(
        _DOCS,
        f"{_DOCS}/api_reference.html#module-marshmallow.fields",
        field=partial(_field, scalars),
        keys=("load_from", "dump_to"),
        meta=(*meta, "ordered = True", "strict = True"),
        further=(),
        prepare=partial(_prepare, classes),
    )
