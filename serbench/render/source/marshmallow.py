"""Dataclasses and marshmallow schemas beside them, for every library that has marshmallow's interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.model.types import List, Map, Optional, Set, Union, walk
from serbench.render.source.annotations import generic
from serbench.render.source.fields import Entry, FieldTable, named
from serbench.render.source.models import Models
from serbench.render.source.module import Unsupported, block, literal, tuple_of
from serbench.render.source.names import root_name

_JSON = {Scalar(kind) for kind in ("str", *INTEGER_KINDS, "float", "bool", "any")}


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
        check: raises Unsupported for a schema that the library cannot have.
    """

    docs: str
    fields: str
    package: str = "marshmallow"
    table: Mapping[str, Entry] = field(default_factory=lambda: _TABLE)
    keys: tuple[str, ...] = ("data_key",)
    meta: tuple[str, ...] = ()
    further: tuple[str, ...] = ("**options: Any",)
    helpers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    check: Callable[[Schema], None] = lambda _: None

    @property
    def lacks(self) -> dict[str, str]:
        """Feature of a schema → why the library cannot carry it."""
        missing = {"bytes": "bytes", "tagged_union": "a union"}
        return {feature: f"marshmallow has no field for {what} ({self.fields})" for feature, what in missing.items()}


def add_schemas(m: Models, dialect: Dialect, native: frozenset[str]) -> str:
    """Add dataclasses and a schema for each, with Raw fields for `native` kinds; return the schema object of the document.

    Raises:
        Unsupported: the library has no field for something, one name would hide another, or the document is
            neither a record nor a list of records.
    """
    root = document(m, dialect.docs)
    m.dataclasses()
    m.use(dialect.package, "Schema", "fields", "post_load")
    m.use("typing", "Any")
    dialect.check(m.schema)
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
    type_ = f.type.item if isinstance(f.type, Optional) else f.type
    if not isinstance(type_, Set):
        return []
    key = literal(f.name)
    made = f"data[{key}] = set(data[{key}])"
    return [made] if type_ is f.type and f.required else [f"if data.get({key}) is not None:", f"    {made}"]
