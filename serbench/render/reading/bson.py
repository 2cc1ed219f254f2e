"""Reads BSON as specified (https://bsonspec.org/spec.html), for verification."""

from __future__ import annotations

import datetime as dt
from typing import Any
from uuid import UUID

from serbench.render.reading.cursor import Cursor, check_end

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_NUMBERS = {0x01: "<d", 0x08: "<?", 0x10: "<i", 0x12: "<q"}


def read(blob: bytes) -> Any:
    """Decode a document."""
    cursor = Cursor(blob)
    return check_end(cursor, _document(cursor))


def _document(cursor: Cursor) -> dict[str, Any]:
    cursor.number("<i")
    document = {}
    while kind := cursor.number("<B"):
        key = cursor.until(b"\0").decode()
        document[key] = _value(cursor, kind)
    return document


def _value(cursor: Cursor, kind: int) -> Any:
    if kind in _NUMBERS:
        return cursor.number(_NUMBERS[kind])
    match kind:
        case 0x02:
            return cursor.take(cursor.number("<i"))[:-1].decode()
        case 0x03:
            return _document(cursor)
        case 0x04:
            return list(_document(cursor).values())
        case 0x05:
            size, subtype = cursor.number("<i"), cursor.number("<B")
            piece = cursor.take(size)
            return UUID(bytes=piece) if subtype == 4 else piece
        case 0x09:
            return _EPOCH + dt.timedelta(milliseconds=cursor.number("<q"))
        case 0x0A:
            return None
    raise ValueError(f"unexpected type {kind:#x}")
