"""msgspec: Structs compiled in C, with JSON and MessagePack codecs that know them.

- With its own codecs everything is direct: dates and UUIDs as text, bytes as base64 (JSON), a
  timedelta in ISO 8601, decimals as text.
- With another codec it converts to builtins (`to_builtins`) and back (`convert`), as its
  documentation shows for other protocols.
- Types are checked strictly while decoding.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, List, Optional, Record, Ref, Scalar, Schema, Type, Union
from serbench.source.expressions import Bracketed, Expression, Keyword, call
from serbench.source.layout import Module, class_block, lay_out
from serbench.source.models import (
    add_enums,
    annotation,
    assignment,
    field_lines,
    is_plain,
    literal,
    ordered_records,
    refuse_lookalikes,
)

_DOCS = "https://jcristharif.com/msgspec"
_KEPT = frozenset({"bytes", "datetime", "naive_datetime", "date", "time", "timedelta", "uuid", "decimal"})


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Structs, with a typed encoder and decoder or with conversions around a foreign codec."""
    for wire in (f.wire for record in schema.records for f in record.fields):
        if not is_plain(wire):
            raise Unsupported(f"msgspec renames no field to {wire!r} ({_DOCS}/structs.html#renaming-fields)")
    if variant == "array_like=True" and any(_is_array_or_record(t) for t in schema.types()):
        raise Unsupported(
            f"where records are arrays, a record and a list cannot be told apart ({_DOCS}/supported-types.html)"
        )
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.use("msgspec")
        module.add(_struct(module, schema, record, variant))
    type_ = annotation(schema.root, module)
    own = codec.name.partition("[")[0] == "msgspec" and bool(codec.decoder)
    use_codec(module, codec, type_ if own else "")
    if own or codec.format == "pickle":
        return Rendered(module, untyped=not own or isinstance(schema.root, Union | Optional))
    refuse_lookalikes(schema, frozenset(), "msgspec's unions")  # it asks the annotation, not the codec
    module.use("msgspec")
    encoded, decoded = (_builtin_types(module, schema, kinds) for kinds in (codec.encodes, codec.decodes))
    return Rendered(
        module,
        dump=lambda value: call("msgspec.to_builtins", value, *encoded),
        load=lambda value: call("msgspec.convert", value, type_, *decoded),
        untyped=isinstance(schema.root, Union | Optional),
    )


def _is_array_or_record(type_: Type) -> bool:
    """Whether it is an untagged union that has both."""
    if not isinstance(type_, Union) or type_.tag is not None:
        return False
    return any(isinstance(m, Ref) for m in type_.members) and any(isinstance(m, List) for m in type_.members)


def _struct(module: Module, schema: Schema, record: Record, variant: str) -> str:
    options = ["msgspec.Struct"]
    if record.name in schema.tags:
        options += [f"tag_field={literal(schema.tags[record.name])}", f"tag={literal(record.tag_value)}"]
    if variant != "default":
        options.append(variant)
    return class_block(
        [lay_out(Bracketed(f"class {record.name}(", tuple(options), "):"))],
        field_lines(module, schema, record, lambda f: _assigned(module, f)),
    )


def _assigned(module: Module, f: Field) -> Expression | None:
    name = () if f.alias is None else (f"name={literal(f.alias)}",)
    return assignment(module, f, "msgspec.field", "default_factory", *name)


def _builtin_types(module: Module, schema: Schema, kinds: frozenset[str]) -> list[Expression]:
    """The argument that leaves alone what the codec carries itself."""
    names = sorted({annotation(Scalar(kind), module) for kind in kinds & schema.features & _KEPT})
    return [Keyword("builtin_types=", Bracketed("(", tuple(names), ",)" if len(names) == 1 else ")"))] if names else []


LIBRARY = Library(
    name="msgspec",
    summary="Structs compiled in C, with codecs that know them",
    docs=_DOCS,
    model="struct",
    render=render,
    core=True,
    distributions=("msgspec",),
    variants={
        "gc=False": f"{_DOCS}/structs.html#disabling-garbage-collection",
        "array_like=True": f"{_DOCS}/structs.html#encoding-decoding-as-arrays",
    },
    recommended={"json": "msgspec", "msgpack": "msgspec"},
)
