"""marshmallow3: marshmallow in its third generation, in an environment of its own.

- Schemas are written as in the fourth: dates and times are ISO 8601, UUIDs and decimals text, an enum
  its value.
- A timedelta is its microseconds, as a whole number.
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, models, use_codec
from serbench.schema import Schema
from serbench.source.marshmallow import Dialect, add_schemas, calls

_DOCS = "https://marshmallow.readthedocs.io/en/3.x-line"
_DIALECT = Dialect(_DOCS, f"{_DOCS}/marshmallow.fields.html")


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a schema for each, and the schema of the document."""
    m = models(schema, codec, "dataclasses")
    root = add_schemas(m, _DIALECT)
    use_codec(m, codec)
    m.add(f"schema = {root}")
    return Rendered(m, *calls(schema, codec.name), untyped=True)


LIBRARY = Library(
    name="marshmallow3",
    summary="marshmallow's third generation",
    docs=_DOCS,
    render=render,
    versions=">=3,<4",
    pins=("marshmallow==3.26.2", "packaging==26.3"),
    unchecked=("no-any-return",),
    lacks=_DIALECT.lacks,
)
