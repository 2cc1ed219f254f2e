"""marshmallow3: marshmallow in its third generation, in an environment of its own.

- Schemas are written as in the fourth: dates and times are ISO 8601, UUIDs and decimals text, an enum
  its value.
- A timedelta is its microseconds, as a whole number.
- An unknown key is refused; `unknown=EXCLUDE` drops it.
- A set is a List field, made a set again in `post_load`; any JSON is a Raw field.
"""

from __future__ import annotations

from functools import partial

from serbench.judge.outcomes import DROPPED
from serbench.render.libraries.marshmallow import EXCLUDING, render
from serbench.render.library import Library
from serbench.render.source.marshmallow import Dialect

_DOCS = "https://marshmallow.readthedocs.io/en/3.x-line"
_DIALECT = Dialect(_DOCS, f"{_DOCS}/marshmallow.fields.html")


LIBRARY = Library(
    name="marshmallow3",
    summary="marshmallow's third generation",
    docs=_DOCS,
    render=partial(render, dialect=_DIALECT),
    variants={EXCLUDING: f"{_DOCS}/quickstart.html#handling-unknown-fields"},
    unknown_keys={DROPPED: EXCLUDING},
    versions=">=3,<4",
    pins=("marshmallow==3.26.2", "packaging==26.3"),
    unchecked=("no-any-return",),
    lacks=_DIALECT.lacks,
)
