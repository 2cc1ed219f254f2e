"""dataclass-wizard: turns dataclasses into dicts and back with code that it generates on first use.

- Dates and times are ISO 8601, decimals text, a UUID its 32 hexadecimal digits, bytes base64 with
  every codec, an enum its value, a set a list.
- Functions of `register_type` make seconds of a timedelta, because it does not read back what it writes itself, and
  leave alone what a typed codec has a type for.
- A document that is neither a record nor a list of records is the content of one more dataclass.
- With 1.0.0, a text becomes a list of its letters if `list[str] | str` has the list first, so serbench refuses that order.
  Any text and number but those for true is False in a bool.
- A wire name is an Alias, the tags of a union stand in a Meta bound to its classes.
"""

from __future__ import annotations

from serbench.model.records import Ref, Schema, referred
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_confusion, refuse_lookalikes, takes_letters
from serbench.render.source.models import ordered_records, untagged_unions
from serbench.render.source.module import Unsupported, call, literal

_DOCS = "https://dcw.ritviknag.com/en/latest"
_UNIONS = f"{_DOCS}/common_use_cases/dataclasses_in_union_types.html"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, their Meta where they need one, and its functions around the codec."""
    m = models(schema, codec, "dataclasses", enclose=not isinstance(schema.item, Ref))
    if len(set(schema.tags.values())) > 1:
        raise Unsupported(f"a class and everything nested in it share one tag key ({_UNIONS})")
    if any(referred(*untagged_unions(schema))):
        raise Unsupported(f"a union that contains a record needs a tag ({_UNIONS})")
    refuse_lookalikes(schema, codec.native, "dataclass-wizard")
    refuse_confusion(schema, _UNIONS, takes_letters)
    m.dataclasses(alias="dataclass_wizard:Alias")
    name = m.root_record
    for record in ordered_records(m.schema):
        options = [f"tag={literal(record.tag_value)}"] if record.name in schema.tags else []
        if schema.tags and record.name == name:
            options.append(f"tag_key={literal(min(schema.tags.values()))}")
        if options:
            m.add(f"{call(m.imported('dataclass_wizard', 'LoadMeta'), *options)}.bind_to({record.name})")
    for hook in hooks(m, schema.features & (codec.native - {"bytes"} | {"timedelta"}), codec.native):
        dump, load = (f"{step}_{hook.class_.lower()}" for step in ("dump", "load"))
        m.use("typing", "Any")
        m.define(f"def {dump}(value: {hook.class_}) -> Any:", [f"return {hook.dumped}"])
        m.define(f"def {load}(value: Any) -> {hook.class_}:", [f"return {hook.loaded}"])
        # in the class of the document and all that it holds
        m.add(m.imported("dataclass_wizard", f"register_type({name}, {hook.class_}, load={load}, dump={dump})"))
    use_codec(m, codec)
    dump = m.dumped(m.imported("dataclass_wizard", "asdict({})"))
    if m.many:
        return Rendered(m, dump, m.imported("dataclass_wizard", f"fromlist({name}, {{}})"))
    return Rendered(m, dump, m.loaded(m.imported("dataclass_wizard", f"fromdict({name}, {{}})")))


LIBRARY = Library(
    name="dataclass-wizard",
    summary="dicts from dataclasses and back, by code generated on first use",
    docs=_DOCS,
    render=render,
    versions=">=1",
    text={"bytes": f"bytes always become base64; registered functions are not called for them ({_DOCS}/overview.html)"},
    pins=("dataclass-wizard==1.0.0", "typing-extensions==4.16.0"),
)
