"""namedtuple: typed tuples with named fields, with conversions written by hand.

- Codecs take a NamedTuple for a tuple, which would become an array without keys, so every record is
  converted to a map, both ways.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, by_hand
from serbench.schema import Field, Schema
from serbench.source.expressions import Expression
from serbench.source.layout import Module, class_block
from serbench.source.models import add_enums, default_literal, field_lines, ordered_records

_DOCS = "https://docs.python.org/3/library/typing.html#typing.NamedTuple"
_FIELDS = "https://docs.python.org/3/library/collections.html#collections.namedtuple"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The tuples, and conversions by hand."""
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.use("typing", "NamedTuple")
        module.add(class_block([f"class {record.name}(NamedTuple):"], field_lines(module, schema, record, _assigned)))
    return by_hand(module, schema, codec, "namedtuple")


def _assigned(f: Field) -> Expression | None:
    if f.name.startswith("_"):
        raise Unsupported(f"a NamedTuple has no field that begins with an underscore, as {f.name} does ({_FIELDS})")
    if isinstance(f.default, list | dict | set):
        raise Unsupported(f"field {f.name}: all NamedTuples would share its default {f.default!r} ({_FIELDS})")
    return None if f.required else default_literal(f)


LIBRARY = Library(
    name="namedtuple",
    summary="typed tuples with named fields, converted by hand",
    docs=_DOCS,
    model="namedtuple",
    render=render,
    core=True,
)
