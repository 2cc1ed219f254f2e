"""fory: the object graph format of Apache Fory, written and read by pyfory alone.

- Its native mode carries Python's own types; integers are limited to 64 bits, and a datetime comes back in UTC.
- The bytes never hold the classes: both sides register the same ones in the same order.
"""

from __future__ import annotations

from serbench.formats import ANY_MODEL, Codec, Format

FORMAT = Format(
    name="fory",
    summary="Apache Fory's object graph, in its native mode for Python",
    codecs=(
        Codec(
            name="fory",
            core=True,
            docs="https://fory.apache.org/docs/object-serialization/python/",
            distribution="pyfory",
            marker='implementation_name == "cpython"',
            takes=ANY_MODEL,
            makes=ANY_MODEL,
            only=frozenset({"pyfory"}),
        ),
    ),
    unread="its bytes mean something only to a Fory with the same classes registered, and there is one implementation",
)
