"""Field objects, and schemas made of them beside dataclasses: marshmallow's interface, version 2 included."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from serbench.model.records import (
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Set,
    Type,
    Union,
    bare,
    kind_of,
    parts,
    walk,
)
from serbench.model.scalars import INTEGER_KINDS, JSON_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.source.models import Models, generic, helper_blocks
from serbench.render.source.module import Unsupported, block, literal, root_name, tuple_of

Entry: TypeAlias = "str | Unsupported | Callable[[FieldTable, Any], str]"
"""A template, a refusal to raise, or a function from the table and the type to the field."""

_ELSE = {
    **dict.fromkeys(INTEGER_KINDS, "int"),
    "records": "list",
    "late_records": "list",
    "late_record": "record",
    **dict.fromkeys(("tagged_union", "untagged_union"), "union"),
}


@dataclass(frozen=True)
class FieldTable:
    """Writes the field object of a type by a table: kind → template, refusal or function.

    - A kind is that of a scalar, or "enum", "optional", "list", "set", "tuple", "map", "record", "records" (a list of
      a record), "late_record" and "late_records" (the record is not yet in `Models.defined`), "tagged_union" or
      "untagged_union".
    - A kind that the table does not have is looked up as "int", "list", "record" or "union" if it is one of these,
      and then as "other".
    - In a template, `{}` stands for the name of the enum or record, or for the fields of the parts. The template of
      "optional" may also be an option of the item's field, or empty; any JSON takes None by itself.
    - A function is given the table and the type; what it returns is finished but for the options.
    - The first word of a field is added if it is a helper block, and otherwise imported from `package`, if there is one.
    """

    m: Models
    table: Mapping[str, Entry]
    package: str = ""

    def field(self, type_: Type, *options: str) -> str:
        """The field of a type, a call that gets the options as further arguments.

        Raises:
            Unsupported: the table refuses the type, or a part of it.
        """
        if isinstance(type_, Optional):
            entry = self.table["optional"]
            if type_.item == Scalar("any") or entry == "":
                return self.field(type_.item, *options)
            if isinstance(entry, str) and "{}" not in entry:
                return self.field(type_.item, entry, *options)
        entry = self._entry(type_)
        if isinstance(entry, Unsupported):
            raise Unsupported(*entry.args)  # a new one: each raise of the same would add to its traceback
        made = entry.replace("{}", self._inside(type_, entry)) if isinstance(entry, str) else entry(self, type_)
        word = re.split(r"\W", made, maxsplit=1)[0]
        if word in self.m.helpers:
            self.m.helper(word)
        elif self.package:
            self.m.use(self.package, word)
        if not options:
            return made
        return f"{made[:-1]}{'' if made.endswith('()') else ', '}{', '.join(options)})"

    def parts(self, type_: Type) -> list[str]:
        """The fields of the types that a type is directly made of."""
        return [self.field(part) for part in parts(type_)]

    def _entry(self, type_: Type) -> Entry:
        kind = self._kind(type_)
        for name in (kind, _ELSE.get(kind, kind)):
            if name in self.table:
                return self.table[name]
        return self.table["other"]

    def _kind(self, type_: Type) -> str:
        match type_:
            case Ref(name):
                return "record" if name in self.m.defined else "late_record"
            case List(Ref(name)):
                return "records" if name in self.m.defined else "late_records"
            case Union(_, tag):
                return "untagged_union" if tag is None else "tagged_union"
        return kind_of(type_)

    def _inside(self, type_: Type, template: str) -> str:
        match type_:
            case Enum(name) | Ref(name):
                return name
            case List(Ref(name)) if template != self.table.get("list"):
                return name
        return ", ".join(self.parts(type_)) if "{}" in template else ""


def named(template: str, **names: str) -> dict[str, Entry]:
    """Entries of a table for kinds whose fields differ in a name alone, which stands for the first `{}`."""
    return {kind: template.replace("{}", name, 1) for kind, name in names.items()}


@dataclass(frozen=True)
class FieldClass:
    """Writes the source of field classes that a library lacks.

    Attributes:
        base: what they derive from.
        load, dump: the parts of their methods behind `def`, such as "to_native(self, value: Any)".
        options: whether the base takes keyword arguments.
    """

    base: str
    load: str
    dump: str = ""
    options: bool = True

    def source(self, name: str, parameters: str, load: str, dump: str = "", base: str = "") -> str:
        """The class, whose `__init__` keeps its parameters; `load` is a method's body, `dump` the result of another."""
        kept = [f"self.{parameter} = {parameter}" for parameter in re.findall(r"(\w+):", parameters)]
        methods = []
        if parameters and self.options:
            kept = ["super().__init__(**options)", *kept]
            parameters += ", **options: Any"
        if parameters:
            methods.append(block(f"def __init__(self, {parameters}) -> None:", kept))
        methods.append(block(f"def {self.load} -> Any:", [load]))
        if dump:
            methods.append(block(f"def {self.dump} -> Any:", [f"return {dump}"]))
        return block(f"class {name}({base or self.base}):", ["\n\n".join(methods)])


