"""UBJSON: JSON's types and bytes in a simple binary form.

- A decimal travels as a high-precision number; bytes are a typed array; dates and times are text.
- The package's implementation in Python is no second reader: with counts, py-ubjson 0.16.1 loses its place behind a container
  that is empty and not the last (https://ubjson.org/type-reference/container-types/).
- An infinite float or NaN becomes null, an integer beyond 64 bits with a sign a Decimal.
"""

from __future__ import annotations

from serbench.render.codec import UNTYPED, Calls, Codec, Format, Kinds, Limits, imported
from serbench.render.reading import self_describing

_DOCS = "https://github.com/Iotic-Labs/py-ubjson"
_NO_LARGER = (
    "py-ubjson 0.16.1 reads a signed integer beyond 64 bits as a Decimal "
    "(https://ubjson.org/type-reference/value-types/#numeric)"
)
_UBJSON = Codec(
    name="py-ubjson",
    docs=f"{_DOCS}#usage",
    distribution="py-ubjson",
    calls=Calls(dumps="ubjson.dumpb({})", loads="ubjson.loadb({})", imports=("ubjson",)),
    kinds=Kinds(encodes=frozenset({"bytes", "decimal"}), decodes=frozenset({"bytes", "decimal"})),
    limits=Limits(lacks=dict.fromkeys(("uint64", "bigint"), _NO_LARGER), unchecked=UNTYPED),
)

FORMAT = Format(
    name="ubjson",
    summary="JSON's types and bytes in a simple binary form",
    codecs=(
        _UBJSON,
        _UBJSON.tuned("container_count", f"{_DOCS}#readme", writing="container_count=True"),
    ),
    readers={"serbench": self_describing.read_ubjson},
    write=imported("ubjson:dumpb"),
)
