"""marshal: the form in which CPython stores compiled code; fast, for one version of Python and trusted data only.

- Sets, tuples and bytes travel as themselves; dates, times, UUIDs and decimals are text.
- Its bytes tell which objects are one, and which are referred to from elsewhere: the same list gives other bytes while
  something else holds its items (https://docs.python.org/3/library/marshal.html).
- Its format may change with any version of Python, and reading hostile bytes may crash the process.
"""

from __future__ import annotations

from serbench.render.codec import BUILTIN, Calls, Codec, Format, Kinds, Objects, imported
from serbench.render.reading import self_describing

_KINDS = frozenset({"bytes", "set", "tuple"})

FORMAT = Format(
    name="marshal",
    summary="CPython's own form of builtins; one version of Python, trusted data only",
    codecs=(
        Codec(
            name="marshal",
            docs="https://docs.python.org/3/library/marshal.html",
            calls=Calls(dumps="marshal.dumps({})", loads="marshal.loads({})", imports=("marshal",)),
            kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
            objects=Objects(exact=BUILTIN),
        ),
    ),
    readers={"serbench": self_describing.read_marshal},
    write=imported("marshal:dumps"),
)