def attempt(expression: str, errors: str, raised: str) -> str:
    """A body that returns the expression, and for these errors raises another."""
    return f"try:\n    return {expression}\nexcept {errors}:\n    raise {raised}"


_JSON = {Scalar(kind) for kind in JSON_KINDS | {"any"}}


def union_of_json(refusal: str) -> Callable[[FieldTable, Any], str]:
    """The entry of unions: those of JSON's own types, lists and maps of them are carried as they are by a Raw field."""

    def raw(_: FieldTable, union: Union) -> str:
        if all(isinstance(t, List | Map | Union) or t in _JSON for t in walk(union)):
            return "fields.Raw()"
        raise Unsupported(refusal)

    return raw


COMMON: Mapping[str, Entry] = {
    **named("fields.{}()", str="String", int="Integer", float="Float", bool="Boolean", date="Date", time="Time"),
    "timedelta": 'fields.TimeDelta(precision="microseconds")',
    "decimal": "fields.Decimal(as_string=True)",
    "uuid": "fields.UUID()",
    "any": "fields.Raw(allow_none=True)",
    "optional": "allow_none=True",
    "list": "fields.List({})",
    "set": "fields.List({})",
}
"""The fields that all generations have."""

_TABLE: Mapping[str, Entry] = {
    **COMMON,
    "datetime": "fields.AwareDateTime()",
    "naive_datetime": "fields.NaiveDateTime()",
    "enum": "fields.Enum({}, by_value=True)",
    "tuple": lambda fields, type_: f"fields.Tuple({tuple_of(fields.parts(type_))})",
    "map": "fields.Dict(keys=fields.String(), values={})",
    "record": "fields.Nested({}Schema)",
    "late_record": "fields.Nested(lambda: {}Schema())",
    "union": union_of_json(
        "marshmallow has no field for a union (https://marshmallow.readthedocs.io/en/stable/marshmallow.fields.html)"
    ),
}


@dataclass(frozen=True)
class Dialect:
    """The parts that one library writes in its own way.

    Attributes:
        docs: the documentation of its schemas.
        fields: the page on its fields.
        package: what `Schema`, `fields` and `post_load` are imported from.
        table: the fields of types.
        keys: the options that give a field's wire name.
        meta: the lines of each schema's `Meta`.
        further: what a `post_load` method takes beside the data.
        helpers: the classes of fields that `table` names.
        check: raises Unsupported for a schema that the library cannot have, or a codec that does not take what it gives.
        result: what stands behind each call, such as ".data" if a call gives data and errors.
        settings: variant → the module and the statement that set it.
    """

    docs: str
    fields: str
    package: str = "marshmallow"
    table: Mapping[str, Entry] = field(default_factory=lambda: _TABLE)
    keys: tuple[str, ...] = ("data_key",)
    meta: tuple[str, ...] = ()
    further: tuple[str, ...] = ("**options: Any",)
    helpers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    check: Callable[[Schema, Codec], None] = lambda _, __: None
    result: str = ""
    settings: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def lacks(self) -> dict[str, str]:
        """Feature of a schema → why the library cannot carry it."""
        missing = {"bytes": "bytes", "tagged_union": "a union"}
        return {feature: f"marshmallow has no field for {what} ({self.fields})" for feature, what in missing.items()}


def add_schemas(m: Models, dialect: Dialect, native: frozenset[str]) -> str:
    """Add dataclasses and a schema for each, with Raw fields for `native` kinds; return the schema object of the document.

    Raises:
        Unsupported: the library has no field for something, or the document is neither a record nor a list of records.
    """
    root = document(m, dialect.docs)
    m.dataclasses()
    m.use(dialect.package, "Schema", "fields", "post_load")
    m.use("typing", "Any")
    m.helpers = dialect.helpers
    m.emit_helpers()
    fields = FieldTable(m, {**dialect.table, **dict.fromkeys(native, "fields.Raw()")})
    for record in m.records(dialect.fields, reserved={"Meta", *(enum.name for enum in m.schema.enums)}):
        m.define(f"class {record.name}Schema(Schema):", _schema_lines(fields, record, dialect))
    return root


def document(m: Models, docs: str) -> str:
    """The schema object of the document.

    Raises:
        Unsupported: the document is neither a record nor a list of records.
    """
    if not m.root_record:
        raise Unsupported(f"the document is neither a record nor a list of records ({docs}/quickstart.html)")
    return f"{m.root_record}Schema({'many=True' if m.many else ''})"


