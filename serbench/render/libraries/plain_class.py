"""class: an ordinary class with an `__init__`, with conversions written by hand.

- No codec but pickle knows such classes, so every record is converted, both ways.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models
from serbench.render.source.classes import class_with_init

_DOCS = "https://docs.python.org/3/reference"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The classes, and conversions by hand."""
    m = models(schema, codec)
    for record in m.records():
        m.add(class_with_init(m, record, slots=variant == "slots"))
    return by_hand(m, codec, "class")


LIBRARY = Library(
    name="class",
    summary="an ordinary class with an __init__, converted by hand",
    docs=f"{_DOCS}/compound_stmts.html#class-definitions",
    model="class",
    render=render,
    core=True,
    variants={"slots": f"{_DOCS}/datamodel.html#slots"},
)
