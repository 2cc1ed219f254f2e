"""MessagePack: JSON's types and bytes, in binary and without a schema.

- Integers are limited to 64 bits; a larger one is refused.
- The timestamp extension keeps the instant but not the offset, so datetimes travel as text unless
  the model library chooses otherwise.
"""

from __future__ import annotations

from typing import Any

from serbench.formats import Codec, Format


def _read_with_msgpack(blob: bytes) -> Any:
    import msgpack

    return msgpack.unpackb(blob, timestamp=3, strict_map_key=False)


def _read_with_msgspec(blob: bytes) -> Any:
    import msgspec

    return msgspec.msgpack.decode(blob)


def _write(value: Any) -> bytes:
    import msgpack

    packed: bytes = msgpack.packb(value, datetime=True)
    return packed


_LACKS = {
    "bigint": "MessagePack has no integer beyond 64 bits (https://github.com/msgpack/msgpack/blob/master/spec.md#int-format-family)"
}

FORMAT = Format(
    name="msgpack",
    summary="compact binary form of JSON's types and bytes",
    codecs=(
        Codec(
            name="msgpack",
            core=True,
            docs="https://msgpack-python.readthedocs.io/en/latest/api.html",
            distribution="msgpack",
            dumps="msgpack.packb({})",
            loads="msgpack.unpackb({})",
            imports=("msgpack",),
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            lacks=_LACKS,
            default="default",
        ),
        Codec(
            name="msgspec",
            core=True,
            docs="https://jcristharif.com/msgspec/usage.html",
            distribution="msgspec",
            marker='implementation_name == "cpython"',
            dumps="encoder.encode({})",
            loads="decoder.decode({})",
            imports=("msgspec",),
            encoder="encoder = msgspec.msgpack.Encoder()",
            decoder="decoder = msgspec.msgpack.Decoder({})",
            encodes=frozenset({"naive_datetime", "date", "time", "decimal", "uuid", "bytes", "enum", "set"}),
            decodes=frozenset({"bytes"}),
            lacks=_LACKS,
            takes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
            makes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
        ),
        Codec(
            name="serpyco-rs",
            core=True,
            docs="https://github.com/ermakov-oleg/serpyco-rs",
            distribution="serpyco-rs",
            encodes=frozenset({"bytes"}),
            decodes=frozenset({"bytes"}),
            only=frozenset({"serpyco-rs"}),
        ),
    ),
    readers={"msgpack": _read_with_msgpack, "msgspec": _read_with_msgspec},
    write=_write,
)
