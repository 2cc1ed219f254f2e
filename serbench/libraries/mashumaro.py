"""mashumaro: code generated for each type, for dataclasses and whatever they hold.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value;
  bytes are base64, and themselves with its own MessagePack codec.
- It has codecs of its own for json, orjson and msgpack; with any other, its BasicEncoder and
  BasicDecoder go around the codec.
- A tag is a Literal field, the discriminator of its union.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, List, Record, Ref, Schema, Union
from serbench.schema.types import walk
from serbench.source.expressions import Bracketed, Expression, Keyword, call
from serbench.source.layout import Module, class_block, lay_out, parsed
from serbench.source.models import annotation, literal, refuse_lookalikes, root_name, tag_field
from serbench.source.records import add_dataclasses

_DOCS = "https://mashumaro.io/#/docs"
# (format, codec) → the module of its own codec, and the names of its classes
_OWN = {
    ("json", "json"): ("mashumaro.codecs.json", "JSON"),
    ("json", "orjson"): ("mashumaro.codecs.orjson", "ORJSON"),
    ("msgpack", "msgpack"): ("mashumaro.codecs.msgpack", "MessagePack"),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, with an encoder and a decoder for the whole document."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: mashumaro has no part in it")
    source, prefix = _OWN.get((codec.format, codec.name), ("mashumaro.codecs.basic", "Basic"))
    if variant != "default" and prefix in ("ORJSON", "MessagePack"):
        raise Unsupported(f"its {codec.name} codec copies no list or dict as it is ({_DOCS}/dialects)")
    for key in (*schema.tags.values(), *(f.wire for record in schema.records for f in record.fields)):
        if not key:
            raise Unsupported(f"mashumaro takes an alias without a character for none ({_DOCS})")
        if not key.isprintable() or set(key) & set("'\"\\"):
            raise Unsupported(
                f"mashumaro puts names into the code it makes as they are, and {key!r} would end a string"
            )
    if any(isinstance(t, Union) and t.tag is None and not _is_told_apart(t) for t in schema.types()):
        raise Unsupported(
            f"it takes the first member of a union that does not fail, and here that is another ({_DOCS})"
        )
    refuse_lookalikes(schema, codec.decodes & {"bytes"}, "mashumaro")  # it makes text of whatever is not JSON's
    module = Module(future="recursion" in schema.features)
    _add_models(module, schema)
    type_ = annotation(schema.root, module, lambda union, members: _tagged(module, schema, union, members))
    dialect = []
    if variant != "default":
        module.use("mashumaro.dialect", "Dialect")
        module.add(class_block(["class NoCopy(Dialect):"], ["no_copy_collections = (list, dict)"]))
        dialect = ["default_dialect=NoCopy"]
    use_codec(module, replace(codec, imports=(), encoder="", decoder="") if prefix != "Basic" else codec)
    names = ("models_encoder", "models_decoder") if prefix == "Basic" and codec.encoder else ("encoder", "decoder")
    for name, kind in zip(names, ("Encoder", "Decoder"), strict=True):
        module.use(source, f"{prefix}{kind}")
        module.state(lay_out(call(f"{prefix}{kind}", parsed(type_), *dialect), before=f"{name} = "))
    if prefix == "Basic":
        return Rendered(
            module,
            dump=lambda value: call(f"{names[0]}.encode", value),
            load=lambda value: call(f"{names[1]}.decode", value),
        )
    encode = call("encoder.encode", root_name(schema))
    if prefix == "JSON":
        encode = Bracketed(encode.opening, encode.items, ").encode()")
    return Rendered(module, encode=encode, decode=call("decoder.decode", "blob"))


def _is_told_apart(union: Union) -> bool:
    """Whether no member takes a value of a later one: a list takes texts and dicts, scalars take all there is."""
    members = union.members
    if any(isinstance(t, Ref) for member in members for t in walk(member)):
        return len(members) == 2 and isinstance(members[0], Ref)
    return not any(isinstance(member, List) for member in members[:-1])


def _add_models(module: Module, schema: Schema) -> None:
    def options(f: Field) -> tuple[Expression, ...]:
        if f.alias is None:
            return ()
        module.use("mashumaro", "field_options")
        return (Keyword("metadata=", call("field_options", f"alias={literal(f.alias)}")),)

    def inside(record: Record) -> list[str]:
        tag = [tag_field(schema, record)] if record.name in schema.tags else []
        if all(f.alias is None for f in (*record.fields, *tag)):
            return []
        module.use("mashumaro.config", "BaseConfig")
        return ["", "class Config(BaseConfig):", "    serialize_by_alias = True"]

    def tagged(union: Union, members: str) -> str:
        return _tagged(module, schema, union, members)

    add_dataclasses(module, schema, tag=True, tagged=tagged, options=options, inside=inside)


def _tagged(module: Module, schema: Schema, union: Union, members: str) -> str:
    """The union with its discriminator, which finds the tag by the wire's key."""
    module.use("mashumaro.types", "Discriminator")
    module.use("typing", "Annotated")
    tag = next(tag_field(schema, schema.record(m.record)) for m in union.members if isinstance(m, Ref))
    tagger = "" if tag.alias is None else f", variant_tagger_fn=lambda cls: cls.{tag.name}"
    return f"Annotated[{members}, Discriminator(field={literal(tag.wire)}, include_supertypes=True{tagger})]"


LIBRARY = Library(
    name="mashumaro",
    summary="conversion code generated for each type, for dataclasses",
    docs=_DOCS,
    model="dataclass",
    render=render,
    core=True,
    distributions=("mashumaro",),
    variants={"no_copy_collections": f"{_DOCS}/dialects"},
)
