"""serpyco-rs: a serializer for dataclasses, compiled in Rust from their annotations, that validates what it loads.

- Its own JSON and MessagePack go between objects and bytes in one call; other codecs go around `dump` and `load`.
- Dates, times, UUIDs and decimals are text, an enum its value, bytes are themselves where the codec carries them.
- A timedelta is its seconds, a set a list, and bytes are base64 in JSON, by a `custom_type_resolver`.
- With 1.23.0, a whole number stays an int in a float field, and 1.0 is refused for an int.
- Wire names are `Alias`, a tag is a Literal field that the union's `Discriminator` names.
"""

from __future__ import annotations

from serbench.judge.outcomes import ABSENT
from serbench.model.records import List, Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_renamed_tags
from serbench.render.source.models import Models, is_json, untagged_unions
from serbench.render.source.module import Unsupported, call

_DOCS = "https://github.com/ermakov-oleg/serpyco-rs"
_OMITS = {"omit_none": ABSENT}
_CODECS = {"json": "JSON", "msgpack": "MSGPACK"}
_SCALAR_TYPE = """\
class {0}Type(CustomType[{1}, {2}]):
    def serialize(self, value: {1}) -> {2}:
        return {3}

    def deserialize(self, value: {2}) -> {1}:
        return {4}

    def get_json_schema(self) -> dict[str, Any]:
        return {{"type": "{5}"}}"""
_SET_TYPE = """\
class SetType(CustomType[set[Any], list[Any]]):
    def __init__(self, item: Any) -> None:
        self.items = Serializer(list[item], custom_type_resolver=resolve)

    def serialize(self, value: set[Any]) -> list[Any]:
        items: list[Any] = self.items.dump(list(value))
        return items

    def deserialize(self, value: list[Any]) -> set[Any]:
        return set(self.items.load(value))

    def get_json_schema(self) -> dict[str, Any]:
        return {"type": "array"}"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, and a Serializer for the whole document."""
    m = models(schema, codec, "dataclasses", tagged="serpyco_rs.metadata:Discriminator({})")
    by_serpyco = codec.name == "serpyco-rs"
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, _DOCS, defaults=False)
    items = [t.item if isinstance(t, List) else t for union in untagged_unions(schema) for t in union.members]
    if not by_serpyco and not all(map(is_json, items)):
        raise Unsupported(
            f"in serpyco-rs 1.23.0, without its own codec, the first member of an untagged union accepts any value unchanged when dumping ({_DOCS})"
        )
    # A Discriminator takes no tag whose annotation has become text, as the future import makes all.
    m.future = m.future and not schema.tags
    refuse_renamed_tags(schema, _DOCS)
    m.dataclasses(tag=True, alias="serpyco_rs.metadata:Alias", quoted=not m.future)
    use_codec(m, codec)
    options = _custom_types(m, codec)
    options += [f"{variant}=True"] if variant in _OMITS else []
    if by_serpyco:
        options.append(f"codec={m.imported('serpyco_rs', _CODECS[codec.format])}")
    serializer = call(m.imported("serpyco_rs", "Serializer"), m.annotation(schema.root), *options)
    m.add(f"serializer = {serializer}")
    if by_serpyco:
        return Rendered(m, encode=f"serializer.dump({m.root_name})", decode="serializer.load(blob)")
    return Rendered(m, dump="serializer.dump({})", load="serializer.load({})")


def _custom_types(m: Models, codec: Codec) -> list[str]:
    """Add the types that the library does not know, and the function that finds them, which is an option."""
    tests = []
    kinds = (codec.native | {"bytes", "timedelta"}) - (codec.carries & {"bytes"})
    for hook in hooks(m, m.schema.features & kinds, codec.native):
        raw, json_type = ("float", "number") if hook.kind == "timedelta" else ("str", "string")
        raw = hook.class_ if hook.kept else raw
        name = f"{hook.class_[0].upper()}{hook.class_[1:]}"
        m.add(_SCALAR_TYPE.format(name, hook.class_, raw, hook.dumped, hook.loaded, json_type))
        tests += [f"if type_ is {hook.class_}:", f"    return {name}Type()"]
    if "set" in m.schema.features:
        m.use("typing", "get_args", "get_origin")
        m.add(_SET_TYPE)
        tests += ["if get_origin(type_) is set:", "    return SetType(*get_args(type_))"]
    if not tests:
        return []
    m.use("typing", "Any")
    m.use("serpyco_rs", "CustomType")
    m.define("def resolve(type_: Any) -> CustomType[Any, Any] | None:", [*tests, "return None"])
    return ["custom_type_resolver=resolve"]


LIBRARY = Library(
    name="serpyco-rs",
    summary="a validating serializer for dataclasses, compiled in Rust",
    docs=_DOCS,
    render=render,
    pins=("serpyco-rs==1.23.0", "attributes-doc==0.5.0", "typing-extensions==4.16.0"),
    variants=dict.fromkeys(_OMITS, _DOCS),
    omits=_OMITS,
    recommended={"json": "serpyco-rs", "msgpack": "serpyco-rs"},
)
