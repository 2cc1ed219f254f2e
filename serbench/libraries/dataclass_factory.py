"""dataclass-factory: parsers and serializers made for each type, for dataclasses; adaptix has followed it.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value, as it has them.
- Bytes are base64 by a schema of their own, unless the codec carries them.
- A wire name stands in the schema of its class; a tag is a Literal field, by which the parser of the
  right member is found among those that are tried.
- Types are annotated with Optional and Union, because it does not know the operator `|`.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, Field, Record, Ref, Scalar, Schema, Union
from serbench.source.by_hand import from_text, to_text
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, lay_out, parsed
from serbench.source.models import annotation, literal, tag_field
from serbench.source.records import add_dataclasses

_DOCS = "https://dataclass-factory.readthedocs.io/en/latest"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a factory, and the parser and serializer of the document."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: dataclass-factory has no part in it")
    for union in schema.types():
        if isinstance(union, Union) and union.tag is None:
            _refuse_empty(schema, union)
            for member in union.members[:-1]:
                if isinstance(member, Scalar) and member.kind in (*INTEGER_KINDS, "float", "bool"):
                    raise Unsupported(f"it makes {annotation(member, Module())} of what is none ({_DOCS}/types.html)")
    module = Module(future="recursion" in schema.features)
    module.python = min(module.python, (3, 9))
    add_dataclasses(module, schema, tag=True)
    use_codec(module, codec)
    schemas = [entry for record in schema.records for entry in _names(schema, record)]
    if "bytes" in schema.features:
        schemas.append(_bytes(module, codec))
    module.use("dataclass_factory", "Factory", *(["Schema"] if schemas else []))
    options = (Keyword("schemas=", Bracketed("{", tuple(schemas), "}")),) if schemas else ()
    module.state(lay_out(call("Factory", *options), before="factory = "))
    type_ = parsed(annotation(schema.root, module))
    module.state(lay_out(call("factory.parser", type_), before="parse = "))
    module.state(lay_out(call("factory.serializer", type_), before="serialize = "))
    return Rendered(
        module, dump=lambda value: call("serialize", value), load=lambda value: call("parse", value), untyped=False
    )


def _refuse_empty(schema: Schema, union: Union) -> None:
    """Check that no member is a record that any list is made."""
    for record in (schema.record(member.record) for member in union.members if isinstance(member, Ref)):
        if not any(f.required for f in record.fields):
            raise Unsupported(
                f"it makes a {record.name}, all of whose fields may be absent, of any list ({_DOCS}/types.html)"
            )


def _names(schema: Schema, record: Record) -> list[Keyword]:
    """The schema of a class whose wire names are not what the factory makes of its fields' names."""
    tag: list[Field] = [tag_field(schema, record)] if record.name in schema.tags else []
    entries: list[Expression] = [
        Keyword(f"{literal(f.name)}: ", literal(f.wire))
        for f in (*record.fields, *tag)
        if f.alias is not None or f.name.startswith("_") or f.name.endswith("_")
    ]
    if not entries:
        return []
    made = call("Schema", Keyword("name_mapping=", Bracketed("{", tuple(entries), "}")))
    return [Keyword(f"{record.name}: ", made)]


def _bytes(module: Module, codec: Codec) -> Keyword:
    if "bytes" in codec.decodes:
        same = "lambda value: value"
        return Keyword("bytes: ", call("Schema", f"parser={same}", f"serializer={same}"))
    parser, serializer = from_text(module, "bytes")[1], to_text(module, "bytes")[1]
    return Keyword("bytes: ", call("Schema", f"parser={parser}", f"serializer={serializer}"))


LIBRARY = Library(
    name="dataclass-factory",
    summary="parsers and serializers made for each type, before adaptix",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("dataclass-factory",),
    modules=("dataclass_factory",),
    pins=("dataclass-factory==2.16",),
    unchecked=("UP007", "UP045"),
)
