"""Dataclasses and marshmallow schemas beside them, for every library that has marshmallow's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

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
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, lay_out
from serbench.source.models import Unsupported, generic, literal, ordered_records, root_name
from serbench.source.records import add_dataclasses

Step: TypeAlias = Callable[[str], Expression]

_SCALARS: dict[str, tuple[str, ...]] = {
    "str": ("String",),
    **dict.fromkeys(INTEGER_KINDS, ("Integer",)),
    "float": ("Float",),
    "bool": ("Boolean",),
    "datetime": ("AwareDateTime",),
    "naive_datetime": ("NaiveDateTime",),
    "date": ("Date",),
    "time": ("Time",),
    "timedelta": ("TimeDelta", 'precision="microseconds"'),
    "decimal": ("Decimal", "as_string=True"),
    "uuid": ("UUID",),
    "any": ("Raw", "allow_none=True"),
}
_RICH = {Scalar(kind) for kind in _SCALARS if kind not in ("str", *INTEGER_KINDS, "float", "bool", "any")}
_FIELDS = "https://marshmallow.readthedocs.io/en/stable/marshmallow.fields.html"


def field(type_: Type, defined: set[str], *options: Expression) -> Bracketed:
    """The field of a type with these options, `defined` being the records whose schemas stand above."""
    match type_:
        case Scalar(kind):
            name, *own = _SCALARS[kind]
            return call(f"fields.{name}", *own, *options)
        case Enum(name):
            return call("fields.Enum", name, "by_value=True", *options)
        case Optional(item):
            return field(item, defined, *none_allowed(item), *options)
        case List(item) | Set(item):
            return call("fields.List", field(item, defined), *options)
        case Tuple(items):
            parts = tuple(field(item, defined) for item in items)
            return call("fields.Tuple", Bracketed("(", parts, ",)" if len(parts) == 1 else ")"), *options)
        case Map(value):
            return call("fields.Dict", "keys=fields.String()", Keyword("values=", field(value, defined)), *options)
        case Ref(name):
            nested = f"{name}Schema" if name in defined else f"lambda: {name}Schema()"
            return call("fields.Nested", nested, *options)
        case _ if is_json(type_):
            return call("fields.Raw", *options)
        case _:
            raise Unsupported(f"marshmallow has no field for a union ({_FIELDS})")


def is_json(type_: Type) -> bool:
    """Whether a union is of JSON's own types, lists and maps of them, which a Raw field carries as they are."""
    return all(isinstance(t, Scalar | List | Map | Union) and t not in _RICH for t in walk(type_))


def none_allowed(item: Type) -> tuple[str, ...]:
    """The option with which a field takes None, which that of any JSON has already."""
    return () if item == Scalar("any") else ("allow_none=True",)


@dataclass(frozen=True)
class Dialect:
    """What one library writes in its own way.

    Attributes:
        docs: the documentation of its schemas.
        fields: the page on its fields.
        package: what `Schema`, `fields` and `post_load` are imported from.
        field: type, records whose schemas stand above and options → field.
        keys: the options that give a field's wire name.
        meta: the lines of each schema's `Meta`.
        further: what a `post_load` method takes beside the data.
        prepare: adds what the schemas need; raises Unsupported for a schema that the library cannot have.
    """

    docs: str
    fields: str
    package: str = "marshmallow"
    field: Callable[..., Bracketed] = field
    keys: tuple[str, ...] = ("data_key",)
    meta: tuple[str, ...] = ()
    further: tuple[str, ...] = ("**options: Any",)
    prepare: Callable[[Module, Schema], None] = lambda _, __: None

    @property
    def lacks(self) -> dict[str, str]:
        """Feature of a schema → why the library cannot carry it."""
        union = f"marshmallow has no field for a union ({self.fields})"
        return {
            "bytes": f"marshmallow has no field for bytes ({self.fields})",
            "tagged_union": union,
        }


