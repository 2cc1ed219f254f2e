"""marshmallow: schemas beside the classes, whose fields validate and convert one by one.

- Dates and times are ISO 8601, UUIDs and decimals text, an enum its value, a timedelta its
  microseconds (in another unit the float loses some).
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field, and so is a union of JSON's own types.
- With the standard library's json the schema has `dumps` and `loads` itself; other codecs go around
  `dump` and `load`.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Enum, Field, List, Map, Optional, Record, Ref, Scalar, Schema, Set, Tuple, Type, Union
from serbench.schema.types import walk
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, lay_out
from serbench.source.models import literal, ordered_records, root_name
from serbench.source.records import add_dataclasses

_DOCS = "https://marshmallow.readthedocs.io/en/stable"
_FIELDS = f"{_DOCS}/marshmallow.fields.html"
_SCALARS: dict[str, tuple[str, ...]] = {
    "str": ("String",),
    "int": ("Integer",),
    "bigint": ("Integer",),
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
_RICH = {Scalar(kind) for kind in _SCALARS if kind not in ("str", "int", "bigint", "float", "bool", "any")}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a schema for each, and the schema of the document."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: marshmallow has no part in it")
    match schema.root:
        case List(Ref(name)):
            root = f"{name}Schema(many=True)"
        case Ref(name):
            root = f"{name}Schema()"
        case _:
            raise Unsupported(f"a document that is neither a record nor a list of records ({_DOCS}/quickstart.html)")
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema)
    module.use("marshmallow", "Schema", "fields", "post_load")
    module.use("typing", "Any")
    defined: set[str] = set()
    for record in ordered_records(schema):
        module.add(class_block([f"class {record.name}Schema(Schema):"], _schema_lines(record, defined)))
        defined.add(record.name)
    use_codec(module, codec)
    module.state(f"schema = {root}")
    own = codec.name == "json"
    text = call("schema.dumps", root_name(schema))
    return Rendered(
        module,
        dump=lambda value: call("schema.dump", value),
        load=lambda value: call("schema.load", value),
        encode=Bracketed(text.opening, text.items, ").encode()") if own else None,
        decode=call("schema.loads", "blob") if own else None,
        untyped=True,
    )


def _schema_lines(record: Record, defined: set[str]) -> list[str]:
    lines = []
    for f in record.fields:
        if f.name in ("fields", "post_load"):
            raise Unsupported(f"{record.name}: inside the schema, a field {f.name} would hide marshmallow's own")
        if not _set_again(f) and any(isinstance(t, Set) for t in walk(f.type)):
            raise Unsupported(f"marshmallow has no field for a set inside of another container ({_FIELDS})")
        options = ["required=True"] if f.required else []
        options += [] if f.alias is None else [f"data_key={literal(f.alias)}"]
        lines.append(lay_out(_field(f.type, defined, *options), before=f"{f.name} = ", width=84))
    head = f"def make(self, data: dict[str, Any], **options: Any) -> {record.name}:"
    body = [line for f in record.fields for line in _set_again(f)]
    return [*lines, "", "@post_load", head, *body, f"    return {record.name}(**data)"]


def _set_again(f: Field) -> list[str]:
    """The lines that make a set of what a List field gives."""
    type_ = f.type.item if isinstance(f.type, Optional) else f.type
    if not isinstance(type_, Set):
        return []
    key = literal(f.name)
    made = f"data[{key}] = set(data[{key}])"
    if type_ is f.type and f.required:
        return [f"    {made}"]
    return [f"    if data.get({key}) is not None:", f"        {made}"]


def _field(type_: Type, defined: set[str], *options: Expression) -> Bracketed:
    match type_:
        case Scalar(kind):
            name, *own = _SCALARS[kind]
            return call(f"fields.{name}", *own, *options)
        case Enum(name):
            return call("fields.Enum", name, "by_value=True", *options)
        case Optional(item):
            return _field(item, defined, *(() if item == Scalar("any") else ("allow_none=True",)), *options)
        case List(item) | Set(item):
            return call("fields.List", _field(item, defined), *options)
        case Tuple(items):
            parts = tuple(_field(item, defined) for item in items)
            return call("fields.Tuple", Bracketed("(", parts, ",)" if len(parts) == 1 else ")"), *options)
        case Map(value):
            return call("fields.Dict", "keys=fields.String()", Keyword("values=", _field(value, defined)), *options)
        case Ref(name):
            nested = f"{name}Schema" if name in defined else f"lambda: {name}Schema()"
            return call("fields.Nested", nested, *options)
        case _ if all(isinstance(t, Scalar | List | Map | Union) and t not in _RICH for t in walk(type_)):
            return call("fields.Raw", *options)
        case _:
            raise Unsupported(f"marshmallow has no field for a union ({_FIELDS})")


LIBRARY = Library(
    name="marshmallow",
    summary="schemas beside the classes, whose fields validate and convert",
    docs=_DOCS,
    model="dataclass",
    render=render,
    core=True,
    distributions=("marshmallow",),
    versions=">=4",
    lacks={
        "bytes": f"marshmallow has no field for bytes ({_FIELDS})",
        "tagged_union": f"marshmallow has no field for a union ({_FIELDS})",
    },
)
