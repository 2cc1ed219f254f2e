"""mashumaro: code generated for each type, for dataclasses and whatever they hold.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value;
  bytes are base64, and themselves with its own MessagePack codec.
- It has codecs of its own for json, orjson and msgpack; with any other, its BasicEncoder and
  BasicDecoder go around the codec, and `pass_through` leaves bytes that this carries, and what a typed one has a type
  for.
- A tag is a Literal field, the discriminator of its union. If members of a union hold that union, 3.23 compiles their
  decoders again in each call that meets a nested one, which takes 5 ms for each, and the memory of the process grows. A
  discriminator in a common base class avoids this, but then encoding leaves out the fields of the members.
- An unknown key is dropped; `forbid_extra_keys` refuses it.
- A dialect may leave out keys that are null (`omit_none`) or have their default (`omit_default`).
"""

from __future__ import annotations

from serbench.judge.outcomes import ABSENT, DEFAULTS, REFUSED
from serbench.model.records import List, Ref, Schema, Union, referred
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_broken_strings, refuse_lookalikes
from serbench.render.source.models import Models, members, tag_field, untagged_unions
from serbench.render.source.module import Unsupported, braced, call

_DOCS = "https://mashumaro.io/#/docs"
# (format, codec) → the module of its own codec, and the beginning of its classes' names
_CODECS = {
    ("json", "json"): ("mashumaro.codecs.json", "JSON"),
    ("json", "orjson"): ("mashumaro.codecs.orjson", "ORJSON"),
    ("msgpack", "msgpack"): ("mashumaro.codecs.msgpack", "MessagePack"),
}
_OMITS = {"omit_none": ABSENT, "omit_default": DEFAULTS}
_LINES = {"no_copy_collections": "no_copy_collections = (list, dict)", **{name: f"{name} = True" for name in _OMITS}}
_CONFIG = "class Config(BaseConfig):\n    serialize_by_alias = True"
_FORBIDDING = "forbid_extra_keys"
_FORBIDDING_DOCS = "https://mashumaro.io/#/docs/config-options"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, with an encoder and a decoder for the whole document."""
    m = models(schema, codec, "dataclasses", tagged=_tagged)
    library_codec = None if schema.features & codec.kinds.unasked else _CODECS.get((codec.format, codec.name))
    source, prefix = library_codec or ("mashumaro.codecs.basic", "Basic")
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, f"{_DOCS}/dialects", defaults=variant == "omit_default", has_tag_field=True)
    elif variant in _LINES and prefix in ("ORJSON", "MessagePack"):
        raise Unsupported(f"its {codec.name} codec does not copy lists or dicts anyway ({_DOCS}/dialects)")
    refuse_broken_strings(schema)
    if not all(map(_is_distinguishable, untagged_unions(schema))):
        raise Unsupported(
            f"mashumaro 3.23 chooses the first union member that does not fail, which is the wrong one here ({_DOCS})"
        )
    refuse_lookalikes(schema, codec.kinds.decodes & {"bytes"}, "mashumaro")  # it makes text of whatever is not JSON's
    m.use("mashumaro.config", "BaseConfig")
    wire = "metadata=mashumaro:field_options(alias={})"
    config = f"{_CONFIG}\n    {_FORBIDDING} = True" if variant == _FORBIDDING else ""
    m.dataclasses(_DOCS, empty="alias", wire=wire, tag=True, renamed="" if config else _CONFIG, each=config)
    lines = [_LINES[variant]] if variant in _LINES else []
    if prefix == "Basic" and (strategies := _strategies(m, codec)):
        lines.append(f"serialization_strategy = {braced(strategies)}")
    dialect = []
    if lines:
        name = "".join(word.title() for word in variant.removesuffix("_collections").split("_"))
        name = name if variant in _LINES else "Native"
        m.define(f"class {name}({m.imported('mashumaro.dialect', 'Dialect')}):", lines)
        dialect = [f"default_dialect={name}"]
    use_codec(m, codec if prefix == "Basic" else codec.changed(imports=(), encoder="", decoder=""))
    names = (
        ("models_encoder", "models_decoder")
        if prefix == "Basic" and (codec.calls.encoder or codec.calls.decoder)
        else ("encoder", "decoder")
    )
    type_ = m.annotation(schema.root)
    for name, kind in zip(names, ("Encoder", "Decoder"), strict=True):
        m.add(f"{name} = {call(m.imported(source, f'{prefix}{kind}'), type_, *dialect)}")
    if prefix == "Basic":
        return Rendered(m, dump=f"{names[0]}.encode({{}})", load=f"{names[1]}.decode({{}})")
    text = ".encode()" if prefix == "JSON" else ""
    return Rendered(m, encode=f"encoder.encode({m.root_name}){text}", decode="decoder.decode(blob)")


def _strategies(m: Models, codec: Codec) -> list[str]:
    strategies = []
    for hook in hooks(m, m.schema.features & codec.native, codec.native):
        functions = braced((f'"serialize": {hook.dump}', f'"deserialize": {hook.load}'))
        strategies.append(f"{hook.class_}: {m.imported('mashumaro', 'pass_through') if hook.kept else functions}")
    return strategies


def _is_distinguishable(union: Union) -> bool:
    """Whether no member takes a value of a later one: a list takes texts and dicts, scalars take all there is."""
    members = union.members
    if any(referred(*members)):
        return len(members) == 2 and isinstance(members[0], Ref)
    return not any(isinstance(member, List) for member in members[:-1])


def _tagged(m: Models, union: Union, types: str) -> str:
    """The union with its discriminator, which finds the tag by the wire's key."""
    tag = tag_field(m.schema, members(m.schema, union)[0])
    tagger = "" if tag.alias is None else f", variant_tagger_fn=lambda cls: cls.{tag.name}"
    return m.annotated(types, f"mashumaro.types:Discriminator(field={{}}, include_supertypes=True{tagger})", tag.wire)


LIBRARY = Library(
    name="mashumaro",
    summary="conversion code generated for each type, for dataclasses",
    docs=_DOCS,
    render=render,
    core=True,
    distributions=("mashumaro",),
    variants={**dict.fromkeys(_LINES, f"{_DOCS}/dialects"), _FORBIDDING: _FORBIDDING_DOCS},
    omits=_OMITS,
    unknown_keys={REFUSED: _FORBIDDING},
)
