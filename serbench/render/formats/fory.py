"""fory: the object graph format of Apache Fory, written and read by pyfory alone.

- Its native mode carries Python's own types; integers are limited to 64 bits, and a datetime comes back in UTC.
- The bytes never hold the classes: both sides register the same ones in the same order.
"""

from __future__ import annotations

from serbench.render.codec import ANY_MODEL, CPYTHON, Codec, Objects
from serbench.render.format import DEEP, HUGE, Format

_HEAD = b"\0\xff\x16"  # a document of Python's that is a list
_TEXT = b"\x01\x08\x15"  # of one item, all of one type, which is text


def _varint(number: int) -> bytes:
    digits = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


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
    hostile={
        "deep": lambda: _HEAD + b"\x01\x08\x16" * DEEP + b"\0",
        "2 GiB of items announced": lambda: _HEAD + _varint(HUGE) + _TEXT[1:] + b"\x04a",
        "2 GiB announced": lambda: _HEAD + _TEXT + _varint(HUGE << 2) + b"a",
        "no UTF-8": lambda: _HEAD + _TEXT + _varint(2 << 2 | 2) + b"\xff\xfe",
    },
    unread="its bytes mean something only to a Fory with the same classes registered, and there is one implementation",
)
