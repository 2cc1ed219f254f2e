"""generated: the objects that a format makes of its own schema, with nothing converted.

- What decoding yields are messages, structs or tables of the format; `read` touches their fields.
- They are built from plain values once, before anything is timed: to populate and to convert them is
  what the other libraries' rows with the same codec include.
- Dates, times, UUIDs and decimals are what the format has for them, text where it has nothing.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec, SchemaCodec
from serbench.render.library import Library, Rendered, use_codec
from serbench.render.source.by_hand import ByHand
from serbench.render.source.module import Module, Unsupported, filled, root_name


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The format's own classes, and the way between them and neutral values."""
    objects = codec.generated if isinstance(codec, SchemaCodec) else None
    if objects is None:
        raise Unsupported("the codec returns builtins; it has no objects of its own (https://docs.python.org/3/)")
    module = Module()
    use_codec(module, codec)
    module.use("typing", "Any")
    hand = ByHand(module, schema, "dump", codec.kinds.encodes | {"enum"}, items=True, type="dict[str, Any]")
    return Rendered(
        module,
        encode=filled(objects.pack, root_name(schema)),
        decode=filled(objects.unpack, "blob"),
        build=filled(objects.make, hand.template()),
        plain=objects.plain,
        read=objects.read,
    )


LIBRARY = Library(
    name="generated",
    summary="the objects that a format makes of its own schema",
    docs="https://protobuf.dev/reference/python/python-generated/",
    model="generated",
    render=render,
    generated=True,
)
