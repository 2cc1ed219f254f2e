"""pydantic: models that validate and coerce, with a core in Rust that reads and writes JSON itself.

- Its own JSON has dates and times in ISO 8601, a timedelta as an ISO 8601 duration, UUIDs and
  decimals as text, bytes as URL-safe base64, an enum as its value.
- With another codec, `dump_python` gives Python values where the codec encodes all that the schema
  has, and the same forms as JSON (`mode="json"`) otherwise; `validate_python` takes both back.
- Bytes beside such types stay bytes for MessagePack, the codec's hook (`to_jsonable_python`) doing the rest.
- Bytes do not come back from base64 by way of `validate_python`; a strict model takes only exact types there.
- A tag is a Literal field, the discriminator of its union.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, Record, Ref, Scalar, Schema, Set, Union
from serbench.schema.types import walk
from serbench.source.by_hand import TEXT_KINDS
from serbench.source.expressions import Expression, call
from serbench.source.layout import Module, class_block, lay_out, parsed
from serbench.source.models import (
    add_enums,
    annotation,
    assignment,
    field_lines,
    literal,
    ordered_records,
    root_name,
    tag_field,
)

_DOCS = "https://docs.pydantic.dev/latest"
_BYTES = f"{_DOCS}/api/config/#pydantic.config.ConfigDict.val_json_bytes"
_STRICT = f"{_DOCS}/concepts/conversion_table/"
_RICH = TEXT_KINDS | {"enum", "set"}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models and a TypeAdapter, direct or around a foreign codec."""
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    strict = variant == "strict"
    for record in ordered_records(schema):
        module.add(_model(module, schema, record, strict))
    use_codec(module, codec)
    if codec.format == "pickle":
        return Rendered(module, untyped=True)
    type_ = annotation(schema.root, module, lambda union, members: _tagged(module, schema, union, members))
    module.use("pydantic", "TypeAdapter")
    module.state(
        lay_out(call("TypeAdapter", parsed(type_), *_root_config(module, schema, strict)), before="adapter = ")
    )
    if codec.name == "pydantic":
        name = root_name(schema)
        return Rendered(
            module,
            encode=call("adapter.dump_json", name),
            decode=call("adapter.validate_json", "blob"),
        )
    _refuse_foreign(schema, codec, strict)
    hook: tuple[str, ...] = ()
    mode: tuple[str, ...] = ()
    if schema.features & _RICH - codec.encodes:
        if "bytes" in schema.features:
            hook = (_hook(module, schema, codec),)
        else:
            mode = ('mode="json"',)
    return Rendered(
        module,
        dump=lambda value: call("adapter.dump_python", value, *mode),
        load=lambda value: call("adapter.validate_python", value),
        options=hook,
    )


def _hook(module: Module, schema: Schema, codec: Codec) -> str:
    """The way to the codec that leaves bytes alone, which `mode="json"` would not."""
    if not codec.default or Set(Scalar("bytes")) in schema.types():
        raise Unsupported(
            f"beside types that {codec.name} lacks, bytes become text, which is not taken back ({_BYTES})"
        )
    module.use("pydantic_core", "to_jsonable_python")
    return f"{codec.default}=to_jsonable_python"


def _model(module: Module, schema: Schema, record: Record, strict: bool) -> str:
    def assigned(f: Field) -> Expression | None:
        alias = () if f.alias is None else (f"alias={literal(f.alias)}",)
        return assignment(module, f, "pydantic:Field", "default_factory", *alias)

    if bad := [f.name for f in record.fields if f.name.startswith("_")]:
        raise Unsupported(f"pydantic takes {bad[0]} for a private attribute ({_DOCS}/concepts/models/)")
    tag = [tag_field(schema, record)] if record.name in schema.tags else []
    options = ["strict=True"] if strict else []
    if any(f.alias is not None for f in (*record.fields, *tag)):
        options += ["validate_by_name=True", "validate_by_alias=True", "serialize_by_alias=True"]
    if Scalar("bytes") in (t for f in record.fields for t in walk(f.type)):
        options += ['ser_json_bytes="base64"', 'val_json_bytes="base64"']
    lines = []
    module.use("pydantic", "BaseModel")
    if options:
        module.use("pydantic", "ConfigDict")
        lines = [lay_out(call("ConfigDict", *options), before="model_config = ", width=84), ""]
    lines += field_lines(
        module,
        schema,
        record,
        assigned,
        tag=True,
        tagged=lambda union, members: _tagged(module, schema, union, members),
    )
    return class_block([f"class {record.name}(BaseModel):"], lines)


def _tagged(module: Module, schema: Schema, union: Union, members: str) -> str:
    module.use("pydantic", "Field")
    module.use("typing", "Annotated")
    names = {tag_field(schema, schema.record(m.record)).name for m in union.members if isinstance(m, Ref)}
    return f"Annotated[{members}, Field(discriminator={literal(min(names))})]"


def _root_config(module: Module, schema: Schema, strict: bool) -> list[Expression]:
    """The configuration of what the document holds outside its models."""
    outside = [t for t in walk(schema.root) if not isinstance(t, Ref)]
    options = ["strict=True"] if strict and any(isinstance(t, Scalar) for t in outside) else []
    if Scalar("bytes") in outside:
        options += ['ser_json_bytes="base64"', 'val_json_bytes="base64"']
    if options:
        module.use("pydantic", "ConfigDict")
    return [call("config=ConfigDict", *options)] if options else []


def _refuse_foreign(schema: Schema, codec: Codec, strict: bool) -> None:
    foreign = schema.features - codec.decodes
    if "bytes" in foreign:
        raise Unsupported(f"validate_python does not decode base64; only pydantic's own JSON does ({_BYTES})")
    if strict and (inexact := foreign & (_RICH | {"tuple"})):
        raise Unsupported(
            f"in strict mode it takes {min(inexact)} only as itself, which {codec.name} does not give ({_STRICT})"
        )


LIBRARY = Library(
    name="pydantic",
    summary="models that validate and coerce, with a core in Rust",
    docs=_DOCS,
    model="pydantic",
    render=render,
    core=True,
    distributions=("pydantic",),
    modules=("pydantic", "pydantic_core"),
    versions=">=2",
    variants={"strict": f"{_DOCS}/concepts/strict_mode/"},
    recommended={"json": "pydantic"},
)
