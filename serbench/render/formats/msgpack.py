"""MessagePack: JSON's types and bytes, in binary and without a schema.

- Integers are limited to 64 bits; a larger one is refused.
- The timestamp extension keeps the instant but not the offset, so datetimes travel as text unless
  the model library chooses otherwise.
"""

from __future__ import annotations

from serbench.model.scalars import DATES
from serbench.render.codec import CPYTHON, UNTYPED, Calls, Codec, Format, Kinds, Limits, Loss, Objects, imported

_LACKS = {
    "bigint": "MessagePack has no integer beyond 64 bits (https://github.com/msgpack/msgpack/blob/master/spec.md#int-format-family)"
}
_CLASSES = frozenset({"struct", "dataclass", "attrs", "typeddict"})
_API = "https://msgpack-python.readthedocs.io/en/latest/api.html"
_MSGPACK = Codec(
    name="msgpack",
    docs=_API,
    distribution="msgpack",
    core=True,
    calls=Calls(
        dumps="msgpack.packb({})", loads="msgpack.unpackb({})", imports=("msgpack",), stream="msgpack.Unpacker({})"
    ),
    kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"}), default="default"),
    limits=Limits(lacks=_LACKS, unchecked=UNTYPED),
)
_ORMSGPACK_DOCS = "https://github.com/aviramha/ormsgpack"
_ORMSGPACK = Codec(
    name="ormsgpack",
    docs=f"{_ORMSGPACK_DOCS}#usage",
    distribution="ormsgpack",
    marker=CPYTHON,
    calls=Calls(dumps="ormsgpack.packb({})", loads="ormsgpack.unpackb({})", imports=("ormsgpack",)),
    kinds=Kinds(
        encodes=DATES | {"uuid", "enum", "bytes"},
        decodes=frozenset({"bytes"}),
        default="default",
    ),
    objects=Objects(takes=frozenset({"dataclass"}), refuses=frozenset({"timedelta", "decimal", "set"})),
    limits=Limits(
        cannot={
            "stream": f"ormsgpack reads the first document in a stream but does not report where it ends ({_ORMSGPACK_DOCS}#deserialize)"
        },
        lacks=_LACKS,
    ),
)
_MSGSPEC = Codec(
    name="msgspec",
    docs="https://jcristharif.com/msgspec/usage.html",
    distribution="msgspec",
    marker=CPYTHON,
    core=True,
    calls=Calls(
        dumps="encoder.encode({})",
        loads="decoder.decode({})",
        imports=("msgspec",),
        encoder="encoder = msgspec.msgpack.Encoder()",
        decoder="decoder = msgspec.msgpack.Decoder({})",
        stream="lengths",  # https://jcristharif.com/msgspec/perf-tips.html#length-prefix-framing
    ),
    kinds=Kinds(
        encodes=(DATES | {"decimal", "uuid", "bytes", "enum", "set"}) - {"datetime"},
        decodes=frozenset({"bytes"}),
    ),
    objects=Objects(takes=_CLASSES, makes=_CLASSES),
    limits=Limits(lacks=_LACKS),
)
_TIMESTAMP = "https://github.com/msgpack/msgpack/blob/master/spec.md#timestamp-extension-type"
_OFFSET = {"datetime": Loss("utc", "the offset from UTC", _TIMESTAMP)}

FORMAT = Format(
    name="msgpack",
    summary="compact binary form of JSON's types and bytes",
    codecs=(
        _MSGPACK,
        _MSGPACK.tuned(
            "datetime",
            f"{_API}#msgpack.Packer",
            writing="datetime=True",
            reading="timestamp=3",
            stream="msgpack.Unpacker({}, timestamp=3)",
            encodes=frozenset({"bytes", "datetime"}),
            decodes=frozenset({"bytes", "datetime"}),
            default="",
            loses=_OFFSET,
        ),
        _ORMSGPACK,
        _ORMSGPACK.tuned(
            "OPT_DATETIME_AS_TIMESTAMP_EXT",
            f"{_ORMSGPACK_DOCS}#opt_datetime_as_timestamp_ext",
            writing="option=ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT",
            reading="option=ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT",
            lacks=_LACKS
            | {
                "datetime": "ormsgpack 1.13.1 drops the fraction of a timestamp if it exceeds 0.536 s "
                f"({_ORMSGPACK_DOCS}#opt_datetime_as_timestamp_ext)"
            },
        ),
        _ORMSGPACK.tuned("OPT_SORT_KEYS", f"{_ORMSGPACK_DOCS}#opt_sort_keys", writing="option=ormsgpack.OPT_SORT_KEYS"),
        _MSGSPEC,
        _MSGSPEC.tuned(
            "strict=False",
            "https://jcristharif.com/msgspec/usage.html#strict-vs-lax-mode",
            decoder="decoder = msgspec.msgpack.Decoder({}, strict=False)",
        ),
        Codec(
            name="serpyco-rs",
            docs="https://github.com/ermakov-oleg/serpyco-rs",
            distribution="serpyco-rs",
            core=True,
            only=frozenset({"serpyco-rs"}),
            kinds=Kinds(encodes=frozenset({"bytes"}), decodes=frozenset({"bytes"})),
            limits=Limits(
                cannot={"stream": "serpyco-rs cannot read streams (https://github.com/ermakov-oleg/serpyco-rs)"},
                lacks=_LACKS,
            ),
        ),
    ),
    readers={
        "msgpack": imported("msgpack:unpackb", timestamp=3, strict_map_key=False),
        "msgspec": imported("msgspec.msgpack:decode"),
    },
    write=imported("msgpack:packb", datetime=True),
)
