"""attrs: classes without boilerplate, with conversions written by hand.

- Where the codec knows attrs classes (msgspec, both ways), it is given them.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
- An attribute with a leading underscore is told the name of its argument, which attrs would strip.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models
from serbench.render.source.classes import add_attrs_classes

_DOCS = "https://www.attrs.org/en/stable"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The models, and conversions by hand."""
    m = models(schema, codec)
    add_attrs_classes(m, *([] if variant == "default" else [variant]))
    return by_hand(m, codec, "attrs")


LIBRARY = Library(
    name="attrs",
    summary="classes without boilerplate, converted by hand",
    docs=_DOCS,
    model="attrs",
    render=render,
    pins=("attrs==26.1.0",),
    variants={"slots=False": f"{_DOCS}/glossary.html#term-slotted-classes"},
)
