"""fory: the object graph format of Apache Fory, written and read by pyfory alone.

- Its native mode carries Python's own types; integers are limited to 64 bits, and a datetime comes back in UTC.
- The bytes never hold the classes: both sides register the same ones in the same order.
"""

from __future__ import annotations

from serbench.render.codec import ANY_MODEL, CPYTHON, Codec, Format, Objects

FORMAT = Format(
    name="fory",
    summary="Apache Fory's object graph, in its native mode for Python",
    codecs=(
        Codec(
            name="fory",
            docs="https://fory.apache.org/docs/object-serialization/python/",
            distribution="pyfory",
            marker=CPYTHON,
            core=True,
            only=frozenset({"pyfory"}),
            objects=Objects(takes=ANY_MODEL, makes=ANY_MODEL),
        ),
    ),
    unread="its bytes mean something only to a Fory with the same classes registered, and there is one implementation",
)
