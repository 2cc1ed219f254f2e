"""marshmallow: schemas beside the classes, whose fields validate and convert one by one.

- Dates and times are ISO 8601, UUIDs and decimals text, an enum its value, a timedelta its
  microseconds (in another unit the float loses some).
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field, and so is a union of JSON's own types.
- An unknown key is refused; `unknown = EXCLUDE` drops it. `INCLUDE` would hand it to a class without such a field.
- With the standard library's json the schema has `dumps` and `loads` itself; other codecs go around
  `dump` and `load`.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.judge.outcomes import DROPPED
from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.marshmallow import Dialect, add_schemas, calls

_DOCS = "https://marshmallow.readthedocs.io/en/stable"
_DIALECT = Dialect(_DOCS, f"{_DOCS}/marshmallow.fields.html")
EXCLUDING = "unknown=EXCLUDE"


def render(schema: Schema, codec: Codec, variant: str, dialect: Dialect = _DIALECT) -> Rendered:
    """Dataclasses, a schema for each, and the schema of the document."""
    m = models(schema, codec, "dataclasses")
    dialect.check(schema, codec)
    if variant == EXCLUDING:
        dialect = replace(dialect, meta=(*dialect.meta, f"unknown = {m.imported(dialect.package, 'EXCLUDE')}"))
    root = add_schemas(m, dialect, codec.native)
    if variant in dialect.settings:
        module, statement = dialect.settings[variant]
        m.use(module)
        m.add(statement)
    use_codec(m, codec)
    m.add(f"schema = {root}")
    return Rendered(m, *calls(schema, codec.name, dialect.result), untyped=True)


LIBRARY = Library(
    name="marshmallow",
    summary="schemas beside the classes, whose fields validate and convert",
    docs=_DOCS,
    render=render,
    core=True,
    distributions=("marshmallow",),
    versions=">=4",
    variants={EXCLUDING: f"{_DOCS}/quickstart.html#handling-unknown-fields"},
    unknown_keys={DROPPED: EXCLUDING},
    unchecked=("no-any-return",),
    lacks=_DIALECT.lacks,
)
