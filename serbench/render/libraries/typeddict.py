"""typeddict: plain dicts whose keys and types a type checker knows, converted by hand where that is needed.

- A schema of JSON's own types needs no conversion: what the codec reads is the document.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself; a dict with such an item is rebuilt, others are passed through.
- Keys are the wire's; a record with a key that is no identifier is written in the functional syntax.
- A key whose value is None by default may be absent (`NotRequired`, from Python 3.11); all others are always present, and
  a member of a tagged union holds its tag.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, by_hand, models
from serbench.render.source.classes import add_typed_dicts

_DOCS = "https://docs.python.org/3/library/typing.html#typing.TypedDict"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The types, and conversions by hand."""
    m = models(schema, codec)
    add_typed_dicts(m)
    return by_hand(m, codec, "typeddict", items=True)


LIBRARY = Library(
    name="typeddict",
    summary="plain dicts with types for a checker, converted by hand",
    docs=_DOCS,
    model="typeddict",
    render=render,
    core=True,
    items=True,
)
