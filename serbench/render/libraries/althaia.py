"""althaia: a fork of marshmallow 4 that is compiled, and writes objects by functions made once for each schema.

- It is imported under its own name, without `patch()`, which would put it in marshmallow's place for
  the whole process.
- Dates and times are ISO 8601, UUIDs and decimals text, an enum its value, a timedelta its
  microseconds.
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field.
"""

from __future__ import annotations

from functools import partial

from serbench.render.libraries.marshmallow import render
from serbench.render.library import Library
from serbench.render.source.marshmallow import Dialect

_DOCS = "https://github.com/dsimidzija/python-althaia"
_UPSTREAM = "https://marshmallow.readthedocs.io/en/stable"
_DIALECT = Dialect(_UPSTREAM, f"{_UPSTREAM}/marshmallow.fields.html", package="althaia")


LIBRARY = Library(
    name="althaia",
    summary="a compiled fork of marshmallow 4",
    docs=_DOCS,
    render=partial(render, dialect=_DIALECT),
    pins=("althaia==4.3.0",),
    unchecked=("import-untyped", "misc", "no-any-return", "untyped-decorator"),
    lacks=_DIALECT.lacks,
)
