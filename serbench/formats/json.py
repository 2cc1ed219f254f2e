"""JSON: text that every language reads.

- Dates, times, UUIDs and decimals are strings, bytes are base64; a model library may write them
  otherwise (cattrs: base85), and verification accepts each documented form.
- Numbers are read back exactly: integers of any size, floats to the last bit.
"""

from __future__ import annotations

from typing import Any

from serbench.formats import Codec, Format


def _read_with_pydantic(blob: bytes) -> Any:
    from pydantic_core import from_json

    return from_json(blob)


def _read_with_json(blob: bytes) -> Any:
    import json

    return json.loads(blob)


def _read_with_msgspec(blob: bytes) -> Any:
    import msgspec

    return msgspec.json.decode(blob)


def _write(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


# not timedelta: msgspec writes ISO 8601 durations, which the standard library does not read back
_MSGSPEC = frozenset({"datetime", "naive_datetime", "date", "time", "decimal", "uuid"})

FORMAT = Format(
    name="json",
    summary="text that every language reads (RFC 8259)",
    text=True,
    codecs=(
        Codec(
            name="json",
            docs="https://docs.python.org/3/library/json.html",
            dumps="json.dumps({}).encode()",
            loads="json.loads({})",
            imports=("json",),
            default="default",
        ),
        Codec(
            name="orjson",
            docs="https://github.com/ijl/orjson#usage",
            distribution="orjson",
            dumps="orjson.dumps({})",
            loads="orjson.loads({})",
            imports=("orjson",),
            encodes=frozenset({"datetime", "naive_datetime", "date", "time", "uuid", "enum"}),
            default="default",
            takes=frozenset({"dataclass"}),
            refuses=frozenset({"bytes", "timedelta", "decimal", "set"}),
            lacks={"bigint": "orjson writes no integer beyond 64 bits (https://github.com/ijl/orjson#int)"},
        ),
        Codec(
            name="msgspec",
            docs="https://jcristharif.com/msgspec/usage.html",
            distribution="msgspec",
            dumps="encoder.encode({})",
            loads="decoder.decode({})",
            imports=("msgspec",),
            encoder="encoder = msgspec.json.Encoder()",
            decoder="decoder = msgspec.json.Decoder({})",
            encodes=_MSGSPEC | {"bytes", "enum", "set"},
            takes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
            makes=frozenset({"struct", "dataclass", "attrs", "typeddict"}),
        ),
        Codec(
            name="pydantic",
            docs="https://docs.pydantic.dev/latest/concepts/json/",
            distribution="pydantic",
            only=frozenset({"pydantic"}),
        ),
    ),
    readers={"json": _read_with_json, "pydantic": _read_with_pydantic, "msgspec": _read_with_msgspec},
    write=_write,
)