def calls(schema: Schema, codec: str, result: str = "") -> tuple[str, str, str, str]:
    """The schema's `dump` and `load`, and its way to bytes and back if its own codec is used.

    `result` stands behind each call, such as ".data" if a call gives data and errors.
    """
    by_json = codec == "json"
    return (
        f"schema.dump({{}}){result}",
        f"schema.load({{}}){result}",
        f"schema.dumps({root_name(schema)}){result}.encode()" if by_json else "",
        f"schema.loads(blob){result}" if by_json else "",
    )


def _schema_lines(fields: FieldTable, record: Record, dialect: Dialect) -> list[str]:
    lines = ["class Meta:", *(f"    {line}" for line in dialect.meta), ""] if dialect.meta else []
    for f in record.fields:
        if not _set_again(f) and any(isinstance(t, Set) for t in walk(f.type)):
            raise Unsupported(f"marshmallow has no field for a set inside another container ({dialect.fields})")
        options = ["required=True"] if f.required else []
        options += [] if f.alias is None else [f"{key}={literal(f.alias)}" for key in dialect.keys]
        lines.append(f"{f.name} = {fields.field(f.type, *options)}")
    method = "make"
    while method in {f.name for f in record.fields}:
        method += "_"
    parameters = ", ".join(("self", f"data: {generic(fields.m, 'dict', 'str', 'Any')}", *dialect.further))
    body = [line for f in record.fields for line in _set_again(f)]
    made = block(f"def {method}({parameters}) -> {record.name}:", [*body, f"return {record.name}(**data)"])
    return [*lines, "", "@post_load", made]


def _set_again(f: Field) -> list[str]:
    type_ = bare(f.type)
    if not isinstance(type_, Set):
        return []
    key = literal(f.name)
    made = f"data[{key}] = set(data[{key}])"
    return [made] if type_ is f.type and f.required else [f"if data.get({key}) is not None:", f"    {made}"]


_DOCS = "https://marshmallow.readthedocs.io/en/2.x-line"
_LOAD_FROM = f"{_DOCS}/quickstart.html#specifying-deserialization-keys"
_NAIVE = "%Y-%m-%dT%H:%M:%S.%f"


def _schema(fields: FieldTable, name: str) -> str:
    """A schema, by its whole name if it stands below: another module may have one that is called so."""
    return f"{name}Schema" if name in fields.m.defined else f'f"{{__name__}}.{name}Schema"'


def _many(fields: FieldTable, list_: List) -> str:
    assert isinstance(list_.item, Ref)
    return f"fields.Nested({_schema(fields, list_.item.record)}, many=True)"


_MARSHMALLOW2_TABLE: Mapping[str, Entry] = {
    **COMMON,
    "datetime": "fields.LocalDateTime()",
    "naive_datetime": f'fields.DateTime(format="{_NAIVE}")',
    "enum": "EnumField({})",
    "tuple": "TupleField({})",
    "map": "MapField({})",
    "record": lambda fields, ref: f"fields.Nested({_schema(fields, ref.record)})",
    **dict.fromkeys(("records", "late_records"), _many),
    "union": union_of_json(
        f"marshmallow 2 has no field for a union ({_DOCS}/api_reference.html#module-marshmallow.fields)"
    ),
}
# a nested schema takes `ordered` from what its field stands in
_CLASSES = [
    """class EnumField(fields.Field):
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
    """class MapField(fields.Field):
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
    """class TupleField(fields.Field):
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
]


def check(schema: Schema, codec: Codec) -> None:
    """Check that the codec takes what ordered schemas give, and that no name hides another."""
    if "dict" in codec.objects.exact:
        raise Unsupported(
            f"ordered schemas return OrderedDicts, but {codec.name} accepts only dicts ({_DOCS}/quickstart.html#ordering-output)"
        )
    for record in schema.records:
        wires = {f.wire for f in record.fields}
        for f in record.fields:
            if f.alias == "":
                raise Unsupported(f"{record.name}: an empty load_from is taken for none ({_LOAD_FROM})")
            if f.alias is not None and f.name in wires:
                raise Unsupported(
                    f"{record.name}: load_from is used only if the key {f.name} is absent, but another field has that key "
                    f"({_LOAD_FROM})"
                )


def dialect(*meta: str, decimal: str = "", settings: Mapping[str, tuple[str, str]] | None = None) -> Dialect:
    """The dialect of the second generation: strict, and ordered so that bytes are the same in each process.

    `meta` holds further lines of `Meta`, `decimal` the source of a class DecimalField if the library's own does not
    suffice.
    """
    return Dialect(
        _DOCS,
        f"{_DOCS}/api_reference.html#module-marshmallow.fields",
        table={**_MARSHMALLOW2_TABLE, "decimal": "DecimalField()"} if decimal else _MARSHMALLOW2_TABLE,
        keys=("load_from", "dump_to"),
        meta=(*meta, "ordered = True", "strict = True"),
        further=(),
        helpers=helper_blocks([decimal, *_CLASSES] if decimal else _CLASSES, "marshmallow:ValidationError"),
        check=check,
        result=".data",
        settings=settings or {},
    )
