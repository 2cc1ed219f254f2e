"""namedtuple: typed tuples with named fields, with conversions written by hand.

- Codecs take a NamedTuple for a tuple, which would become an array without keys, so every record is
  converted to a map, both ways.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models
from serbench.render.source.module import Unsupported

_DOCS = "https://docs.python.org/3/library/typing.html#typing.NamedTuple"
_FIELDS = "https://docs.python.org/3/library/collections.html#collections.namedtuple"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The tuples, and conversions by hand."""
    m = models(schema, codec)
    for record in m.records(_FIELDS, private=True):
        for f in record.fields:
            if isinstance(f.default, list | dict | set):
                raise Unsupported(f"field {f.name}: all NamedTuples would share its default {f.default!r} ({_FIELDS})")
        m.use("typing", "NamedTuple")
        m.define(f"class {record.name}(NamedTuple):", m.lines(record))
    return by_hand(m, codec, "namedtuple")


LIBRARY = Library(
    name="namedtuple",
    summary="typed tuples with named fields, converted by hand",
    docs=_DOCS,
    model="namedtuple",
    render=render,
    core=True,
)
