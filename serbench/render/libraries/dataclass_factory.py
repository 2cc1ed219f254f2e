"""dataclass-factory: parsers and serializers made for each type, for dataclasses; adaptix has followed it.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value, as it has them.
- Bytes are base64 by a schema of their own, unless the codec carries them; what a typed codec has a type for stays
  as it is by such a schema, too.
- A wire name stands in the schema of its class; a tag is a Literal field, by which the parser of the
  right member is found among those that are tried.
- Types are annotated with Optional and Union, because it does not know the operator `|`.
"""

from __future__ import annotations

from serbench.model.records import Optional, Schema, Union
from serbench.model.scalars import STR
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import (
    refuse_confusion,
    refuse_lookalikes,
    refuse_members_of_any_list,
    takes_letters,
)
from serbench.render.source.models import is_json, name_table, untagged_unions
from serbench.render.source.module import Module, Unsupported, braced, call

_DOCS = "https://dataclass-factory.readthedocs.io/en/latest"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a factory, and the parser and serializer of the document."""
    m = models(schema, codec, "dataclasses", annotations=(3, 9))
    if Module().python >= (3, 14) and any(isinstance(type_, Optional | Union) for type_ in schema.types()):
        raise Unsupported(
            "dataclass-factory 2.16 does not know Optional and Union of Python 3.14 "
            "(https://docs.python.org/3.14/whatsnew/3.14.html#typing)"
        )
    for union in untagged_unions(schema):
        refuse_members_of_any_list(schema, union, f"{_DOCS}/types.html")
    # It makes a number or a bool of what is none, and with 2.16 a list of a text's letters.
    refuse_confusion(
        schema,
        f"{_DOCS}/types.html",
        lambda one, other: (is_json(one) and one != STR) or takes_letters(one, other),
    )
    refuse_lookalikes(schema, codec.native, "dataclass-factory")
    m.dataclasses(tag=True)
    use_codec(m, codec)
    schemas = []
    for record in schema.records:
        names = [f for f in m.fields(record) if f.alias is not None or f.name.startswith("_") or f.name.endswith("_")]
        if names:
            schemas.append(f"{record.name}: Schema(name_mapping={name_table(names)})")
    converted = hooks(m, schema.features & (codec.native | {"bytes"}), codec.native)
    schemas += [f"{hook.class_}: Schema(parser={hook.load}, serializer={hook.dump})" for hook in converted]
    m.use("dataclass_factory", "Factory", *(["Schema"] if schemas else []))
    m.add(f"factory = {call('Factory', *([f'schemas={braced(schemas)}'] if schemas else []))}")
    type_ = m.annotation(schema.root)
    m.add(f"parse = factory.parser({type_})")
    m.add(f"serialize = factory.serializer({type_})")
    return Rendered(m, dump="serialize({})", load="parse({})")


LIBRARY = Library(
    name="dataclass-factory",
    summary="parsers and serializers made for each type, before adaptix",
    docs=_DOCS,
    render=render,
    pins=("dataclass-factory==2.16",),
    unchecked=("UP007", "UP045"),
)
