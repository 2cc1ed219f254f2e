"""CBOR: a binary form of JSON's types with dates, decimals, UUIDs and sets beside them (RFC 8949).

- Aware datetimes, dates, decimals, UUIDs, sets and bytes have tags of their own and travel as themselves.
- A naive datetime has no tag; it is text, as times are.
"""

from __future__ import annotations

from serbench.render.codec import Calls, Codec, Format, Kinds, imported
from serbench.render.reading import self_describing

_DOCS = "https://cbor2.readthedocs.io/en/latest"
_EACH = """def each_cbor(file: IO[bytes]) -> Iterator[Any]:
    decoder = cbor2.CBORDecoder(file)
    while True:
        try:
            yield decoder.decode()
        except cbor2.CBORDecodeEOF:
            return"""
_KINDS = frozenset({"bytes", "datetime", "date", "decimal", "uuid", "set"})
_CBOR2 = Codec(
    name="cbor2",
    docs=f"{_DOCS}/usage.html",
    distribution="cbor2",
    calls=Calls(
        dumps="cbor2.dumps({})", loads="cbor2.loads({})", imports=("cbor2",), stream="each_cbor({})", streaming=(_EACH,)
    ),
    kinds=Kinds(encodes=_KINDS, decodes=_KINDS),
)

FORMAT = Format(
    name="cbor",
    summary="binary form of JSON's types with dates, decimals and sets (RFC 8949)",
    codecs=(
        _CBOR2,
        _CBOR2.tuned("canonical", f"{_DOCS}/api.html#cbor2.dumps", writing="canonical=True"),
        _CBOR2.tuned("string_referencing", f"{_DOCS}/api.html#cbor2.dumps", writing="string_referencing=True"),
    ),
    readers={"serbench": self_describing.read_cbor},
    write=imported("cbor2:dumps"),
)
