"""dataclasses: the standard library's records, with conversions written by hand.

- Where the codec knows dataclasses (orjson when encoding, msgspec both ways), it is given them.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models

_DOCS = "https://docs.python.org/3/library/dataclasses.html"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The models, and conversions by hand."""
    m = models(schema, codec)
    m.dataclasses(options="slots=True" if variant == "slots" else "")
    return by_hand(m, codec, "dataclass")


LIBRARY = Library(
    name="dataclasses",
    summary="the standard library's records, converted by hand",
    docs=_DOCS,
    render=render,
    core=True,
    variants={"slots": f"{_DOCS}#dataclasses.dataclass"},
)
