"""chili: encoders and decoders built from annotations on first use.

- Dates, times, UUIDs and decimals are text, an enum its value, a timedelta an ISO 8601 duration (that
  of no time at all is "P", which it does not read back).
- Bytes are base64. Encoders and decoders of our own leave as they are: bytes that the codec carries, what a typed
  codec has a type for, and any JSON.
- With others of our own a timedelta is its seconds if a typed codec has no type for it, a list becomes a set again,
  and a tag finds its class.
- Wire names are a Mapper's, with which a class has an encoder and a decoder of its own.
"""

from __future__ import annotations

from serbench.model.records import List, Optional, Record, Schema, Set, Union, referred
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_mixed_datetimes
from serbench.render.source.models import Models, helper_blocks, is_json, name_table, renamed_fields, tagged_unions
from serbench.render.source.module import Unsupported, braced, call, literal

_DOCS = "https://github.com/kodemore/chili"
_AS_IT_IS = """\
class AsItIs:
    def encode(self, value: Any) -> Any:
        return value

    def decode(self, value: Any) -> Any:
        return value"""
_SECONDS = """\
class Seconds:
    def encode(self, value: timedelta) -> float:
        return value.total_seconds()

    def decode(self, value: float) -> timedelta:
        return timedelta(seconds=value)"""
_SET_DECODER = """\
class SetDecoder:
    def __init__(self, items: Any) -> None:
        self.items = items

    def decode(self, value: Any) -> set[Any]:
        return set(chili.decode(value, self.items, decoders))"""
_TAGGED_UNION = """\
class TaggedUnion:
    def __init__(self, tag: str, classes: dict[str, type[Any]]) -> None:
        self.tag = tag
        self.classes = classes
        self.values = {class_: value for value, class_ in classes.items()}

    def encode(self, value: Any) -> Any:
        if value is None:
            return None
        class_ = type(value)
        fields: Any = chili.encode(value, class_, encoders)
        return {self.tag: self.values[class_], **fields}

    def decode(self, value: Any) -> Any:
        if value is None:
            return None
        return chili.decode(value, self.classes[value[self.tag]], decoders)"""
_HELPERS = helper_blocks([_AS_IT_IS, _SECONDS, _SET_DECODER, _TAGGED_UNION], "typing:Any", "datetime:timedelta")


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, an encoder and a decoder for them, and the codec around."""
    m = models(schema, codec, "dataclasses", helpers=_HELPERS)
    for type_ in schema.types():
        match type_:
            case Union(members, None) if not all(map(is_json, members)):
                raise Unsupported(f"in a union, it decodes only numbers, text and its own classes ({_DOCS})")
            case Optional(Union(_, None)):
                raise Unsupported(f"it has no encoder for a union of three types including None ({_DOCS})")
    m.dataclasses()
    m.use("chili")
    m.emit_helpers()
    refuse_mixed_datetimes(schema, codec.native, _DOCS)
    kept = {hook.class_: "AsItIs" for hook in hooks(m, schema.features & codec.native, codec.native) if hook.kept}
    if codec.typed and "timedelta" in schema.features - codec.native:
        kept["timedelta"] = "Seconds"
    if "any" in schema.features:
        kept[m.imported("typing", "Any")] = "AsItIs"
    encoders, decoders = (_add_table(m, kept, side) for side in ("encoder", "decoder"))
    use_codec(m, codec)
    if m.root_record:
        record = schema.record(m.root_record)
        m.add(f"models_encoder = {_coder(record, 'encoder', table=encoders)}")
        m.add(f"models_decoder = {_coder(record, 'decoder', table=decoders)}")
        return Rendered(m, m.dumped("models_encoder.encode({})"), m.loaded("models_decoder.decode({})"))
    type_text = m.annotation(schema.root)
    dump = call("chili.encode", "{}", type_text, *(["encoders"] if encoders else []))
    return Rendered(m, dump, call("chili.decode", "{}", type_text, *(["decoders"] if decoders else [])))


def _coder(record: Record, side: str, *, table: bool) -> str:
    options = [f"{side}s={side}s"] if table else []
    if renamed_fields(record.fields):
        options.append(f"mapper=chili.Mapper({name_table(record.fields, back=side == 'encoder')})")
    return call(f"chili.{side.title()}[{record.name}]", *options)


def _add_table(m: Models, kept: dict[str, str], side: str) -> bool:
    """Add the table of encoders or decoders that are not its own choice, and say whether there is one."""
    schema = m.schema
    entries = [f"{class_}: {m.helper(coder)}()" for class_, coder in sorted(kept.items())]
    if side == "decoder":
        sets = dict.fromkeys(t for t in schema.types() if isinstance(t, Set))
        entries += [f"{m.annotation(t)}: {m.helper('SetDecoder')}({m.annotation(List(t.item))})" for t in sets]
    unions = tagged_unions(schema)
    optional = [t for t in dict.fromkeys(schema.types()) if isinstance(t, Optional) and t.item in unions]
    for holder, union in [(u, u) for u in unions] + [(t, u) for t in optional for u in unions if t.item == u]:
        coder = f"{m.helper('TaggedUnion')}({literal(union.tag)}, {m.tag_table(union)})"
        entries.append(f"{m.annotation(holder)}: {coder}")
    outer = [] if m.root_record else [schema.root]  # the record of the document has a coder anyway
    types = [*outer, *(type_ for record in schema.records for type_ in record.types)]
    inner = {*referred(*types)}
    mapped = [r for r in schema.records if r.name in inner and renamed_fields(r.fields)]
    if not entries and not mapped:
        return False
    kind = m.imported(f"chili.{side}", f"Type{side.title()}s")
    m.add(f"{side}s = {call(kind, *([braced(entries)] if entries else []))}")
    for record in mapped:
        m.add(f"{side}s[{record.name}] = {_coder(record, side, table=True)}")
    return True


LIBRARY = Library(
    name="chili",
    summary="encoders and decoders built from annotations",
    docs=_DOCS,
    render=render,
    pins=("chili==2.9.0", "gaffe==0.3.0", "typing-extensions==4.16.0"),
)
