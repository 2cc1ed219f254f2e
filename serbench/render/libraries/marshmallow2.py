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

from functools import partial

from serbench.render.libraries.marshmallow import render
from serbench.render.library import Library
from serbench.render.source.marshmallow import dialect

_ALONE = "without python-dateutil"
_DIALECT = dialect(settings={_ALONE: ("marshmallow.utils", "marshmallow.utils.dateutil_available = False")})


LIBRARY = Library(
    name="marshmallow2",
    summary="marshmallow's second generation",
    docs=_DIALECT.docs,
    render=partial(render, dialect=_DIALECT),
    distributions=("marshmallow", "python-dateutil"),
    modules=("marshmallow",),
    versions="<3",
    pins=("marshmallow==2.21.0", "python-dateutil==4.0.0", "tzdata==2026.6"),
    pitfalls={_ALONE: f"{_DIALECT.docs}/install.html"},
    unchecked=("import-untyped", "misc", "no-any-return", "untyped-decorator"),
    lacks=_DIALECT.lacks,
)
