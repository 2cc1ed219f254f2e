"""toastedmarshmallow: a marshmallow 2 of its own, whose schemas are compiled to Python functions at run time.

- It brings a marshmallow 2.15.1 in the place of any other, and imports only up to Python 3.9.
- Values are represented as in marshmallow2: datetimes with their offset, which takes python-dateutil,
  dates and times as ISO 8601, UUIDs as text, a timedelta as its microseconds.
- A decimal is text by a custom field, because compiled functions know nothing of `as_string`.
- An enum goes by its value, a tuple and a map item by item, each with a custom field.
- Schemas are `ordered`, as those of marshmallow2 are.
- Where a compiled function fails, marshmallow itself goes through the whole document again; a None that
  is to become a date or a record is such a case.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.libraries import marshmallow
from serbench.render.library import Library, Rendered
from serbench.render.source.marshmallow import check, dialect
from serbench.render.source.module import Unsupported

_DOCS = "https://github.com/lyft/toasted-marshmallow"
_JIT = f"{_DOCS}/blob/master/toastedmarshmallow/jit.py"
_DECIMAL = """class DecimalField(fields.Decimal):
    def _serialize(self, value: Any, attr: str, obj: Any) -> Any:
        return None if value is None else str(value)"""


def _check(schema: Schema, codec: Codec) -> None:
    check(schema, codec)
    for wire in (f.wire for record in schema.records for f in record.fields):
        if not wire.isidentifier():
            raise Unsupported(
                f"it uses wire names as attributes in generated code, and {wire!r} is not a valid attribute name ({_JIT})"
            )


_DIALECT = replace(dialect("jit = toastedmarshmallow.Jit", decimal=_DECIMAL), check=_check)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """As marshmallow2's, with its compiler."""
    rendered = marshmallow.render(schema, codec, variant, _DIALECT)
    rendered.module.use("toastedmarshmallow")
    return rendered


LIBRARY = Library(
    name="toastedmarshmallow",
    summary="marshmallow 2 with schemas compiled at run time",
    docs=_DOCS,
    render=render,
    distributions=("toastedmarshmallow", "six", "python-dateutil"),
    modules=("marshmallow", "toastedmarshmallow"),
    pins=(
        "toastedmarshmallow==2.15.2.post1",
        "attrs==26.1.0",
        "six==1.17.0",
        "python-dateutil==3.0.0",
        "tzdata==2026.6",
    ),
    python="3.9",
    separate="it needs Python 3.9 and marshmallow 2",
    unchecked=("import-untyped", "misc", "no-any-return", "untyped-decorator", "UP007", "UP045"),
    lacks=_DIALECT.lacks,
)
