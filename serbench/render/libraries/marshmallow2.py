"""marshmallow2: marshmallow in its second generation, strict, in an environment of its own.

- Datetimes are ISO 8601 with their offset, by `LocalDateTime`; naive ones by a format of their own.
  Without python-dateutil the offset would be lost on the way back.
- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its microseconds.
- An enum goes by its value, a tuple and a map item by item, each with a custom field: it has none for them.
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field.
- Schemas are `ordered`: otherwise the order of fields would change from one process to the next. It does
  so all the same for records that stand in a list of lists, or in one that has None among them.
"""

from __future__ import annotations

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.marshmallow import add_schemas, calls, dialect, refuse_exact

_DIALECT = dialect()
_ALONE = "without python-dateutil"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a schema for each, and the schema of the document."""
    refuse_exact(codec.name, codec.objects.exact)
    m = models(schema, codec, "dataclasses")
    root = add_schemas(m, _DIALECT, codec.native)
    if variant == _ALONE:
        m.use("marshmallow.utils")
        m.add("marshmallow.utils.dateutil_available = False")
    use_codec(m, codec)
    m.add(f"schema = {root}")
    return Rendered(m, *calls(schema, codec.name, ".data"), untyped=True)


LIBRARY = Library(
    name="marshmallow2",
    summary="marshmallow's second generation",
    docs=_DIALECT.docs,
    render=render,
    distributions=("marshmallow", "python-dateutil"),
    modules=("marshmallow",),
    versions="<3",
    pins=("marshmallow==2.21.0", "python-dateutil==4.0.0", "tzdata==2026.6"),
    pitfalls={_ALONE: f"{_DIALECT.docs}/install.html"},
    unchecked=("import-untyped", "misc", "no-any-return", "untyped-decorator"),
    lacks=_DIALECT.lacks,
)
