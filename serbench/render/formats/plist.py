"""Property lists: the files of settings of Apple's systems, in binary or as XML.

- Bytes travel as themselves. Dates have neither an offset nor, in XML, a fraction of a second: all dates and
  times are text, as UUIDs and decimals are.
- The binary form holds equal values once, and 0.0 equals -0.0: with CPython 3.11 to 3.14 all zeros of a document come
  back with the sign of its first (https://docs.python.org/3/library/plistlib.html#plistlib.FMT_BINARY).
- XML has no null, and every line end in it becomes a newline.
"""

from __future__ import annotations

from typing import Any

from serbench.render.codec import NO_CONTROL_CHARACTERS, Calls, Codec, Format, Kinds, Limits, Loss
from serbench.render.reading import self_describing


def _write(value: Any) -> bytes:
    import plistlib

    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


_DOCS = "https://docs.python.org/3/library/plistlib.html"
_NO_NULL = f"a property list in XML has no null ({_DOCS})"
_NO_BIGINT = "a property list has no integer beyond 64 bits (https://docs.python.org/3/library/plistlib.html)"
_BINARY = Codec(
    name="plistlib",
    docs=f"{_DOCS}#plistlib.dumps",
    calls=Calls(
        dumps="plistlib.dumps({}, fmt=plistlib.FMT_BINARY, sort_keys=False)",
        loads="plistlib.loads({}, fmt=plistlib.FMT_BINARY)",
        imports=("plistlib",),
    ),
    kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"})),
    limits=Limits(lacks={"bigint": _NO_BIGINT}),
)

FORMAT = Format(
    name="plist",
    summary="Apple's property lists, binary or XML",
    codecs=(
        _BINARY,
        _BINARY.tuned(
            "FMT_XML",
            f"{_DOCS}#plistlib.FMT_XML",
            dumps="plistlib.dumps({}, sort_keys=False)",
            spoils=NO_CONTROL_CHARACTERS,
            loads="plistlib.loads({}, fmt=plistlib.FMT_XML)",
            lacks={"bigint": _NO_BIGINT, "optional": _NO_NULL, "any": _NO_NULL},
            loses={"str": Loss("newlines", "carriage returns", "https://www.w3.org/TR/xml/#sec-line-ends")},
        ),
    ),
    readers={"serbench": self_describing.read_plist},
    write=_write,
)