def models(schema: Schema, dialect: Dialect) -> Module:
    """A module with dataclasses and a schema for each.

    Raises:
        Unsupported: the library has no field for something, or one name would hide another.
    """
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema)
    module.use(dialect.package, "Schema", "fields", "post_load")
    module.use("typing", "Any")
    dialect.prepare(module, schema)
    schemas = [f"{record.name}Schema" for record in schema.records]
    refuse_namesakes(schema, schemas)
    hidden = {"fields", "post_load", "dict", "Meta", *schemas, *(enum.name for enum in schema.enums)}
    defined: set[str] = set()
    for record in ordered_records(schema):
        if bad := [f.name for f in record.fields if f.name in hidden]:
            raise Unsupported(f"{record.name}: inside the schema, a field {bad[0]} would hide what is called so there")
        lines = _schema_lines(module, record, defined, dialect)
        module.add(class_block([f"class {record.name}Schema(Schema):"], lines))
        defined.add(record.name)
    return module


def document(schema: Schema, format_: str, docs: str) -> tuple[str, str]:
    """The record that the document is made of, and the schema object of the document.

    Raises:
        Unsupported: the document is neither a record nor a list of records, or pickle takes the dataclasses.
    """
    if format_ == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: marshmallow has no part in it")
    match schema.root:
        case List(Ref(name)):
            return name, f"{name}Schema(many=True)"
        case Ref(name):
            return name, f"{name}Schema()"
        case _:
            raise Unsupported(f"a document that is neither a record nor a list of records ({docs}/quickstart.html)")


def calls(schema: Schema, codec: str, result: str = "") -> tuple[Step, Step, Expression | None, Expression | None]:
    """The schema's `dump` and `load`, and its way to bytes and back where its own codec is used.

    `result` stands behind each call, as ".data" does where a call gives data and errors.
    """
    own = codec == "json"
    return (
        lambda value: Bracketed("schema.dump(", (value,), f"){result}"),
        lambda value: Bracketed("schema.load(", (value,), f"){result}"),
        Bracketed("schema.dumps(", (root_name(schema),), f"){result}.encode()") if own else None,
        Bracketed("schema.loads(", ("blob",), f"){result}") if own else None,
    )


def refuse_namesakes(schema: Schema, names: Iterable[str]) -> None:
    """Check that no class of the schema is called as one that the module has of its own.

    Raises:
        Unsupported: one is.
    """
    classes = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    for name in names:
        if name in classes:
            raise Unsupported(f"the module of its models has another {name}; give the class another name")


def _schema_lines(module: Module, record: Record, defined: set[str], dialect: Dialect) -> list[str]:
    lines = ["class Meta:", *(f"    {line}" for line in dialect.meta), ""] if dialect.meta else []
    for f in record.fields:
        if not _set_again(f) and any(isinstance(t, Set) for t in walk(f.type)):
            raise Unsupported(f"marshmallow has no field for a set inside of another container ({dialect.fields})")
        options = ["required=True"] if f.required else []
        options += [] if f.alias is None else [f"{key}={literal(f.alias)}" for key in dialect.keys]
        lines.append(lay_out(dialect.field(f.type, defined, *options), before=f"{f.name} = ", width=84))
    method = "make"
    while method in {f.name for f in record.fields}:
        method += "_"
    parameters = ("self", f"data: {generic(module, 'dict', 'str', 'Any')}", *dialect.further)
    head = lay_out(Bracketed(f"def {method}(", parameters, f") -> {record.name}:"), width=84)
    body = [line for f in record.fields for line in _set_again(f)]
    return [*lines, "", "@post_load", head, *body, f"    return {record.name}(**data)"]


def _set_again(f: Field) -> list[str]:
    """The lines that make a set of what a List field gives."""
    type_ = f.type.item if isinstance(f.type, Optional) else f.type
    if not isinstance(type_, Set):
        return []
    key = literal(f.name)
    always = type_ is f.type and f.required
    made = lay_out(call("set", f"data[{key}]"), 4 if always else 8, f"data[{key}] = ", width=84)
    return [made] if always else [f"    if data.get({key}) is not None:", made]
