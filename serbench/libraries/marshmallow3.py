"""marshmallow3: marshmallow in its third generation, in an environment of its own.

- Schemas are written as in the fourth: dates and times are ISO 8601, UUIDs and decimals text, an enum
  its value.
- A timedelta is its microseconds, as a whole number.
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, use_codec
from serbench.schema import Schema
from serbench.source.marshmallow import Dialect, calls, document, models

_DOCS = "https://marshmallow.readthedocs.io/en/3.x-line"
_DIALECT = Dialect(_DOCS, f"{_DOCS}/marshmallow.fields.html")


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a schema for each, and the schema of the document."""
    _, root = document(schema, codec.format, _DIALECT.docs)
    module = models(schema, _DIALECT)
    use_codec(module, codec)
    module.state(f"schema = {root}")
    return Rendered(module, *calls(schema, codec.name), untyped=True)


LIBRARY = Library(
    name="marshmallow3",
    summary="marshmallow's third generation",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("marshmallow",),
    versions=">=3,<4",
    pins=("marshmallow==3.26.2", "packaging==26.3"),
    unchecked=("no-any-return",),
    lacks=_DIALECT.lacks,
)
