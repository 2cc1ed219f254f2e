"""BSON: the documents of MongoDB, with dates in milliseconds, UUIDs and bytes.

- A document is a record or a map; a list stands in one under the key "items".
- A datetime is an instant in milliseconds: its microseconds and its offset from UTC are lost. Other dates
  and times, and decimals, are text.
- Integers have 64 bits. One that needs more than 32 comes back as a class of its own, so the codec is
  given a decoder that makes it an `int`.
"""

from __future__ import annotations

from serbench.render.codec import Calls, Codec, Format, Kinds, Limits, Loss, imported
from serbench.render.reading import self_describing

_DOCS = "https://pymongo.readthedocs.io/en/stable/api/bson"
_INTEGERS = """class IntDecoder(TypeDecoder):
    bson_type = Int64

    def transform_bson(self, value: Any) -> int:
        return int(value)"""
_MOMENTS = "https://pymongo.readthedocs.io/en/stable/examples/datetimes.html"
_NO_LARGER = "BSON's integers are signed and have at most 64 bits (https://bsonspec.org/spec.html)"
_BSON = Codec(
    name="pymongo",
    docs=f"{_DOCS}/index.html",
    distribution="pymongo",
    calls=Calls(
        dumps="bson.encode({}, codec_options=BSON_OPTIONS)",
        loads="bson.decode({}, codec_options=BSON_OPTIONS)",
        imports=(
            "bson",
            "bson.binary:UuidRepresentation",
            "bson.codec_options:CodecOptions",
            "bson.codec_options:TypeDecoder",
            "bson.codec_options:TypeRegistry",
            "bson.int64:Int64",
            "typing:Any",
        ),
        functions=(
            _INTEGERS,
            """BSON_OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(
    tz_aware=True,
    uuid_representation=UuidRepresentation.STANDARD,
    type_registry=TypeRegistry([IntDecoder()]),
)""",
        ),
    ),
    kinds=Kinds(encodes=frozenset({"bytes", "datetime", "uuid"}), decodes=frozenset({"bytes", "datetime", "uuid"})),
    limits=Limits(
        lacks=dict.fromkeys(("uint64", "bigint"), _NO_LARGER),
        loses={"datetime": Loss("utc milliseconds", "microseconds and offset", _MOMENTS)},
        root="items",
    ),
)

FORMAT = Format(
    name="bson",
    summary="the documents of MongoDB; a datetime has milliseconds",
    codecs=(_BSON,),
    readers={"serbench": self_describing.read_bson},
    write=imported("bson:encode"),
)
