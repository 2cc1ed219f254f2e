"""Reads BSON by its specification (https://bsonspec.org/spec.html), for verification."""

from __future__ import annotations

import datetime as dt
from typing import Any
from uuid import UUID

from serbench.formats.reading.cursor import Cursor, whole

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def read(blob: bytes) -> Any:
    """The value of a document."""
    cursor = Cursor(blob)
    return whole(cursor, _document(cursor))


def _document(cursor: Cursor) -> dict[str, Any]:
    cursor.number("<i")
    found = {}
    while kind := cursor.number("<B"):
        key = cursor.until(b"\0").decode()
        found[key] = _value(cursor, kind)
    return found


def _value(cursor: Cursor, kind: int) -> Any:
    match kind:
        case 0x01:
            return cursor.number("<d")
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
        case 0x08:
            return bool(cursor.number("<B"))
        case 0x09:
            return _EPOCH + dt.timedelta(milliseconds=cursor.number("<q"))
        case 0x0A:
            return None
        case 0x10:
            return cursor.number("<i")
        case 0x12:
            return cursor.number("<q")
    raise ValueError(f"type {kind:#x} has no meaning here")
